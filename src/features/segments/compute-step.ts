import { type SQL, sql } from "drizzle-orm";
import { membershipEvents } from "../../core/segments/slug";
import { statement } from "../../db/commit";
import type { Context } from "../../platform/context";
import { recordEvents } from "../events/record";
import type { JobRow } from "../jobs/job";
import type { Step } from "../jobs/work";
import type { Walk } from "./walk";
import { Input, walkStep } from "./walk-step";

/** As many as may all come in at once, in some 200 ms: each is a member row, and an event with its indexes and counts. */
const contactsPerStep = 5_000;

/**
 * One step of a computation. First it reads which of the next contacts are to come in and which to leave, then one batch
 * makes it so, each with its event. The batch asks again who is a member: so an event is there if and only if its change
 * is, however often a step comes, and whatever else changes members meanwhile.
 */
export function computeStep(ctx: Context, row: JobRow): Promise<Step> {
  return walkStep(ctx, row, {
    contacts: contactsPerStep,
    onlyTracked: true,
    column: sql`${isMember(Input.parse(row.input).segmentId)} AS is_member`,
    figures: sql`json_group_array(id) FILTER (WHERE matches AND NOT is_member) AS entering,
      json_group_array(id) FILTER (WHERE is_member AND NOT matches) AS leaving`,
    write({ walk, found }, { silent }) {
      const moves = movesOf(ctx, walk, String(found.entering), String(found.leaving));
      return {
        result: countedIn(moves, walk.matching),
        changes: change(ctx, walk, moves, { silent }),
        last: noteComputed(ctx, walk),
      };
    },
  });
}

function isMember(segmentId: string): SQL {
  return sql`EXISTS (SELECT 1 FROM segment_members m
    WHERE m.project_id = c.project_id AND m.segment_id = ${segmentId} AND m.contact_id = c.id)`;
}

/** Contacts `c` who come in or leave; null when nobody does. */
interface Moves {
  entering: SQL | null;
  leaving: SQL | null;
}

/** Of those that were read, whose ids are JSON arrays: who is there still, and is no member, or is one, by now. */
function movesOf(ctx: Context, { segment }: Walk, entering: string, leaving: string): Moves {
  const among = (ids: string) =>
    sql`FROM json_each(${ids}) r CROSS JOIN contacts c ON c.id = r.value AND +c.project_id = ${ctx.project.id}`;
  return {
    entering: entering === "[]" ? null : sql`${among(entering)} WHERE NOT ${isMember(segment.id)}`,
    leaving: leaving === "[]" ? null : sql`${among(leaving)} WHERE ${isMember(segment.id)}`,
  };
}

/** Events first: they ask who is a member. */
function change(
  ctx: Context,
  { segment }: Walk,
  { entering, leaving }: Moves,
  { silent }: { silent: boolean },
): D1PreparedStatement[] {
  const at = ctx.clock().getTime();
  const data = JSON.stringify({ segmentId: segment.id, segmentName: segment.name });
  const tell = (name: string, who: SQL) =>
    recordEvents(ctx.db, {
      rows: sql`SELECT c.project_id, ${name} AS name, c.id AS contact_id, NULL AS email_id, ${data} AS data ${who}`,
      at,
    });
  const { entry, exit } = membershipEvents(segment);
  const statements: D1PreparedStatement[] = [];
  if (entering && !silent) statements.push(tell(entry, entering));
  if (leaving && !silent) statements.push(tell(exit, leaving));
  if (entering) {
    const rows = sql`SELECT c.project_id, ${segment.id}, c.id, ${at} ${entering}`;
    statements.push(
      statement(ctx.db, sql`INSERT INTO segment_members (project_id, segment_id, contact_id, created_at) ${rows}`),
    );
  }
  if (leaving) {
    statements.push(
      statement(
        ctx.db,
        sql`DELETE FROM segment_members WHERE project_id = ${ctx.project.id} AND segment_id = ${segment.id}
          AND contact_id IN (SELECT c.id ${leaving})`,
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
