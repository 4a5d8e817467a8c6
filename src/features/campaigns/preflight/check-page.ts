import { sql } from "drizzle-orm";
import { variantFor } from "../../../core/campaigns/draw";
import {
  count,
  maxFindings,
  maxHtmlBytes,
  note,
  type SkipReason,
  type Tally,
  warn,
} from "../../../core/campaigns/tally";
import type { Cpu } from "../../../core/cpu";
import { type Id, publicId } from "../../../core/ids";
import { type JsonObject, utf8Bytes } from "../../../core/json";
import { asWritten, flawsOf, maxFlawExamples } from "../../../core/mail/flaws";
import type { ContactSnapshot, Message } from "../../../core/mail/message";
import { Budget } from "../../../core/templating/budget";
import { RenderLimitError, TemplateRenderError, TemplateSyntaxError } from "../../../core/templating/errors";
import { missingVariables } from "../../../core/templating/missing";
import { templatesOf } from "../../../core/templating/render";
import { asFlag, asId, asJson, asNumber, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import type { CampaignRow, ContactRow, SuppressionRow } from "../../../db/tables";
import { wantsMail } from "../../../engine/mail/accept/wanted";
import { composeEmail } from "../../../engine/mail/deliver/compose";
import { variablesOf } from "../../../engine/mail/render";
import { whyWithheld, withheld } from "../../../engine/mail/withhold";
import type { Context } from "../../../platform/context";
import { openSlices } from "../../../platform/let-others-in";
import { accountOf, through } from "../../../platform/mailer/accounts";
import { type Check, type Checked, emailTo } from "./check";

/**
 * The result so far, to which a page adds: the findings, and how many emails remain of the month's quota. The quota is
 * null when there is no limit.
 */
export interface Found {
  tally: Tally;
  quota: number | null;
}

/**
 * Composes the mail of some contacts as it would be sent, and adds its findings. Does not change `before`. Stops when
 * the step's CPU is spent; `done` is the number of contacts checked, at least one.
 */
export async function checkPage(
  ctx: Context,
  check: Check,
  ids: Id[],
  before: Found,
  cpu: Cpu,
): Promise<Found & { done: number }> {
  const tally: Tally = structuredClone(before.tally);
  let { quota } = before;
  const slices = openSlices(cpu);
  for (const person of await readPeople(ctx, check.campaign, ids)) {
    const isFirst = tally.recipients === before.tally.recipients;
    if (!isFirst && cpu.isSpent()) return { tally, quota, done: person.ordinal };
    await slices.between();
    tally.recipients += 1;
    const reason = whySkipped(person, quota);
    if (reason !== null) count(tally.skipped, reason);
    else {
      quota = quota === null ? null : quota - 1;
      slices.spend(await checkMail(ctx, check, person, tally));
    }
  }
  return { tally, quota, done: ids.length };
}

/** The cost of searching for flaws, in units per character of HTML. */
const flawUnits = 2;

const readPerson = columns({
  /** The index of the contact among the given ids, from 0. */
  ordinal: asNumber,
  id: asId,
  email: asText,
  subscribed: asFlag,
  snoozedUntil: orNull(asNumber),
  confirmedAt: orNull(asNumber),
  source: asOneOf<ContactRow["source"]>(),
  isWanted: asFlag,
  withheld: orNull(asOneOf<(typeof withheld)[keyof typeof withheld]>()),
  suppressedFor: orNull(asOneOf<SuppressionRow["reason"]>()),
  data: orNull(asJson<JsonObject>()),
});
type Person = ReturnType<typeof readPerson>;

/**
 * Returns the contacts in the order of their ids, because their emails would be written in that order. Reads the data
 * only of contacts that would get mail.
 */
function readPeople(ctx: Context, { type, topicId }: CampaignRow, ids: Id[]): Promise<Person[]> {
  const why = whyWithheld(ctx, { type, topicId });
  return select(
    ctx.db,
    sql`SELECT asked.ordinal, c.id, c.email, c.subscribed, c.snoozed_until, c.confirmed_at, c.source, asked.is_wanted, asked.withheld,
        (SELECT s.reason FROM suppressions s WHERE s.project_id = c.project_id AND s.email = c.email) AS suppressed_for,
        iif(asked.is_wanted AND asked.withheld IS NULL, c.data, NULL) AS data
      FROM (SELECT r.key AS ordinal, c.id, ${wantsMail({ type, topicId })} AS is_wanted, ${why} AS withheld
          FROM json_each(${JSON.stringify(ids)}) r
          CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value) asked
        CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = asked.id
      ORDER BY asked.ordinal`,
    readPerson,
  );
}

/**
 * Returns why a contact gets no mail, or null. Follows the statements that write a campaign's emails: a contact that
 * does not want the mail gets no row, and a withheld email gets a row with the reason.
 */
function whySkipped(
  { subscribed, snoozedUntil, isWanted, withheld: error, suppressedFor }: Person,
  quota: number | null,
): SkipReason | null {
  if (!isWanted && subscribed) return "not_in_topic";
  if (!isWanted) return snoozedUntil === null ? "unsubscribed" : "snoozed";
  switch (error) {
    case withheld.suppressed:
      return `suppressed_${suppressedFor ?? "manual"}`;
    case withheld.unsubscribed:
      return "unsubscribed";
    case withheld.leftTopic:
      return "not_in_topic";
    case null:
      return quota !== null && quota <= 0 ? "monthly_limit" : null;
  }
}

/** Checks one email. Returns the cost of its computation, in units. */
async function checkMail(ctx: Context, check: Check, person: Person, tally: Tally): Promise<number> {
  const contactId = publicId(person.id);
  const contact: ContactSnapshot = { email: person.email, subscribed: person.subscribed, data: person.data ?? {} };
  const checked = contentFor(check, person.id);
  const email = emailTo(ctx, checked.content, person.id, contact);
  const fails = (message: string) => note(tally.renderErrors, message, contactId, maxFindings.renderErrors);
  // The budget limits the rendering. The search for flaws is only noted in the budget, so it does not reduce what the
  // rendering may use.
  const budget = new Budget();
  try {
    const composed = await composeEmail(asIfSent(ctx), check.delivery, email, budget);
    if ("status" in composed) fails(composed.error ?? "The mail cannot be composed");
    else {
      budget.note(composed.message.html.length * flawUnits);
      noteMail(composed.message, checked.content.body ?? "", person, tally);
    }
  } catch (error) {
    if (!isOfTemplate(error)) throw error;
    fails(error.message);
  }
  for (const variable of missingIn(checked, person.id, contact, budget))
    note(tally.missing, variable, contactId, maxFindings.missing);
  return budget.spent;
}

/**
 * Returns a context in which the project is enabled and its provider accepts marketing mail. Otherwise every email
 * would fail for the same reason. The result reports these two obstacles once for all mail, because both may be gone
 * when the campaign is sent.
 */
function asIfSent(ctx: Context): Context {
  const account = accountOf(ctx.accounts, "campaign");
  const mailer = { ...account.mailer, allowsMarketing: true };
  return { ...through(ctx, { ...account, mailer }), project: { ...ctx.project, disabled: false } };
}

function contentFor({ campaign, variants }: Check, contactId: Id): Checked {
  const weights = variants.map(({ weight }) => weight);
  const variant = variants[variantFor(weights, campaign.id, contactId)];
  if (!variant) throw new Error("A campaign has at least one content");
  return variant;
}

function missingIn(checked: Checked, contactId: Id, contact: ContactSnapshot, budget: Budget): string[] {
  const { content, links } = checked;
  try {
    // Parsed once for all recipients: with a large template, finding its variables takes longer than rendering it.
    checked.templates ??= templatesOf(content, budget);
    return missingVariables(
      checked.templates,
      variablesOf({ contactId, toName: null, source: "CAMPAIGN", ownData: null }, { content, contact, links }),
      budget,
    );
  } catch (error) {
    // If only this search exceeds the budget, the email itself is sound. A template that cannot be parsed is reported
    // elsewhere.
    if (!isOfTemplate(error)) throw error;
    return [];
  }
}

/** The maximum number of emails that are searched for examples of the same flaw. Each search reads the whole body. */
const mailsWithExamples = 50;

function noteMail({ type, html, headers }: Message, body: string, { source, confirmedAt }: Person, tally: Tally): void {
  tally.composed += 1;
  if (isLongerThan(html, maxHtmlBytes)) tally.clipped += 1;
  for (const [flaw, examples] of flawsOf(html)) {
    const isFull = (tally.examples[flaw]?.length ?? 0) >= maxFlawExamples;
    const isAsked = !isFull && (tally.warnings[flaw] ?? 0) < mailsWithExamples;
    warn(tally, flaw, isAsked ? examples.map((example) => asWritten(example, body)) : []);
  }
  if (type !== "TRANSACTIONAL" && !("List-Unsubscribe" in headers)) count(tally.warnings, "missing_unsubscribe_link");
  // This contact was created with a public key, and has not confirmed its address.
  if (source === "PUBLIC" && confirmedAt === null) count(tally.warnings, "public_source");
}

/**
 * Whether the text has more bytes than `bytes` in UTF-8. The number of characters decides most cases, because a
 * character has at most three bytes.
 */
function isLongerThan(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && utf8Bytes(text) > bytes);
}

function isOfTemplate(error: unknown): error is Error {
  return (
    error instanceof RenderLimitError || error instanceof TemplateRenderError || error instanceof TemplateSyntaxError
  );
}
