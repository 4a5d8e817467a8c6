import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { EmailStatus } from "../../../core/mail/status";
import { iso } from "../../../core/time";
import { asId, asNumber, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { selectFirst } from "../../../db/statement";
import type { CampaignRow } from "../../../db/tables";
import { campaignCancelled, contactGone, contactLeft, withheld } from "../../../engine/mail/withhold";
import type { Context } from "../../../platform/context";
import type { ReasonCode, Verdict } from "./schema";

const times = ["ended", "sent", "delivered", "opened", "clicked", "bounced", "complained"];
const lastChange: SQL = sql.raw(`max(created_at, ${times.map((time) => `coalesce(${time}_at, 0)`).join(", ")})`);

const readEmail = columns({
  id: asId,
  contactId: asId,
  toEmail: asText,
  status: asOneOf<EmailStatus>(),
  error: orNull(asText),
  at: asNumber,
});
type LedgerEmail = ReturnType<typeof readEmail>;

/** Returns the email of a contact in a campaign's ledger; null when it has none. */
export function findLedgerEmail(ctx: Context, campaignId: Id, contactId: Id): Promise<LedgerEmail | null> {
  return selectFirst(
    ctx.db,
    sql`SELECT id, contact_id, to_email, status, error, ${lastChange} AS at FROM emails INDEXED BY ux_emails_contact
      WHERE ${inProject(ctx)} AND contact_id = ${contactId} AND campaign_id = ${campaignId}`,
    readEmail,
  );
}

/** Returns the verdict on an email of the ledger. */
export function verdictOfEmail({ heldReason }: CampaignRow, email: LedgerEmail): Verdict {
  const { status, error, at } = email;
  const { outcome, code, message } = verdicts[status];
  const isHeld = outcome === "WAITING" && heldReason !== null;
  const reason = isHeld
    ? { code: "held" as const, message: `The campaign is held: ${heldReason}` }
    : { code: (error !== null && codes[error]) || code, message: error ?? message };
  return { inAudience: true, outcome, reasons: [reason], basis: "EMAIL", asOf: iso(at) };
}

type StatusVerdict = Pick<Verdict, "outcome"> & { code: ReasonCode; message: string };

const waiting: StatusVerdict = { outcome: "WAITING", code: "waiting", message: "The email waits to be sent" };
const sent = (code: ReasonCode, message: string): StatusVerdict => ({ outcome: "SENT", code, message });
const notSent = (code: ReasonCode, message: string): StatusVerdict => ({ outcome: "WITHHELD", code, message });

const verdicts: Record<EmailStatus, StatusVerdict> = {
  QUEUED: waiting,
  SENDING: waiting,
  SENT: sent("sent", "The provider accepted the email"),
  DELIVERED: sent("delivered", "The email was delivered"),
  OPENED: sent("opened", "The email was opened"),
  CLICKED: sent("clicked", "A link of the email was clicked"),
  BOUNCED: sent("bounced", "The email bounced"),
  COMPLAINED: sent("complained", "The recipient reported the email as spam"),
  UNKNOWN: sent("unknown", "The provider may have accepted the email, but its answer was lost"),
  FAILED: notSent("failed", "The email could not be sent"),
  SUPPRESSED: notSent("suppressed", withheld.suppressed),
  CANCELLED: notSent("cancelled", "The email was cancelled"),
};

/** The reason codes for the errors of withheld emails. */
const codes: Record<string, ReasonCode> = {
  [withheld.suppressed]: "suppressed",
  [withheld.unsubscribed]: "unsubscribed",
  [withheld.leftTopic]: "topic",
  [contactLeft]: "unsubscribed",
  [contactGone]: "deleted",
  [campaignCancelled]: "cancelled",
};
