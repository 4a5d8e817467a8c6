import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { iso } from "../../core/time";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import { type TopicRow, topics } from "../../db/tables";
import type { Context } from "../../platform/context";

export function topicJson(row: TopicRow) {
  return {
    id: publicId(row.id),
    name: row.name,
    slug: row.slug,
    description: row.description,
    defaultSubscribed: row.defaultSubscribed,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

/** Whether the row of a topic is this one, and not deleted. */
export function isTopic(ctx: Context, id: Id): SQL {
  return sql`${inProject(ctx)} AND id = ${id} AND deleted_at IS NULL`;
}

export async function getTopic(ctx: Context, id: Id): Promise<TopicRow> {
  const row = await selectFirst(ctx.db, sql`SELECT * FROM topics WHERE ${isTopic(ctx, id)}`, wholeRow(topics));
  if (!row) throw new NotFound("topic", id);
  return row;
}
