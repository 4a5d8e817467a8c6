import { sql } from "drizzle-orm";
import { belowAllIds, type Id, asId as idOf, newId, textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { Stale, untilFresh } from "../../db/fresh";
import { maxRowsPerStatement } from "../../db/limits";
import { asFlag, asId, asNumber, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, selectFirst, statement } from "../../db/statement";
import type { JobRow, SegmentRow } from "../../db/tables";
import { isTrouble } from "../../db/trouble";
import { deleteJobs } from "../../engine/jobs/job";
import { announceJob, insertJob, upsertJobs } from "../../engine/jobs/queue-job";
import type { Step } from "../../engine/jobs/step";
import type { Context } from "../../platform/context";
import { firstState, ScanJobInput, type ScanJobInserts, type ScanJobStart } from "./scan-job";
import { scanStep } from "./scan-step";
import { getSegment } from "./segment";
import { beginScan, type StoredScan, scanWhole } from "./stored-scan";

/**
 * The maximum number of rows that a call scans when it saves a segment, and when it refreshes a count. If there are
 * more rows, a job scans them.
 */
const maxRowsOnSave = maxRowsPerStatement;
const maxRowsOnRefresh = 2_000_000;

/** Counts the members of a segment and stores the number, or queues a job that does. */
export function countSegment(ctx: Context, segment: SegmentRow): Promise<number | { jobId: Id }> {
  return count(ctx, segment, { maxRows: maxRowsOnSave, isFollowed: false });
}

/** `POST /segments/{id}/refresh`: counts the members while the caller waits, except in the largest projects. */
export function refreshCount(ctx: Context, segment: SegmentRow): Promise<number | { jobId: Id }> {
  return count(ctx, segment, { maxRows: maxRowsOnRefresh, isFollowed: true });
}

/**
 * Returns a segment with a new condition, after its members were counted. In a large project, a job counts them later.
 * If the database does not answer, the sweep counts them later: the segment itself is saved.
 */
export async function withCount(ctx: Context, row: SegmentRow): Promise<SegmentRow> {
  if (row.condition === null) return row;
  try {
    const counted = await countSegment(ctx, row);
    return typeof counted === "number" ? { ...row, memberCount: counted } : row;
  } catch (error) {
    if (!isTrouble(error)) throw error;
    return row;
  }
}

async function count(
  ctx: Context,
  segment: SegmentRow,
  { maxRows, isFollowed }: { maxRows: number; isFollowed: boolean },
): Promise<number | { jobId: Id }> {
  if (segment.condition === null) return countMembers(ctx, segment.id);
  const begun = await beginScan(ctx, segment.id);
  if (begun === null) return segment.memberCount;
  const matching = await scanWhole(ctx, begun, maxRows);
  if (matching === null) return { jobId: await queueCount(ctx, segment.id, { isFollowed }) };
  const batch = openBatch(ctx);
  batch.mayRepeat();
  batch.add(updateCount(ctx, { ...begun, matching }));
  await batch.commit();
  return matching;
}

/**
 * Counts the members of a static segment, and deletes the job that would count them. When another call changes the
 * members meanwhile, this count starts again.
 */
function countMembers(ctx: Context, segmentId: Id): Promise<number> {
  return untilFresh(async () => {
    const { memberCount, countedAt } = await getSegment(ctx, segmentId);
    const counted = await countRows(ctx, segmentId);
    const isThisSegment = sql`${inProject(ctx)} AND id = ${segmentId}`;
    const isCountUnchanged = sql`member_count = ${memberCount} AND counted_at IS ${countedAt}`;
    const batch = openBatch(ctx);
    // If the batch runs again after it was committed, it throws Stale, and the members are counted once more.
    batch.mayRepeat();
    batch.guard(sql`EXISTS (SELECT 1 FROM segments WHERE ${isThisSegment} AND ${isCountUnchanged})`, () => new Stale());
    batch.add(
      statement(
        sql`UPDATE segments SET member_count = ${counted}, counted_at = ${ctx.now.getTime()} WHERE ${isThisSegment}`,
      ),
    );
    batch.add(deleteJobs(sql`${inProject(ctx)} AND id = ${countJobId(segmentId)}`));
    await batch.commit();
    return counted;
  }, ctx.random);
}

const readMembers = columns({ members: asNumber, last: orNull(asId) });

async function countRows(ctx: Context, segmentId: Id): Promise<number> {
  let [counted, after] = [0, belowAllIds];
  for (;;) {
    const isNext = sql`${inProject(ctx)} AND segment_id = ${segmentId} AND contact_id > ${after}`;
    const found = await selectFirst(
      ctx.db,
      sql`SELECT count(*) AS members, max(contact_id) AS last FROM (
        SELECT contact_id FROM segment_members WHERE ${isNext} ORDER BY contact_id LIMIT ${maxRowsPerStatement})`,
      readMembers,
    );
    counted += found?.members ?? 0;
    if (found?.members !== maxRowsPerStatement || found.last === null) return counted;
    after = found.last;
  }
}

/**
 * Returns the id of a count job that no client polls. The id is always the same for a segment, so that its count jobs
 * do not pile up.
 */
export const countJobId = (segmentId: Id): Id => idOf(`count-${textOf(segmentId)}`);

async function queueCount(ctx: Context, segmentId: Id, { isFollowed }: { isFollowed: boolean }): Promise<Id> {
  const jobId = isFollowed ? newId() : countJobId(segmentId);
  const batch = openBatch(ctx);
  const { jobs, rest } = insertCounts([{ jobId, projectId: ctx.project.number, segmentId }], ctx.realClock(), {
    isFollowed,
  });
  batch.add(jobs);
  batch.addAll(rest);
  await batch.commit();
  await announceJob(ctx, "segments.count", jobId);
  return jobId;
}

/** Inserts jobs that count members. Leaves out a segment if a job with the same id is still open. */
export function insertCounts(
  starts: ScanJobStart[],
  now: Date,
  { isFollowed }: { isFollowed: boolean },
): ScanJobInserts {
  return {
    jobs: upsertJobs("segments.count", now, {
      projectId: sql`n.value->>'projectId'`,
      id: sql`n.value->>'jobId'`,
      input: sql`json_object('segmentId', n.value->>'segmentId', 'isFollowed', json(${JSON.stringify(isFollowed)}))`,
      state: sql`${JSON.stringify(firstState({ silent: true }))}`,
      from: sql`FROM json_each(${JSON.stringify(starts)}) n WHERE true`,
    }),
    rest: [],
  };
}

/** Inserts the job that counts the members of a static segment, unless the call that inserts it counts them first. */
export function insertMemberCount(ctx: Context, segmentId: Id): Statement {
  const [id, input] = [countJobId(segmentId), { segmentId, isFollowed: false }];
  return insertJob(ctx, { id, type: "segments.count", input, state: firstState({ silent: true }) });
}

/** Runs a step of `segments.count`: counts the next contacts by id. */
export async function countStep(ctx: Context, row: JobRow): Promise<Step> {
  const { segmentId } = ScanJobInput.parse(row.input);
  const isStatic = sql`SELECT type = 'STATIC' AS is_static FROM segments WHERE ${inProject(ctx)} AND id = ${segmentId}`;
  const found = await selectFirst(ctx.db, isStatic, columns({ isStatic: asFlag }));
  if (found?.isStatic) {
    await countMembers(ctx, segmentId);
    return "ended";
  }
  return scanStep(ctx, row, {
    decide: async ({ scan }) => ({
      changes: [{ result: sql`${JSON.stringify({ memberCount: scan.matching })}`, statements: [] }],
      isWhole: true,
    }),
    end: (scan) => updateCount(ctx, scan),
  });
}

/** Stores a count, unless another condition was saved meanwhile or a later count finished first. */
function updateCount(ctx: Context, { segment, at, of, matching }: StoredScan): Statement {
  return statement(
    sql`UPDATE segments SET member_count = ${matching}, counted_at = ${at}, counted_of = ${of}
      WHERE ${inProject(ctx)} AND id = ${segment.id} AND condition = ${JSON.stringify(segment.condition)}
        AND (counted_of IS NULL OR counted_at <= ${at})`,
  );
}
