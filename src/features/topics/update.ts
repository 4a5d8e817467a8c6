import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { type TopicRow, topics } from "../../db/tables";
import { upsertCounts } from "../../engine/contacts/counts";
import type { Context } from "../../platform/context";
import type { UpdateTopic } from "./schema";
import { getTopic, isTopic } from "./topic";

/**
 * `PATCH /topics/{id}`: writes only the columns that are sent, so two concurrent changes both stay. A new default
 * applies to everyone who never chose. That is not a choice of theirs, so it records no events; but segments are
 * computed again.
 */
export async function updateTopic(ctx: Context, id: Id, change: UpdateTopic): Promise<TopicRow> {
  const changes = changesOf(change);
  if (changes.length === 0) return getTopic(ctx, id);
  const now = ctx.now.getTime();
  const isOther = sql.join(
    changes.map(({ column, value }) => sql`${column} IS NOT ${value}`),
    sql` OR `,
  );
  const batch = openBatch(ctx);
  // A second run finds the values that the first one wrote.
  batch.mayRepeat();
  if (change.defaultSubscribed !== undefined) {
    batch.add(
      upsertCounts(
        sql`SELECT project_id, 0 AS contacts, 0 AS subscribed FROM topics
          WHERE ${isTopic(ctx, id)} AND default_subscribed <> ${change.defaultSubscribed}`,
      ),
    );
  }
  const updated = batch.add(
    statement(
      // An earlier call may be written later, so updatedAt never goes back.
      sql`UPDATE topics SET ${sql.join(
        changes.map(({ column, value }) => sql`${column} = ${value}`),
        sql`, `,
      )}, updated_at = iif(${isOther}, max(updated_at, ${now}), updated_at)
        WHERE ${isTopic(ctx, id)} RETURNING *`,
      wholeRow(topics),
    ),
  );
  await batch.commit();
  if (!updated.first) throw new NotFound("topic", id);
  return updated.first;
}

function changesOf({ name, description, defaultSubscribed }: UpdateTopic): { column: SQL; value: SQL }[] {
  return [
    ...(name === undefined ? [] : [{ column: sql`name`, value: sql`${name}` }]),
    ...(description === undefined ? [] : [{ column: sql`description`, value: sql`${description || null}` }]),
    ...(defaultSubscribed === undefined ? [] : [{ column: sql`default_subscribed`, value: sql`${defaultSubscribed}` }]),
  ];
}
