import { sql } from "drizzle-orm";
import { z } from "zod";
import { commit, query } from "../../../db/commit";
import type { JobRow } from "../../../db/tables";
import { totalContacts } from "../../../engine/contacts/total";
import { endJob, goOn, type Step, stillAt } from "../../../engine/jobs/work";
import type { Context } from "../../../platform/context";
import { removeKey } from "./remove-key";

const contactsPerStep = 5_000;

const Input = z.object({ key: z.string() });

/** Contacts by id: those up to `after` have passed, and those behind `upTo` came after the call. */
const State = z.object({ after: z.string(), upTo: z.string(), passed: z.number() });

/** One step of a field's deletion: the next contacts by id. Only its own batch knows how many of them had the field. */
export async function continueDeletion(ctx: Context, row: JobRow): Promise<Step> {
  const { key } = Input.parse(row.input);
  const { after, upTo, passed } = State.parse(row.state);
  const [next] = await query(
    ctx.db,
    sql`SELECT count(*) AS contacts, max(id) AS last, ${totalContacts(ctx)} AS total
      FROM (SELECT id FROM contacts INDEXED BY ix_contacts_project_id
        WHERE project_id = ${ctx.project.id} AND id > ${after} AND id <= ${upTo} ORDER BY id LIMIT ${contactsPerStep})`,
  );
  if (next?.contacts === 0) {
    const result = row.result ?? { deletedFrom: 0 };
    await commit(ctx.db, [stillAt(ctx, row), endJob(ctx, row, { status: "completed", result })]);
    return "ended";
  }
  const state = { after: String(next?.last), upTo, passed: passed + Number(next?.contacts) };
  await commit(ctx.db, [
    stillAt(ctx, row),
    removeKey(ctx, key, ctx.clock(), sql`id > ${after} AND id <= ${state.after}`),
    goOn(ctx, row, state, (100 * state.passed) / Number(next?.total), {
      result: sql`json_object('deletedFrom', coalesce(result->>'deletedFrom', 0) + changes())`,
    }),
  ]);
  return "goes on";
}
