import { sql } from "drizzle-orm";
import { aboveAllIds, belowAllIds, firstIdAt, type Id, newId, textOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { getRow } from "../../../db/get-row";
import { isInserted } from "../../../db/own-rows";
import { asId, columns, orNull } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import { campaigns } from "../../../db/tables";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import { candidates, stateAfter } from "./retry-job";
import type { RetryEmails } from "./schema";

const readRange = columns({ first: orNull(asId), last: orNull(asId) });

/**
 * `POST /emails/retry`: starts the job that sends emails again. Emails that are created after this call are left alone.
 * Throws NotFound for a campaign that does not exist.
 */
export async function startRetry(ctx: Context, { status, campaignId, from, to }: RetryEmails): Promise<Id> {
  if (campaignId !== undefined) await getRow(ctx, campaigns, "campaign", campaignId);
  // An email's id contains its time of creation.
  const after = from === undefined ? belowAllIds : firstIdAt(from.from);
  const before = to === undefined ? aboveAllIds : firstIdAt(to.to);
  const among = sql`SELECT id FROM ${candidates(ctx, status)} AND id > ${after} AND id < ${before} ORDER BY id`;
  const { first, last } = await selectOne(
    ctx.db,
    sql`SELECT (${among} LIMIT 1) AS first, (${among} DESC LIMIT 1) AS last`,
    readRange,
  );
  const id = newId();
  const range = first === null || last === null ? null : { first: textOf(first), last: textOf(last) };
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, id));
  batch.add(
    insertJob(ctx, {
      id,
      type: "emails.retry",
      input: { status, campaignId: campaignId === undefined ? null : textOf(campaignId), range },
      state: stateAfter(after),
    }),
  );
  await batch.commit();
  await announceJob(ctx, "emails.retry", id);
  return id;
}
