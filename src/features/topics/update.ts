import { sql } from "drizzle-orm";
import { changedText } from "../../core/changed-text";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { type TopicRow, topics } from "../../db/tables";
import { isOther, updateRow } from "../../db/write-row";
import { upsertCounts } from "../../engine/contacts/counts";
import type { Context } from "../../platform/context";
import type { UpdateTopic } from "./schema";
import { getTopic, isLive } from "./topic";

/**
 * `PATCH /topics/{id}`: writes only the columns that are sent, so two concurrent changes both take effect. A new
 * default applies to all contacts who never chose. It records no events, because these contacts have not made a choice,
 * but marks the contacts as changed, so that segments are computed again.
 */
export async function updateTopic(ctx: Context, id: Id, change: UpdateTopic): Promise<TopicRow> {
  const { name, defaultSubscribed } = change;
  const changes = { name, description: changedText(change.description, undefined), defaultSubscribed };
  if (Object.values(changes).every((value) => value === undefined)) return getTopic(ctx, id);
  const batch = openBatch(ctx);
  // A second run writes the same values as the first.
  batch.mayRepeat();
  if (defaultSubscribed !== undefined) {
    batch.add(
      upsertCounts(
        sql`SELECT project_id, 0 AS contacts, 0 AS subscribed FROM topics
          WHERE ${inProject(ctx)} AND id = ${id} AND ${isLive} AND default_subscribed <> ${defaultSubscribed}`,
      ),
    );
  }
  const updatedAt = sql`iif(${isOther(topics, changes)}, max(updated_at, ${ctx.now.getTime()}), updated_at)`;
  const updated = batch.add(updateRow(ctx, topics, id, { ...changes, updatedAt }, isLive));
  await batch.commit();
  if (!updated.first) throw new NotFound("topic", id);
  return updated.first;
}
