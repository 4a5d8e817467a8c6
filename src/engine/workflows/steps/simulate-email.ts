import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { breakLinksInData } from "../../../core/mail/break-links";
import type { EmailType } from "../../../core/mail/status";
import { renderPart, whyUnrendered } from "../../../core/templating/errors";
import { parseTemplate, renderTemplate } from "../../../core/templating/render";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { asFlag, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { domainInSql, verifiedDomain } from "../../../db/sender-domain";
import { selectOne } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { contentSource } from "../../mail/accept/insert-content";
import { isInItsTopic } from "../../mail/accept/wanted";
import { whyWithheld } from "../../mail/withhold";
import { isMarketingPaused } from "../../projects/sending-paused";
import type { SimulatedWorld } from "../simulation/world";
import type { Arrival } from "./arrival";
import { noTemplate, recipientOf, templateOf, whyRefused } from "./mail-of-step";
import { withoutPublicLinks } from "./public-mail";
import { isUnrenderable, variablesOf } from "./render-step";

const readTemplate = columns({
  type: orNull(asOneOf<EmailType>()),
  fromEmail: orNull(asText),
  subject: orNull(asText),
  isVerified: asFlag,
  isInTopic: orNull(asFlag),
  withheld: orNull(asText),
});

/** Records the email that the step would send, with its rendered subject. */
export async function simulateEmail(
  ctx: Context,
  arrival: Arrival<"SEND_EMAIL">,
  world: SimulatedWorld,
): Promise<StepOutcome> {
  const template = templateOf(arrival.step);
  if (template === null) return noTemplate;
  const { contact } = world;
  const found = await findTemplate(ctx, world, template, recipientOf(arrival.step.config).to ?? contact.email);
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
