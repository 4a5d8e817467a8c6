import { sql } from "drizzle-orm";
import { type Id, publicId } from "../../core/ids";
import { iso } from "../../core/time";
import { getRow } from "../../db/get-row";
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

/** Matches topics that are not deleted. Deleted topics keep their rows. */
export const isLive = sql`deleted_at IS NULL`;

export function getTopic(ctx: Context, id: Id): Promise<TopicRow> {
  return getRow(ctx, topics, "topic", id, isLive);
}
