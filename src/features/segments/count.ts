import { sql } from "drizzle-orm";
import { newId } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { commit, query, statement } from "../../db/commit";
import { mostRowsPerStatement } from "../../db/limits";
import type { Context } from "../../platform/context";
import { announceJob, recordJob } from "../jobs/queue-job";
import { letOthersIn } from "../jobs/work";
import type { SegmentRow } from "./segment";
import { beginWalk, lookAtNext, type Walk } from "./walk";
import { type Input, stateJson } from "./walk-step";

/** Contacts that one statement looks at: others have their turn in between. */
export const contactsPerLook = mostRowsPerStatement;

/** Of a larger project the members are counted in the background; when the count was asked for, of a very large one. */
const mostAtOnce = mostRowsPerStatement;
const mostAtRefresh = 2_000_000;

/** The count of a dynamic segment is looked at again after this. */
export const countEveryMs = 15 * minuteMs;

/** Counts who is in a segment at this moment and stores it, or has it counted by a job. */
export function countSegment(ctx: Context, segment: SegmentRow): Promise<number | { jobId: string }> {
  return count(ctx, segment, { mostContacts: mostAtOnce, isFollowed: false });
}

/** `POST /segments/{id}/refresh`: the same while the caller waits, of all but the largest projects. */
export function refreshCount(ctx: Context, segment: SegmentRow): Promise<number | { jobId: string }> {
  return count(ctx, segment, { mostContacts: mostAtRefresh, isFollowed: true });
}

async function count(
  ctx: Context,
  segment: SegmentRow,
  { mostContacts, isFollowed }: { mostContacts: number; isFollowed: boolean },
): Promise<number | { jobId: string }> {
  if (segment.condition === null) return countRows(ctx, segment);
  const begun = await beginWalk(ctx, segment.id);
  if (begun === null) return segment.memberCount;
  if (begun.contacts > mostContacts) return { jobId: await queueCount(ctx, segment.id, { isFollowed }) };
  let look = await lookAtNext(ctx, begun.walk, { contacts: contactsPerLook });
  while (!look.isLast) {
    await letOthersIn();
    look = await lookAtNext(ctx, look.walk, { contacts: contactsPerLook });
  }
  await commit(ctx.db, [noteCounted(ctx, look.walk)]);
  return look.walk.matching;
}

/** In one statement, as members come and go meanwhile. It reads an index alone. */
async function countRows(ctx: Context, { id, memberCount }: SegmentRow): Promise<number> {
  const isMine = sql`project_id = ${ctx.project.id} AND id = ${id}`;
  const rows = sql`SELECT count(*) FROM segment_members WHERE project_id = ${ctx.project.id} AND segment_id = ${id}`;
  const [row] = await query(
    ctx.db,
    sql`UPDATE segments SET member_count = (${rows}), counted_at = ${ctx.now.getTime()} WHERE ${isMine}
      RETURNING member_count`,
  );
  return Number(row?.member_count ?? memberCount);
}

/** A count that nobody follows has a row of that name, so that several do not pile up. */
export const countJobId = (segmentId: string) => `count-${segmentId}`;

async function queueCount(ctx: Context, segmentId: string, { isFollowed }: { isFollowed: boolean }): Promise<string> {
  const id = isFollowed ? newId() : countJobId(segmentId);
  const input: Input = { segmentId, isFollowed };
  const onlyIf = sql`NOT EXISTS (SELECT 1 FROM jobs WHERE id = ${id})`;
  await commit(ctx.db, [recordJob(ctx, { id, type: "segments.count", input, state: countState, onlyIf })]);
  await announceJob(ctx, "segments.count", id);
  return id;
}

export const countState = stateJson({ silent: true, walk: null });

/** Not when another condition was saved meanwhile, or when a later count was faster. */
export function noteCounted(ctx: Context, { segment, at, of, matching }: Walk): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`UPDATE segments SET member_count = ${matching}, counted_at = ${at}, counted_of = ${of},
        next_count_at = ${at + countEveryMs}
      WHERE project_id = ${ctx.project.id} AND id = ${segment.id} AND condition = ${JSON.stringify(segment.condition)}
        AND (counted_of IS NULL OR counted_at <= ${at})`,
  );
}
