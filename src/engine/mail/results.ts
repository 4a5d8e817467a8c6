import { type SQL, sql } from "drizzle-orm";
import type { Outcome } from "../../core/mail/outcome";
import type { Db } from "../../db/client";
import { statement } from "../../db/commit";
import { emailEvents } from "../events/email-events";
import { giveBackUsage } from "../projects/monthly-usage";
import { announceGraceMs } from "./announce";

/** What became of one email. */
export interface Result extends Outcome {
  emailId: string;
}

interface Written {
  results: (Result & { claim?: string })[];
  /** A condition on the email `e` and its item `r`. */
  where: SQL;
  at: number;
  /** The reason, where only the database knows it. */
  error?: SQL;
}

/**
 * The statements that write results down, for one batch: the events first and the usage given back, as both ask for
 * the state before the change; so a repeat adds nothing.
 */
export function resultStatements(
  db: Db,
  { results, where, at, error = sql`r.value->>'error'` }: Written,
): D1PreparedStatement[] {
  if (results.length === 0) return [];
  const made = results.map((result) => itemOf(result, at));
  const items = JSON.stringify(made);
  const isUnsent = results.some(({ status }) => status === "FAILED" || status === "SUPPRESSED");
  return [
    ...(made.some(({ event }) => event !== null) ? [emailEvents(db, { items, where, at })] : []),
    ...(isUnsent ? [giveBackUsage(db, items, where)] : []),
    statement(
      db,
      sql`UPDATE emails AS e SET status = r.value->>'status', error = ${unlessErased(error)},
          provider_message_id = coalesce(r.value->>'providerMessageId', provider_message_id),
          sent_at = coalesce(r.value->>'sentAt', sent_at), uncertain_since = r.value->>'uncertainSince',
          next_attempt_at = r.value->>'retryAt', next_announce_at = r.value->>'announceAt',
          lease_until = NULL, handed_at = NULL
        FROM json_each(${items}) r
        WHERE e.id = r.value->>'emailId' AND ${where}`,
    ),
  ];
}

/** What a provider says may name its recipient. An address is only ever empty in an email whose contact was erased. */
function unlessErased(error: SQL): SQL {
  return sql`CASE WHEN e.to_email <> '' OR r.value->>'status' = 'CANCELLED' THEN ${error} END`;
}

function itemOf(result: Result & { claim?: string }, at: number) {
  const { emailId, claim, status, error, providerMessageId, retryAt, uncertainSince } = result;
  return {
    emailId,
    claim,
    status,
    error,
    providerMessageId,
    uncertainSince,
    retryAt,
    announceAt: retryAt === null ? null : retryAt + announceGraceMs,
    sentAt: status === "SENT" ? at : null,
    event: status === "SENT" ? "email.sent" : status === "FAILED" ? "email.failed" : null,
    eventData: status === "FAILED" ? { reason: error } : {},
  };
}
