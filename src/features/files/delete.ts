import { type SQL, sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { readUses, type Use } from "../../db/read-uses";
import { asId, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst, statement } from "../../db/statement";
import { files } from "../../db/tables";
import { forgetFiles } from "../../engine/mail/body";
import type { Context } from "../../platform/context";
import { addressOf, keyOfFile } from "./file";

/**
 * `DELETE /files/{id}`: deletes a file, which mail that was already sent then no longer shows. Throws Conflict while a
 * template or an open campaign names the file. The row is deleted before the bytes. Bytes that are left behind are
 * removed by the sweep for orphans.
 */
export async function deleteFile(ctx: Context, id: Id): Promise<void> {
  const row = await selectFirst(
    ctx.db,
    sql`SELECT * FROM files WHERE ${inProject(ctx)} AND id = ${id}`,
    wholeRow(files),
  );
  if (row === null) throw new NotFound("file", id);
  const uses = usesOf(ctx, id);
  const batch = openBatch(ctx);
  // The file existed a moment ago. If a repeated batch does not find it, the first attempt has deleted it.
  batch.recognise(sql`NOT EXISTS (SELECT 1 FROM files WHERE ${inProject(ctx)} AND id = ${id})`);
  batch.guard(sql`NOT EXISTS (${uses.templates}) AND NOT EXISTS (${uses.campaigns})`, async () =>
    fileInUse(await readUses(ctx, uses)),
  );
  const deleted = batch.add(
    statement(sql`DELETE FROM files WHERE ${inProject(ctx)} AND id = ${id} RETURNING id`, columns({ id: asId }), {
      again: sql`SELECT ${id} AS id`,
    }),
  );
  await batch.commit();
  if (deleted.count === 0) throw new NotFound("file", id);
  forgetFiles(ctx, [keyOfFile(addressOf(ctx, row))]);
}

type Users = "templates" | "campaigns";

/**
 * Selects the templates and open campaigns whose bodies name the file. Uses indexes that contain only rows with files.
 */
function usesOf(ctx: Context, id: Id): Record<Users, SQL> {
  return {
    templates: sql`SELECT t.id, t.name FROM templates t
      CROSS JOIN template_versions v INDEXED BY ix_template_versions_files
        ON v.project_id = t.project_id AND v.id = t.version_id AND v.files IS NOT NULL
      WHERE ${inProject(ctx, "t")} AND instr(v.files, ${id}) > 0`,
    campaigns: sql`SELECT c.id, c.name FROM campaigns c INDEXED BY ix_campaigns_files
      WHERE ${inProject(ctx, "c")} AND c.files IS NOT NULL AND c.status IN ('DRAFT', 'SCHEDULED', 'SENDING')
        AND instr(c.files, ${id}) > 0`,
  };
}

export function fileInUse(details: Record<Users, Use[]>): Conflict {
  return new Conflict("A template or an open campaign uses this file. Nothing was deleted.", {
    suggestion: "Remove the image from everything listed in details, then delete the file again.",
    details: { ...details },
  });
}
