import { type SQL, sql } from "drizzle-orm";
import type { Message } from "../../core/mail/message";
import { ended } from "../../core/mail/outcome";
import { statement } from "../../db/commit";
import type { EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { commitAndAnnounce } from "../events/announce";
import { leaseMs } from "./claim";
import { reportStatements } from "./report";
import { type Result, resultStatements } from "./results";
import { contactGone, whyWithheld } from "./withhold";

/** An email that is composed and about to be handed over. */
export interface Ready {
  email: EmailRow;
  message: Message;
}

/**
 * One batch between two rounds of provider calls: writes down how the last round went, withholds what may not go out,
 * and marks the rest of the next one as handed. So at most one round is ever uncertain, whenever this worker dies, and
 * who opts out is asked at the last moment. Returns the ids that may be handed over: those whose claim still holds.
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
    ...(next.length > 0
      ? [...cancel(ctx, claim, next, at), ...withhold(ctx, claim, next, at), handOver(ctx, claim, next, at)]
      : []),
  ];
  if (statements.length === 0) return new Set();
  const rows = await commitAndAnnounce(ctx, statements);
  return new Set(next.length > 0 ? rows.at(-1)?.map((row) => String(row.id)) : []);
}

/**
 * The tenant condition on `e`, kept out of the planner's sight: it would walk every email of the project and look each
 * one up in the list, where the ids of the list lead straight to their rows.
 */
function ofProject(ctx: Context): SQL {
  return sql`+e.project_id = ${ctx.project.id}`;
}

/** Those whose contacts were deleted since. */
function cancel(ctx: Context, claim: string, next: Ready[], at: number): D1PreparedStatement[] {
  const results = next.map(({ email }) => ({
    emailId: email.id,
    ...ended("CANCELLED", contactGone, email.uncertainSince),
  }));
  const isGone = sql`NOT EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = ${ctx.project.id} AND c.id = e.contact_id)`;
  return resultStatements(ctx.db, { results, where: sql`${isReady(ctx, claim)} AND ${isGone}`, at });
}

/** Those whose recipients have left since: a claim may be minutes old, and a complaint may be among its results. */
function withhold(ctx: Context, claim: string, next: Ready[], at: number): D1PreparedStatement[] {
  const results = next.map(({ email }) => ({ emailId: email.id, ...ended("SUPPRESSED", "", email.uncertainSince) }));
  const optedOutAt = sql`(SELECT c.opted_out_at FROM contacts c WHERE c.project_id = ${ctx.project.id}
    AND c.id = e.contact_id)`;
  const error = whyWithheld(ctx, { type: sql`e.type`, email: sql`e.to_email`, optedOutAt });
  const where = sql`${isReady(ctx, claim)} AND ${error} IS NOT NULL`;
  return resultStatements(ctx.db, { results, where, at, error });
}

function isReady(ctx: Context, claim: string): SQL {
  return sql`${ofProject(ctx)} AND e.claim = ${claim} AND e.status = 'SENDING'`;
}

function handOver(ctx: Context, claim: string, next: Ready[], at: number): D1PreparedStatement {
  const items = JSON.stringify(next.map(({ email, message }) => ({ emailId: email.id, subject: message.subject })));
  return statement(
    ctx.db,
    sql`UPDATE emails AS e SET handed_at = ${at}, lease_until = ${at + leaseMs}, provider = ${ctx.mailer.name},
        attempts = attempts + 1, subject = r.value->>'subject'
      FROM json_each(${items}) r
      WHERE e.id = r.value->>'emailId' AND ${isReady(ctx, claim)}
      RETURNING id`,
  );
}
