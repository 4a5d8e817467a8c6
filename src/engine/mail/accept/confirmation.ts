import { type SQL, sql } from "drizzle-orm";
import {
  type ConfirmationResult,
  confirmationsPerDay,
  confirmationsPerHour,
} from "../../../core/contacts/confirmation";
import { Conflict } from "../../../core/errors";
import { mayLearnIds } from "../../../core/idempotency";
import { firstIdAt, type Id, newIdAt } from "../../../core/ids";
import { domainOf } from "../../../core/mail/address";
import { UnverifiedSender } from "../../../core/mail/errors";
import { dayMs, hourMs, monthOf } from "../../../core/time";
import type { Warning } from "../../../core/warning";
import type { Batch } from "../../../db/batch";
import { asJson, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, selectFirst, statement } from "../../../db/statement";
import { templatesWithVersions } from "../../../db/templates";
import type { Context } from "../../../platform/context";
import { insertUsage, isWithinLimit } from "../../projects/monthly-usage";
import { announceEmails } from "../announce";
import { insertContentOf } from "./insert-content";
import { insertEmailsTo } from "./insert-emails";

/**
 * Double opt-in: `confirm: true` mails a link to a contact that is not subscribed. Everything is decided in the batch
 * that writes the contact, so concurrent calls cause one email. A row in `confirmations` is the claim to an email. A
 * batch that inserts no claim writes no mail, and the claims of earlier emails limit further ones. The claim has the id
 * of the mail, which contains the time of the request.
 */

/** The statements that a call with `confirm: true` adds to its batch. */
export interface AddedConfirmation {
  /** The result as SQL, for the answer that is stored with an idempotency key. */
  resultInSql: SQL;
  /** A warning as JSON, or NULL. Only the database knows whether the warning applies. */
  warningInSql: SQL;
  /** Must be called after the commit. Announces the mail, and adds the warning to the answer. */
  finish(): Promise<ConfirmationResult>;
}

/**
 * Adds the statements that mail the link. They must come after those that write the contact. Throws Conflict when the
 * project has no confirmation template. The batch throws Conflict when the template no longer exists, and
 * UnverifiedSender when the template's sender domain is not verified.
 */
export function addConfirmation(ctx: Context, batch: Batch, email: string): AddedConfirmation {
  const templateId = ctx.project.confirmationTemplateId;
  if (templateId === null) throw noTemplate("The project has no confirmation template.");
  const now = ctx.now.getTime();
  const asked: Asked = { email, emailId: newIdAt(now), contentId: newIdAt(now), templateId };
  const recipient = { emailId: asked.emailId, contactId: asked.emailId, email, written: email, name: null };
  const isMailed = sql`EXISTS (SELECT 1 FROM ${claimOf(ctx, asked)} AND NOT ${isWithheld(ctx)})`;
  batch.recognise(sql`EXISTS (SELECT 1 FROM ${claimOf(ctx, asked)})`);
  batch.add(insertClaim(ctx, asked));
  if (ctx.keyKind === "public") batch.add(upsertPublicCount(ctx, asked));
  // A person is not tracked before confirming.
  const content = { id: asked.contentId, templateId, recipients: 1, mayTrack: false };
  batch.add(insertContentOf(ctx, { ...content, confirmsIf: isMailed }));
  const mails = batch.add(insertEmailsTo(ctx, { contentId: asked.contentId, recipients: [recipient] }));
  batch.add(insertUsage(ctx, [recipient]));
  const isWritten = sql`EXISTS (SELECT 1 FROM emails WHERE ${inProject(ctx)} AND id = ${asked.emailId})`;
  batch.guard(sql`NOT ${isMailed} OR ${isWritten}`, () => refusal(ctx, templateId));
  const outcome = selectOutcome(ctx, asked);
  const found = batch.add(
    statement(outcome, columns({ result: asOneOf<ConfirmationResult>(), warning: orNull(asJson<Warning>()) })),
  );
  return {
    resultInSql: sql`(SELECT result FROM (${outcome}))`,
    warningInSql: sql`(SELECT warning FROM (${outcome}))`,
    async finish() {
      await announceEmails(ctx, mails.all);
      const { result, warning } = found.one;
      if (warning !== null) ctx.warnings.push(warning);
      return result;
    },
  };
}

interface Asked {
  email: string;
  /** The id of the mail, and of the claim. */
  emailId: Id;
  contentId: Id;
  templateId: Id;
}

/** Selects the claim of this call together with its contact `c`. */
function claimOf(ctx: Context, { email, emailId }: Asked): SQL {
  return sql`contacts c CROSS JOIN confirmations k
    ON k.project_id = c.project_id AND k.contact_id = c.id AND k.id = ${emailId}
    WHERE ${inProject(ctx, "c")} AND c.email = ${email}`;
}

/**
 * Whether the contact `c` must get no confirmation mail, because its address is suppressed (for example after a
 * complaint), or because the person had opted out before being erased. If a contact is created again after an erasure,
 * its opt-out is older than the contact.
 */
function isWithheld(ctx: Context): SQL {
  return sql`(EXISTS (SELECT 1 FROM suppressions s WHERE ${inProject(ctx, "s")} AND s.email = c.email)
    OR (c.opted_out_by IS 'PERSON' AND c.opted_out_at < c.created_at))`;
}

/**
 * Claims the mail if the limits allow it. In a call with a public key, an address that must get no mail is claimed as
 * well, so that the answers do not reveal such addresses.
 */
function insertClaim(ctx: Context, { email, emailId }: Asked): Statement {
  const now = ctx.now.getTime();
  const mailsSince = (time: number) => sql`(SELECT count(*) FROM confirmations k
    WHERE k.project_id = c.project_id AND k.contact_id = c.id AND k.id >= ${firstIdAt(time + 1)})`;
  const conditions = [
    sql`NOT c.subscribed`,
    sql`${mailsSince(now - hourMs)} < ${confirmationsPerHour}`,
    sql`${mailsSince(now - dayMs)} < ${confirmationsPerDay}`,
    sql`NOT ${isMonthUsedUp(ctx)}`,
    ctx.keyKind === "public" ? sql`NOT ${isHourUsedUp(ctx)}` : sql`NOT ${isWithheld(ctx)}`,
  ];
  return statement(
    sql`INSERT INTO confirmations (project_id, contact_id, id, email)
      SELECT c.project_id, c.id, ${emailId}, c.email FROM contacts c
      WHERE ${inProject(ctx, "c")} AND c.email = ${email} AND ${sql.join(conditions, sql` AND `)}`,
  );
}

/** Whether one more mail would exceed the project's monthly limit. */
function isMonthUsedUp(ctx: Context): SQL {
  const { monthlySendLimit } = ctx.project;
  return monthlySendLimit === null
    ? sql`false`
    : sql`(NOT ${isWithinLimit(ctx, monthOf(ctx.now), monthlySendLimit - 1)})`;
}

function hourOf(ctx: Context): number {
  return Math.floor(ctx.now.getTime() / hourMs);
}

/**
 * Whether the project's hourly limit for calls with public keys is used up. Clocks of machines differ slightly, so a
 * count that is stored for a later hour also counts for the current one.
 */
function isHourUsedUp(ctx: Context): SQL {
  return sql`(${ctx.config.publicConfirmationsPerHour} = 0 OR EXISTS (SELECT 1 FROM project_counts p
    WHERE ${inProject(ctx, "p")} AND p.confirmation_hour >= ${hourOf(ctx)}
      AND p.confirmations >= ${ctx.config.publicConfirmationsPerHour}))`;
}

function upsertPublicCount(ctx: Context, asked: Asked): Statement {
  return statement(
    sql`INSERT INTO project_counts (project_id, confirmation_hour, confirmations)
      SELECT c.project_id, ${hourOf(ctx)}, 1 FROM ${claimOf(ctx, asked)}
      ON CONFLICT DO UPDATE SET
        confirmations = iif(project_counts.confirmation_hour >= excluded.confirmation_hour, project_counts.confirmations, 0) + 1,
        confirmation_hour = max(project_counts.confirmation_hour, excluded.confirmation_hour)`,
  );
}

/** Selects the outcome of the call. Calls with a public key do not learn why a contact gets no mail. */
function selectOutcome(ctx: Context, asked: Asked): SQL {
  const isClaimed = sql`EXISTS (SELECT 1 FROM ${claimOf(ctx, asked)})`;
  const why =
    ctx.keyKind === "public"
      ? sql`NULL`
      : sql`CASE WHEN c.subscribed OR ${isClaimed} THEN NULL WHEN ${isWithheld(ctx)} THEN ${JSON.stringify(withheld)}
          WHEN ${isMonthUsedUp(ctx)} THEN ${JSON.stringify(monthUsedUp)} END`;
  // A caller that must not learn which contacts exist gets the same answer for every address.
  const unclaimed = mayLearnIds(ctx)
    ? sql`WHEN c.subscribed THEN 'already' ELSE 'throttled'`
    : sql`WHEN ${isHourUsedUp(ctx)} OR ${isMonthUsedUp(ctx)} THEN 'throttled' ELSE 'sent'`;
  return sql`SELECT CASE WHEN ${isClaimed} THEN 'sent' ${unclaimed} END AS result,
      ${why} AS warning
    FROM contacts c WHERE ${inProject(ctx, "c")} AND c.email = ${asked.email}`;
}

const withheld: Warning = {
  field: "confirm",
  message:
    "No confirmation mail was sent: this address is suppressed, or its owner had unsubscribed before being erased.",
};

const monthUsedUp: Warning = {
  field: "confirm",
  message: "No confirmation mail was sent, because the project's monthly limit of emails is used up.",
};

/** Returns the error that says why the mail could not be written. */
async function refusal(ctx: Context, templateId: Id): Promise<Conflict | UnverifiedSender> {
  const template = await selectFirst(
    ctx.db,
    sql`SELECT v.from_email FROM ${templatesWithVersions} WHERE ${inProject(ctx, "t")} AND t.id = ${templateId}`,
    columns({ fromEmail: asText }),
  );
  return template
    ? new UnverifiedSender(domainOf(template.fromEmail))
    : noTemplate("The confirmation template of the project no longer exists.");
}

function noTemplate(message: string): Conflict {
  return new Conflict(message, {
    suggestion:
      "Have the operator name one with PATCH /admin/projects/{id} { confirmationTemplateId }, or leave out confirm.",
  });
}
