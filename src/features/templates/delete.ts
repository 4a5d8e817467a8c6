import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * `DELETE /templates/{id}`. Its versions stay, because accepted mail may still use them. Workflow steps that use a
 * template will refuse this with 409 once workflows exist.
 */
export async function deleteTemplate(ctx: Context, id: Id): Promise<void> {
  const batch = openBatch(ctx);
  const deleted = batch.add(
    statement(
      sql`DELETE FROM templates WHERE project_id = ${ctx.project.number} AND id = ${id} RETURNING id`,
      columns({ id: asId }),
    ),
  );
  await batch.commit();
  if (deleted.count === 0) throw new NotFound("template", id);
}
