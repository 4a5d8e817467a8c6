import { type SQL, sql } from "drizzle-orm";
import { confirmationDays } from "../../../core/contacts/confirmation";
import { timeOf } from "../../../core/ids";
import { dayMs } from "../../../core/time";
import { asFlag, asNumber, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, selectFirst, statement } from "../../../db/statement";
import type { Recipient } from "../recipient";

/**
 * The state of the link in a confirmation mail. "open": the button confirms. "done": it was pressed before. "void": the
 * contact's address has changed since. "impossible": the address is suppressed.
 */
export type ConfirmState = "open" | "done" | "expired" | "void" | "impossible";

interface Request {
  email: string;
  confirmedAt: number | null;
  isSuppressed: boolean;
}

const readRequest = columns({ email: asText, confirmedAt: orNull(asNumber), isSuppressed: asFlag });

/** Selects the confirmation request that the link belongs to. */
export function selectRequest(recipient: Recipient): Statement<Request> {
  return statement(requestOf(recipient), readRequest);
}

export async function findRequest(recipient: Recipient): Promise<Request | null> {
  return selectFirst(recipient.ctx.db, requestOf(recipient), readRequest);
}

function requestOf({ ctx, contact, subject }: Recipient): SQL {
  return sql`SELECT k.email, k.confirmed_at, ${isSuppressed} AS is_suppressed FROM confirmations k
    WHERE ${inProject(ctx, "k")} AND k.contact_id = ${contact.id} AND k.id = ${subject.emailId}`;
}

/** Whether mail to the address of a request `k` is suppressed. */
export const isSuppressed: SQL = sql`EXISTS (SELECT 1 FROM suppressions s
  WHERE s.project_id = k.project_id AND s.email = k.email)`;

/**
 * Returns the state of a link. A changed address is checked first, because a page of this link must not show the new
 * address.
 */
export function stateOf({ ctx, contact, subject }: Recipient, request: Request): ConfirmState {
  if (request.email !== contact.email) return "void";
  if (request.confirmedAt !== null) return "done";
  if (timeOf(subject.emailId) + confirmationDays * dayMs <= ctx.now.getTime()) return "expired";
  return request.isSuppressed ? "impossible" : "open";
}
