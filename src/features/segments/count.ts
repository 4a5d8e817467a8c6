import { sql } from "drizzle-orm";
import { newId } from "../../core/ids";
import { commit, guard, query, staleRow, statement, untilFresh } from "../../db/commit";
import { mostRowsPerStatement } from "../../db/limits";
import type { SegmentRow } from "../../db/tables";
import { announceJob, recordJob } from "../../engine/jobs/queue-job";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { getSegment } from "./segment";
import { beginWalk, lookAtNext, looksAhead, type Walk } from "./walk";
import { type Input, stateJson } from "./walk-step";

/** Behind more rows than this the members are counted in the background; when the count was asked for, behind very many. */
const mostAtOnce = mostRowsPerStatement;
const mostAtRefresh = 2_000_000;
/** Statements of one call, of which D1 takes a thousand. */
const mostLooks = 150;

/** Counts who is in a segment at this moment and stores it, or has it counted by a job. */
export function countSegment(ctx: Context, segment: SegmentRow): Promise<number | { jobId: string }> {
  return count(ctx, segment, { mostRows: mostAtOnce, isFollowed: false });
}

/** `POST /segments/{id}/refresh`: the same while the caller waits, of all but the largest projects. */
export function refreshCount(ctx: Context, segment: SegmentRow): Promise<number | { jobId: string }> {
  return count(ctx, segment, { mostRows: mostAtRefresh, isFollowed: true });
}

async function count(
  ctx: Context,
  segment: SegmentRow,
  { mostRows, isFollowed }: { mostRows: number; isFollowed: boolean },
): Promise<number | { jobId: string }> {
  if (segment.condition === null) return countRows(ctx, segment.id);
  const begun = await beginWalk(ctx, segment.id);
  if (begun === null) return segment.memberCount;
  const isTooMuch = begun.path.rows > mostRows || looksAhead(begun) > mostLooks;
  if (isTooMuch) return { jobId: await queueCount(ctx, segment.id, { isFollowed }) };
  let look = await lookAtNext(ctx, begun);
  while (!look.isLast) {
    await letOthersIn();
    look = await lookAtNext(ctx, look.walk);
  }
  await commit(ctx.db, [noteCounted(ctx, look.walk)]);
  return look.walk.matching;
}

/** Whoever comes or goes meanwhile is counted by the call that brings it about: then the count begins again. */
function countRows(ctx: Context, segmentId: string): Promise<number> {
  return untilFresh(async () => {
    const { memberCount, countedAt } = await getSegment(ctx, segmentId);
    const counted = await countMembers(ctx, segmentId);
    const isMine = sql`project_id = ${ctx.project.id} AND id = ${segmentId}`;
    const isAsBefore = sql`member_count = ${memberCount} AND counted_at IS ${countedAt}`;
    await commit(ctx.db, [
      guard(ctx.db, staleRow, sql`EXISTS (SELECT 1 FROM segments WHERE ${isMine} AND ${isAsBefore})`),
      statement(
        ctx.db,
        sql`UPDATE segments SET member_count = ${counted}, counted_at = ${ctx.now.getTime()} WHERE ${isMine}`,
      ),
    ]);
    return counted;
  }, ctx.random);
}

async function countMembers(ctx: Context, segmentId: string): Promise<number> {
  let [counted, after] = [0, ""];
  for (;;) {
    const isNext = sql`project_id = ${ctx.project.id} AND segment_id = ${segmentId} AND contact_id > ${after}`;
    const [found] = await query(
      ctx.db,
      sql`SELECT count(*) AS members, max(contact_id) AS last FROM (
        SELECT contact_id FROM segment_members WHERE ${isNext} ORDER BY contact_id LIMIT ${mostRowsPerStatement})`,
    );
    const members = Number(found?.members);
    counted += members;
    if (members < mostRowsPerStatement) return counted;
    after = String(found?.last);
  }
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
    sql`UPDATE segments SET member_count = ${matching}, counted_at = ${at}, counted_of = ${of}
      WHERE project_id = ${ctx.project.id} AND id = ${segment.id} AND condition = ${JSON.stringify(segment.condition)}
        AND (counted_of IS NULL OR counted_at <= ${at})`,
  );
}
