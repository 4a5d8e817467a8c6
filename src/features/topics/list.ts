import { type SQL, sql } from "drizzle-orm";
import { textOf } from "../../core/ids";
import { ById, type Page, pageOf, readCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import { asNumber, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { topics } from "../../db/tables";
import type { Context } from "../../platform/context";
import { topicJson } from "./topic";

/** `GET /topics`, newest first. As in every list by cursor, `total` comes on the first page only. */
export async function listTopics(
  ctx: Context,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<Page<ReturnType<typeof topicJson>>> {
  const [after = null] = readCursor(cursor, ById) ?? [];
  const live = sql`FROM topics WHERE ${inProject(ctx)} AND deleted_at IS NULL`;
  const afterCursor = after === null ? sql`` : sql`AND id < ${after}`;
  const batch = openBatch(ctx);
  const rows = batch.add(
    statement(sql`SELECT * ${live} ${afterCursor} ORDER BY id DESC LIMIT ${limit + 1}`, wholeRow(topics)),
  );
  const counted = after === null ? batch.add(countTopics(live)) : null;
  await batch.commit();
  const keyed = rows.all.map((row) => ({ id: textOf(row.id), row }));
  return pageOf(keyed, limit, counted?.one.total ?? 0, ({ row }) => topicJson(row));
}

function countTopics(live: SQL) {
  return statement(sql`SELECT count(*) AS total ${live}`, columns({ total: asNumber }));
}
