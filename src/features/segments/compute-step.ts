import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { membershipEvents } from "../../core/segments/slug";
import { query, statement } from "../../db/commit";
import type { JobRow } from "../../db/tables";
import { recordEvents } from "../../engine/events/record";
import type { Step } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import type { Dynamic } from "./segment";
import type { Walk } from "./walk";
import { Input, walkStep } from "./walk-step";

/** Contacts that one batch takes in or out, in some 30 ms: each is a member row, and an event with its indexes and counts. */
const movesPerBatch = 300;
/** With some six statements each. One run of the job has a few hundred of them, and D1 takes a thousand. */
const batchesPerStep = 10;
export const stepsPerRun = 10;

/**
 * One step of a computation. It reads who of the next contacts matches and who is a member, and makes one of the other,
 * each move with its event. A batch asks again who is a member: so an event is there if and only if its change is,
 * however often a step comes, and whatever else changes members meanwhile.
 */
export function computeStep(ctx: Context, row: JobRow): Promise<Step> {
  const { segmentId } = Input.parse(row.input);
  return walkStep(ctx, row, {
    onlyTracked: true,
    figures: sql`json_group_array(id) FILTER (WHERE matches) AS matching_ids`,
    beside: { along: "members", segmentId, rows: 0 },
    async write({ walk, found }, { segment, after }, { silent }) {
      const matching: string[] = JSON.parse(String(found.matching_ids));
      const members = await findMembers(ctx, segment.id, { after, upTo: walk.after });
      const all = inBatches(matching, members);
      const batches = all.slice(0, batchesPerStep).map((moving) => {
        const moves = movesOf(ctx, segment.id, moving);
        const changes = [...(silent ? [] : tell(ctx, segment, moves)), ...move(ctx, segment, moving, moves)];
        return { result: countedIn(moves, walk.matching), changes };
      });
      return { batches, isWhole: batches.length === all.length };
    },
    end: (walk) => noteComputed(ctx, walk),
  });
}

async function findMembers(
  ctx: Context,
  segmentId: string,
  { after, upTo }: { after: string; upTo: string },
): Promise<string[]> {
  const [found] = await query(
    ctx.db,
    sql`SELECT json_group_array(contact_id) AS ids FROM segment_members
      WHERE project_id = ${ctx.project.id} AND segment_id = ${segmentId} AND contact_id > ${after} AND contact_id <= ${upTo}`,
  );
  return JSON.parse(String(found?.ids));
}

/** Ids of contacts. */
interface Moving {
  entering: string[];
  leaving: string[];
}

/** At least one, be it of nobody. */
function inBatches(matching: string[], members: string[]): Moving[] {
  const [isMatching, isMember] = [new Set(matching), new Set(members)];
  const entering = matching.filter((id) => !isMember.has(id));
  const leaving = members.filter((id) => !isMatching.has(id));
  if (entering.length + leaving.length <= movesPerBatch) return [{ entering, leaving }];
  return [
    ...chunksOf(entering, movesPerBatch).map((ids) => ({ entering: ids, leaving: [] })),
    ...chunksOf(leaving, movesPerBatch).map((ids) => ({ entering: [], leaving: ids })),
  ];
}

/** Contacts `c` who come in or leave; null when nobody does. */
interface Moves {
  entering: SQL | null;
  leaving: SQL | null;
}

/** Of those that were read: who is there still, and is no member, or is one, by now. */
function movesOf(ctx: Context, segmentId: string, { entering, leaving }: Moving): Moves {
  const among = (ids: string[]) =>
    sql`FROM json_each(${JSON.stringify(ids)}) r CROSS JOIN contacts c ON c.id = r.value AND +c.project_id = ${ctx.project.id}`;
  const isMember = sql`EXISTS (SELECT 1 FROM segment_members m
    WHERE m.project_id = c.project_id AND m.segment_id = ${segmentId} AND m.contact_id = c.id)`;
  return {
    entering: entering.length === 0 ? null : sql`${among(entering)} WHERE NOT ${isMember}`,
    leaving: leaving.length === 0 ? null : sql`${among(leaving)} WHERE ${isMember}`,
  };
}

/** The events of the moves, which go before these: they ask who is a member. */
function tell(ctx: Context, segment: Dynamic, { entering, leaving }: Moves): D1PreparedStatement[] {
  const { entry, exit } = membershipEvents(segment);
  const at = ctx.clock().getTime();
  const data = JSON.stringify({ segmentId: segment.id, segmentName: segment.name });
  return [[entry, entering] as const, [exit, leaving] as const].flatMap(([name, who]) =>
    who === null
      ? []
      : recordEvents(ctx.db, {
          rows: sql`SELECT c.project_id, ${name} AS name, c.id AS contact_id, NULL AS email_id, ${data} AS data ${who}`,
          at,
        }),
  );
}

/** A row that is to go does so also when its contact is gone: else it would be found in every step. */
function move(ctx: Context, { id }: Dynamic, { leaving }: Moving, { entering }: Moves): D1PreparedStatement[] {
  const statements: D1PreparedStatement[] = [];
  if (entering) {
    const rows = sql`SELECT c.project_id, ${id}, c.id, ${ctx.clock().getTime()} ${entering}`;
    statements.push(
      statement(ctx.db, sql`INSERT INTO segment_members (project_id, segment_id, contact_id, created_at) ${rows}`),
    );
  }
  if (leaving.length > 0) {
    statements.push(
      statement(
        ctx.db,
        sql`DELETE FROM segment_members WHERE project_id = ${ctx.project.id} AND segment_id = ${id}
          AND contact_id IN (SELECT value FROM json_each(${JSON.stringify(leaving)}))`,
      ),
    );
  }
  return statements;
}

/** The job's result with this step in it, for before the change. */
function countedIn({ entering, leaving }: Moves, total: number): SQL {
  const sum = (name: string, who: SQL | null) =>
    sql`coalesce(json_extract(result, ${`$.${name}`}), 0) + ${who ? sql`(SELECT count(*) ${who})` : sql`0`}`;
  return sql`json_object('added', ${sum("added", entering)}, 'removed', ${sum("removed", leaving)}, 'total', ${total})`;
}

/** What counts the members need not count these again. */
function noteComputed(ctx: Context, { segment, at, of, matching }: Walk): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`UPDATE segments SET member_count = ${matching}, counted_at = ${at}, counted_of = ${of}, computed_at = ${at},
        computed_of = ${of}
      WHERE project_id = ${ctx.project.id} AND id = ${segment.id}`,
  );
}
