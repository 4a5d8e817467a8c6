import { type SQL, sql } from "drizzle-orm";
import type { Message } from "../../core/mail/message";
import { commit, statement } from "../../db/commit";
import type { Context } from "../../platform/context";
import { reportStatements } from "../delivery/report";
import { type EmailRow, leaseMs } from "./claim";
import { type Result, resultStatements } from "./results";

/** An email that is composed and about to be handed over. */
export interface Ready {
  email: EmailRow;
  message: Message;
}

/**
 * One batch between two rounds of provider calls: writes down how the last round went, and marks the next one as
 * handed. So at most one round is ever uncertain, whenever this worker dies. Returns the ids that may be handed over:
 * those whose claim still holds.
 */
export async function recordAndHand(
  ctx: Context,
  claim: string,
  results: Result[],
  next: Ready[],
): Promise<Set<string>> {
  const at = ctx.clock().getTime();
  // A claim that still stands in a row the sweep has turned back says that nobody took it since: what we know counts.
  const isMine = sql`${ofProject(ctx)} AND e.claim = ${claim} AND e.status IN ('SENDING', 'QUEUED', 'UNKNOWN')`;
  const statements = [
    ...resultStatements(ctx.db, { results, where: isMine, at }),
    ...results.flatMap(({ emailId, reports }) =>
      reports.flatMap((report) => reportStatements(ctx, emailId, report, ctx.mailer.name)),
    ),
    ...(next.length > 0 ? [handOver(ctx, claim, next, at)] : []),
  ];
  if (statements.length === 0) return new Set();
  const rows = await commit(ctx.db, statements);
  return new Set(next.length > 0 ? rows.at(-1)?.map((row) => String(row.id)) : []);
}

/**
 * The tenant condition on `e`, kept out of the planner's sight: it would walk every email of the project and look each
 * one up in the list, where the ids of the list lead straight to their rows.
 */
function ofProject(ctx: Context): SQL {
  return sql`+e.project_id = ${ctx.project.id}`;
}

function handOver(ctx: Context, claim: string, next: Ready[], at: number): D1PreparedStatement {
  const items = JSON.stringify(next.map(({ email, message }) => ({ emailId: email.id, subject: message.subject })));
  return statement(
    ctx.db,
    sql`UPDATE emails AS e SET handed_at = ${at}, lease_until = ${at + leaseMs}, provider = ${ctx.mailer.name},
        attempts = attempts + 1, subject = r.value->>'subject'
      FROM json_each(${items}) r
      WHERE e.id = r.value->>'emailId' AND ${ofProject(ctx)} AND e.claim = ${claim}
        AND e.status = 'SENDING'
      RETURNING id`,
  );
}
