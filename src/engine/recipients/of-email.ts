import { type SQL, sql } from "drizzle-orm";
import type { Reason, ReasonCode, RecipientVerdict } from "../../core/campaigns/verdict";
import type { Id } from "../../core/ids";
import type { EmailStatus } from "../../core/mail/status";
import { isWhyUnrendered } from "../../core/templating/errors";
import { iso } from "../../core/time";
import { asFlag, asId, asNumber, asOneOf, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";
import { failures } from "../mail/failures";
import { campaignCancelled, contactGone, contactLeft, withheld } from "../mail/withhold";
import { monthIsOver } from "../projects/monthly-usage";

const times = ["ended", "sent", "delivered", "opened", "clicked", "bounced", "complained"];
const lastChange: SQL = sql.raw(`max(e.created_at, ${times.map((time) => `coalesce(e.${time}_at, 0)`).join(", ")})`);

const readEmail = columns({
  id: asId,
  contactId: asId,
  topicId: orNull(asId),
  heldReason: orNull(asText),
  toEmail: asText,
  status: asOneOf<EmailStatus>(),
  error: orNull(asText),
  awaitsCanary: asFlag,
  at: asNumber,
});

/** The facts about an email that determine its outcome. */
export type JudgedEmail = ReturnType<typeof readEmail>;

/** Matches the email `e` when it is in the part of its campaign that waits for the canary. */
function awaitsCanary(ctx: Context): SQL {
  return sql`(e.status = 'QUEUED' AND e.due_at IS NULL
    AND 'REST' IS (SELECT p.part FROM campaign_pages p WHERE ${inProject(ctx, "p")} AND p.campaign_id = e.campaign_id
      AND p.first_id <= e.id ORDER BY p.first_id DESC LIMIT 1)
    AND EXISTS (SELECT 1 FROM campaign_runs r WHERE ${inProject(ctx, "r")} AND r.id = e.campaign_id
      AND r.progress->>'canary' IS NOT NULL AND r.progress->>'isCanaryOver' IS NOT 1))`;
}

/** Returns the email of a campaign to a contact. Returns null when there is none. */
export async function findLedgerEmail(ctx: Context, campaignId: Id, contactId: Id): Promise<JudgedEmail | null> {
  const [email] = await findJudgedEmails(
    ctx,
    sql`INDEXED BY ux_emails_contact WHERE ${inProject(ctx, "e")} AND e.contact_id = ${contactId}
      AND e.campaign_id = ${campaignId}`,
  );
  return email ?? null;
}

/** Returns the emails `e` selected by `found`, which names an index and a condition. */
export function findJudgedEmails(ctx: Context, found: SQL): Promise<JudgedEmail[]> {
  return select(
    ctx.db,
    sql`SELECT e.id, e.contact_id, e.to_email, e.status, e.error, ${lastChange} AS at, ${awaitsCanary(ctx)} AS awaits_canary,
        (SELECT k.held_reason FROM campaigns k WHERE ${inProject(ctx, "k")} AND k.id = e.campaign_id) AS held_reason,
        (SELECT content.topic_id FROM email_contents content WHERE ${inProject(ctx, "content")}
          AND content.id = e.content_id) AS topic_id
      FROM emails e ${found}`,
    readEmail,
  );
}

/** Returns the verdict on an email of a campaign. */
export function verdictOfEmail(email: JudgedEmail): RecipientVerdict {
  const { outcome, ...reason } = verdictOfStatus(email);
  const reasons = [(outcome === "WAITING" && whyWaits(email)) || reason];
  return { inAudience: true, outcome, reasons, basis: "EMAIL", asOf: iso(email.at) };
}

export function whyHeld(heldReason: string): Reason {
  return { code: "held", message: `The campaign is held: ${heldReason}` };
}

function whyWaits({ heldReason, awaitsCanary }: JudgedEmail): Reason | null {
  if (heldReason !== null) return whyHeld(heldReason);
  if (!awaitsCanary) return null;
  return { code: "canary", message: "The email waits until the campaign's canary is sent and its hold is over" };
}

type StatusVerdict = Pick<RecipientVerdict, "outcome"> & Reason;

/** Returns the outcome of an email from any source. */
export function verdictOfStatus({ status, error }: Pick<JudgedEmail, "status" | "error">): StatusVerdict {
  const { outcome, code, message } = verdicts[status];
  const isUnsent = outcome !== "SENT" && error !== null;
  return { outcome, code: (isUnsent && codeOfError(error)) || code, message: error ?? message };
}

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

function codeOfError(error: string): ReasonCode | undefined {
  return codes[error] ?? (isWhyUnrendered(error) ? "rendering" : undefined);
}

/** The reason codes for the errors of emails that are waiting or were not sent. */
const codes: Record<string, ReasonCode> = {
  [withheld.suppressed]: "suppressed",
  [withheld.unsubscribed]: "unsubscribed",
  [withheld.leftTopic]: "topic",
  [contactLeft]: "unsubscribed",
  [contactGone]: "deleted",
  [campaignCancelled]: "cancelled",
  [failures.projectDisabled]: "project_disabled",
  [failures.domainGone]: "sender_domain",
  [failures.sendingPaused]: "sending_paused",
  [monthIsOver]: "monthly_limit",
};
