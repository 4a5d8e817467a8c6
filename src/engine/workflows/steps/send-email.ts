import { type SQL, sql } from "drizzle-orm";
import { chunksOfBytes } from "../../../core/chunks";
import { type Id, newIdAt, publicId } from "../../../core/ids";
import type { EmailStatus, EmailType } from "../../../core/mail/status";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { storedValues } from "../../../core/workflows/run-variables";
import { openBatch } from "../../../db/batch";
import { asFlag, asId, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { domainInSql, verifiedDomain } from "../../../db/sender-domain";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { contentSource, insertContentOf } from "../../mail/accept/insert-content";
import { type InsertedEmail, insertEmailsReturning } from "../../mail/accept/insert-emails";
import { isInItsTopic, wantsMail } from "../../mail/accept/wanted";
import { announceEmails } from "../../mail/announce";
import { type KindOfMail, whyWithheld } from "../../mail/withhold";
import { insertUsage, monthIsOver } from "../../projects/monthly-usage";
import { isMarketingPaused } from "../../projects/sending-paused";
import { type Arrival, effectIdOf } from "./arrival";
import type { StepEffect } from "./effect";
import { later, noTemplate, recipientOf, templateOf, whyRefused } from "./mail-of-step";
import {
  isPublicMail,
  lastOfDay,
  mayBeMailed,
  numbered,
  upsertPublicMails,
  waitsForLimit,
  withoutPublicLinks,
} from "./public-mail";
import { simulateEmail } from "./simulate-email";

export const sendEmail = { run: sendStepEmails, simulate: simulateEmail } satisfies StepEffect<"SEND_EMAIL">;

/** An email that an execution should send, unless it was sent already. */
interface Wanted {
  emailId: Id;
  effectId: string;
  contactId: Id;
  /** The step's custom address, which replaces the contact's; null if the step has none. */
  to: string | null;
  written: string | null;
  values: ReturnType<typeof storedValues>;
  causes: string[];
  /** Whether events sent with a public key caused the email. */
  isPublic: boolean;
  /** Whether an event of any source caused the email. */
  isByEvent: boolean;
}

/** The maximum total size of the execution values that one batch carries, in bytes. */
const maxBytes = 1_000_000;

/**
 * Accepts the emails of a group of executions: one content row for all, and one email for each execution that has none
 * for this step yet. The unique `effect_id` prevents a second email. Outcomes are read from the rows at the end of the
 * batch, so a repeat returns the same outcomes.
 */
async function sendStepEmails(given: Context, arrivals: Arrival<"SEND_EMAIL">[]): Promise<StepOutcome[]> {
  const [first] = arrivals;
  if (!first) return [];
  // No request is being answered here, so links use the origin at which the workflow was saved.
  const ctx = { ...given, now: given.clock(), origin: first.workflow.linkBase ?? given.origin };
  const template = templateOf(first.step);
  if (template === null) return arrivals.map(() => noTemplate);
  if (ctx.project.disabled) return arrivals.map(() => later(ctx, "The project is disabled"));
  const isPaused = await isMarketingPaused(ctx, ctx.project);
  const wanted = arrivals.map((arrival) => wantedBy(ctx, arrival));
  const outcomes: StepOutcome[] = [];
  for (const group of chunksOfBytes(wanted, maxBytes, (one) => JSON.stringify(one))) {
    outcomes.push(...(await acceptGroup(ctx, group, template, isPaused)));
  }
  return outcomes;
}

function wantedBy(ctx: Context, arrival: Arrival<"SEND_EMAIL">): Wanted {
  const { contactId, step, scope, isPublic, causes } = arrival;
  return {
    emailId: newIdAt(ctx.now.getTime()),
    effectId: effectIdOf(arrival),
    contactId,
    ...recipientOf(step.config),
    values: storedValues(withoutPublicLinks(scope)),
    isPublic,
    isByEvent: scope.event !== null,
    causes,
  };
}

async function acceptGroup(ctx: Context, group: Wanted[], template: Id, isPaused: boolean): Promise<StepOutcome[]> {
  const contentId = newIdAt(ctx.now.getTime());
  const keys = JSON.stringify(
    group.map(({ effectId, contactId, to, isPublic, isByEvent }) => ({ effectId, contactId, to, isPublic, isByEvent })),
  );
  const mayBePublic = group.filter(({ isPublic, isByEvent }) => isPublic || isByEvent);
  const mail = { type: sql`v.type`, topicId: sql`template.topic_id` };
  const unsent = sql`(SELECT count(*) FROM ${unsentOf(ctx, keys, mail)})`;
  const batch = openBatch(ctx);
  // If the content row is missing, nothing was written, and a second run writes what the first would have written.
  batch.recognise(sql`EXISTS (SELECT 1 FROM email_contents WHERE ${inProject(ctx)} AND id = ${contentId})`);
  batch.add(
    insertContentOf(ctx, {
      id: contentId,
      templateId: template,
      recipients: unsent,
      onlyIf: sql`${unsent} > 0 ${isPaused ? sql`AND v.type <> 'MARKETING'` : sql``}`,
    }),
  );
  const accepted = batch.add(insertWanted(ctx, group, contentId));
  batch.add(
    insertUsage(
      ctx,
      group.map(({ emailId }) => ({ emailId })),
    ),
  );
  if (mayBePublic.length > 0) batch.add(upsertPublicMails(ctx, mayBePublic));
  const found = batch.add(selectSent(ctx, keys, template));
  await batch.commit();
  await announceEmails(
    ctx,
    accepted.all.filter(({ isQueued }) => isQueued),
  );
  return found.all.map((one) => outcomeOf(ctx, one, isPaused));
}

/** Selects the items `r` that have no email yet and whose contacts `c` may get mail of this type and topic. */
function unsentOf(ctx: Context, items: string, mail: KindOfMail): SQL {
  return sql`${numbered(ctx, items)} r
    CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>'contactId' AND ${wantsMail(mail)}
    WHERE NOT EXISTS (SELECT 1 FROM emails sent INDEXED BY ux_emails_effect
      WHERE ${inProject(ctx, "sent")} AND sent.effect_id = r.value->>'effectId') AND ${mayBeMailed(ctx)}`;
}

function insertWanted(ctx: Context, group: Wanted[], contentId: Id): Statement<InsertedEmail> {
  const to = sql`coalesce(r.value->>'to', c.email)`;
  const mail = { type: sql`content.type`, topicId: sql`content.topic_id` };
  const ids = group.map(({ emailId }) => emailId);
  return insertEmailsReturning(ctx, ids, {
    source: "WORKFLOW",
    at: ctx.now,
    more: {
      effectId: sql`effect_id`,
      toWritten: sql`nullif(written, to_email)`,
      ownData: sql`own_data`,
      causes: sql`causes`,
      isPublic: sql`is_public`,
    },
    from: sql`SELECT r.value->>'emailId' AS id, content.id AS content_id, r.value->>'effectId' AS effect_id, c.id AS contact_id,
        ${to} AS to_email, r.value->>'written' AS written, nullif(r.value->'values', 'null') AS own_data,
        r.value->'causes' AS causes, r.is_public AND r.value->>'to' IS NULL AS is_public, content.type AS type,
        ${whyWithheld(ctx, mail, { email: to })} AS reason
      FROM email_contents content CROSS JOIN ${unsentOf(ctx, JSON.stringify(group), mail)}
        AND ${inProject(ctx, "content")} AND content.id = ${contentId}`,
  });
}

const readSent = columns({
  emailId: orNull(asId),
  status: orNull(asOneOf<EmailStatus>()),
  error: orNull(asText),
  isThere: asFlag,
  isSubscribed: orNull(asFlag),
  isInTopic: orNull(asFlag),
  /** Null if the template does not exist. */
  type: orNull(asOneOf<EmailType>()),
  fromEmail: orNull(asText),
  isVerified: asFlag,
  isPublic: asFlag,
  /** The id of the contact's last public email within a day, if the contact is limited to one a day. */
  lastOfDay: orNull(asId),
});
type Sent = ReturnType<typeof readSent>;

/** Selects the state of each item at the end of the batch, in the order of the items. */
function selectSent(ctx: Context, items: string, template: Id): Statement<Sent> {
  return statement(
    sql`SELECT e.id AS email_id, e.status, e.error, c.id IS NOT NULL AS is_there, c.subscribed AS is_subscribed,
        ${isInItsTopic(sql`template.topic_id`)} AS is_in_topic, v.type, v.from_email,
        EXISTS (${verifiedDomain(ctx, domainInSql(sql`v.from_email`))}) AS is_verified,
        coalesce(${isPublicMail}, false) AS is_public,
        iif(r.value->>'to' IS NULL, ${lastOfDay(ctx)}, NULL) AS last_of_day
      FROM json_each(${items}) r
        LEFT JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>'contactId'
        LEFT JOIN emails e INDEXED BY ux_emails_effect
          ON ${inProject(ctx, "e")} AND e.effect_id = r.value->>'effectId'
        LEFT JOIN (${contentSource(ctx, template)}) ON true
      ORDER BY r.key`,
    readSent,
  );
}

function outcomeOf(ctx: Context, found: Sent, isPaused: boolean): StepOutcome {
  const { emailId, status, error, isPublic } = found;
  if (emailId !== null) {
    const output = { emailId: publicId(emailId) };
    const isWithheld = status === "SUPPRESSED" || (status === "FAILED" && error === monthIsOver);
    return { kind: "done", output, ...(isWithheld && error !== null && { skipped: error }) };
  }
  const refused = whyRefused(ctx, found, isPaused);
  if (refused === null && isPublic) return waitsForLimit(ctx, found.lastOfDay);
  if (refused === null) throw new Error("An email of a workflow was neither written nor refused");
  return refused;
}
