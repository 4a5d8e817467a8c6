import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import type { Id } from "../../core/ids";
import { asJson, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, selectFirst, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { Step } from "../../engine/jobs/step";
import type { JobRuns } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import { insertMembershipEvents, isMember } from "./membership";
import { ScanJobInput } from "./scan-job";
import { scanStep } from "./scan-step";
import type { DynamicSegment } from "./segment";
import type { StoredScan } from "./stored-scan";

/**
 * The maximum number of contacts that one batch adds or removes. That takes about 30 ms: for each contact, the batch
 * writes a member row, and an event with its indexes and counts.
 */
const movesPerBatch = 300;
/**
 * The maximum number of batches of a step. Each has about six statements, so the ten steps of a run make about 600, and
 * D1 allows a thousand.
 */
const batchesPerStep = 10;
export const computeRuns: JobRuns = { stepsPerRun: 10 };

/**
 * Runs one step of a computation. Reads which of the next contacts match and which are members, then makes the matches
 * the members, with an event for each change. Each batch reads the members again when it commits. An event is therefore
 * recorded if and only if its change is made, however often a step is repeated and whatever else changes members
 * meanwhile.
 */
export function computeStep(ctx: Context, row: JobRow): Promise<Step> {
  const { segmentId } = ScanJobInput.parse(row.input);
  return scanStep(ctx, row, {
    onlyTracked: true,
    want: "ids",
    secondSource: { over: "members", segmentId, rows: 0 },
    async decide({ scan, ids, isLast }, { segment, after }, { silent, done }) {
      const members = await findMembers(ctx, segment.id, { after, upTo: scan.after });
      const all = inBatches(ids, members);
      // Later passes keep the total of the last complete pass until they end, because a waiting call may be answered
      // during a pass.
      const total = done === undefined || isLast ? sql`${scan.matching}` : sql`coalesce(result->>'total', 0)`;
      const changes = all.slice(0, batchesPerStep).map((moving) => {
        const moves = movesOf(ctx, segment, moving);
        const events = silent ? [] : insertMoveEvents(ctx, segment, moves);
        return {
          result: countedIn(moves, total),
          statements: [...events, ...insertEntering(ctx, segment, moves), ...deleteLeaving(ctx, segment, moving)],
        };
      });
      return { changes, isWhole: changes.length === all.length };
    },
    end: (scan) => updateComputed(ctx, scan),
  });
}

async function findMembers(ctx: Context, segmentId: Id, { after, upTo }: { after: Id; upTo: Id }): Promise<Id[]> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT json_group_array(contact_id) AS ids FROM segment_members
      WHERE ${inProject(ctx)} AND segment_id = ${segmentId} AND contact_id > ${after} AND contact_id <= ${upTo}`,
    columns({ ids: asJson<Id[]>() }),
  );
  return found?.ids ?? [];
}

/** Ids of contacts that enter or leave. */
interface MovedIds {
  entering: Id[];
  leaving: Id[];
}

/** Splits the moves into batches. There is always at least one batch, even if no contact moves. */
function inBatches(matching: Id[], members: Id[]): MovedIds[] {
  const [isMatching, isMember] = [new Set(matching), new Set(members)];
  const entering = matching.filter((id) => !isMember.has(id));
  const leaving = members.filter((id) => !isMatching.has(id));
  if (entering.length + leaving.length <= movesPerBatch) return [{ entering, leaving }];
  return [
    ...chunksOf(entering, movesPerBatch).map((ids) => ({ entering: ids, leaving: [] })),
    ...chunksOf(leaving, movesPerBatch).map((ids) => ({ entering: [], leaving: ids })),
  ];
}

/** FROM clauses of the contacts `c` that enter or leave; null when there are none. */
interface MoveSources {
  entering: SQL | null;
  leaving: SQL | null;
}

/** Selects which of these contacts still exist and still have to enter or leave. */
function movesOf(ctx: Context, segment: DynamicSegment, { entering, leaving }: MovedIds): MoveSources {
  const among = (ids: Id[]) =>
    sql`FROM json_each(${JSON.stringify(ids)}) r
      CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value`;
  return {
    entering: entering.length === 0 ? null : sql`${among(entering)} WHERE NOT ${isMember(segment)}`,
    leaving: leaving.length === 0 ? null : sql`${among(leaving)} WHERE ${isMember(segment)}`,
  };
}

/** Inserts the events of moves. Must precede the moves, because it reads the members. */
function insertMoveEvents(ctx: Context, segment: DynamicSegment, { entering, leaving }: MoveSources): Statement[] {
  return [
    ...(entering ? [insertMembershipEvents(ctx, segment, "entry", entering)] : []),
    ...(leaving ? [insertMembershipEvents(ctx, segment, "exit", leaving)] : []),
  ];
}

function insertEntering(ctx: Context, { id }: DynamicSegment, { entering }: MoveSources): Statement[] {
  if (entering === null) return [];
  return [
    statement(
      sql`INSERT INTO segment_members (project_id, segment_id, contact_id, created_at)
        SELECT c.project_id, ${id}, c.id, ${ctx.clock().getTime()} ${entering}`,
    ),
  ];
}

/**
 * Deletes the members that leave. Also deletes member rows of erased contacts, because every later step would find them
 * again.
 */
function deleteLeaving(ctx: Context, { id }: DynamicSegment, { leaving }: MovedIds): Statement[] {
  if (leaving.length === 0) return [];
  return [
    statement(
      sql`DELETE FROM segment_members WHERE ${inProject(ctx)} AND segment_id = ${id}
        AND contact_id IN (SELECT value FROM json_each(${JSON.stringify(leaving)}))`,
    ),
  ];
}

/** Returns the job's result including this batch. SQL must evaluate it before the moves. */
function countedIn({ entering, leaving }: MoveSources, total: SQL): SQL {
  const sum = (name: string, who: SQL | null) =>
    sql`coalesce(json_extract(result, ${`$.${name}`}), 0) + ${who ? sql`(SELECT count(*) ${who})` : sql`0`}`;
  return sql`json_object('added', ${sum("added", entering)}, 'removed', ${sum("removed", leaving)}, 'total', ${total})`;
}

/** Stores the result of a complete computation. The number of contacts that match is also the number of members. */
function updateComputed(ctx: Context, { segment, at, of, matching }: StoredScan): Statement {
  return statement(
    sql`UPDATE segments SET member_count = ${matching}, counted_at = ${at}, counted_of = ${of}, computed_at = ${at},
        computed_of = ${of}
      WHERE ${inProject(ctx)} AND id = ${segment.id}`,
  );
}
