import { sql } from "drizzle-orm";
import { type Id, textOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asId, asJson, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select, statement } from "../../../db/statement";
import type { ContentRow, EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { contactSnapshot, readEmailToRender, selectContents } from "../content";

/**
 * A call with several emails whose outcome is unknown. The provider recognises its key only with exactly the same
 * emails in the same order. The call is therefore repeated as a whole, even with emails that a report has settled
 * since.
 */
export interface Repeat {
  /** The id of the call, which is its idempotency key. */
  id: string;
  /** The emails of the call, in their original order. */
  emails: EmailRow[];
  contents: Map<Id, ContentRow>;
}

/** Finds the stored calls of uncertain emails. A call with a single email is not stored: the email's row is enough. */
export async function readRepeats(ctx: Context, found: EmailRow[]): Promise<Repeat[]> {
  const ids = new Set(found.flatMap(({ uncertainSince, round }) => (uncertainSince && round ? [round] : [])));
  if (ids.size === 0) return [];
  const stored = await select(
    ctx.db,
    sql`SELECT id, emails FROM rounds
      WHERE ${inProject(ctx)} AND id IN (SELECT value FROM json_each(${JSON.stringify([...ids])}))`,
    columns({ id: asId, emails: asJson<Id[]>() }),
  );
  return Promise.all(stored.map(({ id, emails }) => readRepeat(ctx, textOf(id), emails)));
}

async function readRepeat(ctx: Context, id: string, emailIds: Id[]): Promise<Repeat> {
  const ids = JSON.stringify(emailIds);
  const batch = openBatch(ctx);
  const emails = batch.add(
    statement(
      sql`SELECT e.*, ${contactSnapshot} AS rendered_with FROM json_each(${ids}) r
        CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value ORDER BY r.key`,
      readEmailToRender,
    ),
  );
  const contents = batch.add(
    selectContents(
      ctx,
      sql`content.id IN (SELECT e.content_id FROM json_each(${ids}) r
        CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value)`,
    ),
  );
  await batch.commit();
  return { id, emails: emails.all, contents: new Map(contents.all.map((row) => [row.id, row])) };
}
