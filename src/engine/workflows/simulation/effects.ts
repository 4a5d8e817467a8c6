import { sql } from "drizzle-orm";
import { type Id, readId } from "../../../core/ids";
import { normalizeEmail } from "../../../core/mail/address";
import { breakLinksInData } from "../../../core/mail/break-links";
import type { EmailType } from "../../../core/mail/status";
import { renderPart, whyUnrendered } from "../../../core/templating/errors";
import { parseTemplate, renderTemplate } from "../../../core/templating/render";
import { branchesOf } from "../../../core/workflows/branches";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { asFlag, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { domainInSql, verifiedDomain } from "../../../db/sender-domain";
import { selectOne } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { contentSource } from "../../mail/accept/insert-content";
import { isInItsTopic } from "../../mail/accept/wanted";
import { whyWithheld } from "../../mail/withhold";
import { isMarketingPaused } from "../../projects/sending-paused";
import type { Arrival } from "../steps/arrival";
import { contactDeleted } from "../steps/condition";
import { ConditionTooLarge, decide } from "../steps/decide";
import { withoutPublicLinks } from "../steps/public-mail";
import { isUnrenderable, variablesOf } from "../steps/render-step";
import { whyRefused } from "../steps/send-email";
import type { EffectType } from "../steps/step-types";
import { planOf } from "../steps/update-contact";
import { happen, type SimulatedWorld, withData } from "./world";

type SimulatedEffect<T extends EffectType> = (
  ctx: Context,
  arrival: Arrival<T>,
  world: SimulatedWorld,
) => Promise<StepOutcome>;

/** The simulated effect of each type of step: records what the step would do, without doing it. */
export const simulatedEffects: { [T in EffectType]: SimulatedEffect<T> } = {
  SEND_EMAIL: noteMail,
  CONDITION: takeBranch,
  UPDATE_CONTACT: noteUpdate,
  WEBHOOK: async () => ({
    kind: "done",
    output: { statusCode: 200, success: true, response: "" },
    because: "Nothing was called: a simulation takes it as answered with 200",
  }),
};

const readTemplate = columns({
  type: orNull(asOneOf<EmailType>()),
  fromEmail: orNull(asText),
  subject: orNull(asText),
  isVerified: asFlag,
  isInTopic: orNull(asFlag),
  withheld: orNull(asText),
});

async function noteMail(ctx: Context, arrival: Arrival<"SEND_EMAIL">, world: SimulatedWorld): Promise<StepOutcome> {
  const { config, templateId } = arrival.step;
  const template = templateId ?? (config.templateId === undefined ? null : readId(config.templateId));
  if (template === null) return { kind: "failed", reason: "The step has no template" };
  const { contact } = world;
  const custom = config.recipient?.type === "CUSTOM" ? config.recipient.customEmail : null;
  const to = custom === null ? contact.email : (normalizeEmail(custom) ?? custom);
  const found = await findTemplate(ctx, world, template, to);
  const isPaused = await isMarketingPaused(ctx, ctx.project);
  const refused = whyRefused(ctx, { ...found, isThere: true, isSubscribed: contact.subscribed }, isPaused);
  if (refused) return refused;
  if (found.withheld !== null) return { kind: "done", skipped: found.withheld };
  try {
    const isStranger = contact.source === "PUBLIC" && contact.confirmedAt === null;
    const printed = isStranger ? { ...contact, data: breakLinksInData(contact.data) } : contact;
    const values = variablesOf(printed, withoutPublicLinks(arrival.scope));
    const subject = renderPart("subject", () =>
      renderTemplate(parseTemplate(found.subject ?? "", "text", world.budget), values, world.budget),
    );
    world.mails.push({ at: world.now, templateId: template, subject });
    return { kind: "done" };
  } catch (error) {
    if (!isUnrenderable(error)) throw error;
    return { kind: "failed", reason: whyUnrendered(error) };
  }
}

function findTemplate(ctx: Context, { contact }: SimulatedWorld, template: Id, to: string) {
  const mail = { type: sql`v.type`, topicId: sql`template.topic_id` };
  const withheld = whyWithheld(ctx, mail, { email: sql`${to}`, optedOutAt: sql`${contact.optedOutAt}` });
  return selectOne(
    ctx.db,
    sql`SELECT v.type, v.from_email, v.subject, EXISTS (${verifiedDomain(ctx, domainInSql(sql`v.from_email`))}) AS is_verified,
        ${isInItsTopic(mail.topicId)} AS is_in_topic, ${withheld} AS withheld
      FROM (SELECT ${ctx.project.number} AS project_id, ${contact.id} AS id) c
      LEFT JOIN (${contentSource(ctx, template)}) ON true`,
    readTemplate,
  );
}

async function takeBranch(ctx: Context, arrival: Arrival<"CONDITION">, world: SimulatedWorld): Promise<StepOutcome> {
  const { branches, otherwise } = branchesOf(arrival.step.config);
  const { contact, now } = world;
  const events = world.events.slice(0, world.happened).map(({ id, name }) => ({ id, name }));
  const asking = { contactId: contact.id, values: arrival.scope, instead: { contact, events } };
  const conditions = branches.map(({ condition }) => condition);
  try {
    const [decision] = await decide(ctx, conditions, [asking], new Date(now));
    if (decision === undefined || decision === "gone") return { kind: "cancelled", reason: contactDeleted };
    const branch = decision.first === null ? otherwise : (branches[decision.first]?.branch ?? otherwise);
    return { kind: "done", branch, output: { branch }, because: decision.because };
  } catch (error) {
    if (!(error instanceof ConditionTooLarge)) throw error;
    return { kind: "failed", reason: error.message };
  }
}

async function noteUpdate(_: Context, arrival: Arrival<"UPDATE_CONTACT">, world: SimulatedWorld): Promise<StepOutcome> {
  const { contact } = world;
  const plan = planOf(arrival, contact, world.budget);
  if ("kind" in plan) return plan;
  const hasSaidNo = plan.subscribed === true && contact.optedOutBy === "PERSON";
  world.contact = withData(contact, plan.patch, world.now);
  if (plan.subscribed !== null && !hasSaidNo) {
    const optedOutAt = plan.subscribed ? null : (contact.optedOutAt ?? world.now);
    world.contact = { ...world.contact, subscribed: plan.subscribed, optedOutAt };
    if (plan.subscribed !== contact.subscribed) {
      happen(world, plan.subscribed ? "contact.subscribed" : "contact.unsubscribed");
    }
  }
  return hasSaidNo ? plan.ifOptedOut : plan.result;
}
