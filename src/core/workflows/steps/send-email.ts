import { z } from "zod";
import { serviceEventsThat } from "../../events/service-event";
import { foreign } from "../../foreign-names";
import { publicId, readId } from "../../ids";
import { Email } from "../../mail/address-input";
import { hasLiquid } from "../liquid";
import type { NamedTemplate, StepDefinition } from "./definition";

const LiteralEmail = z
  .string()
  .refine((address) => !hasLiquid(address), {
    message: "Must be a literal address, without Liquid: event data must not choose the recipient",
    params: { code: "invalid_string" },
    abort: true,
  })
  .pipe(Email)
  .meta({ type: "string", format: "email", example: "ada@example.com" });

const Recipient = z
  .object({ type: z.enum(["CONTACT", "CUSTOM"]), customEmail: LiteralEmail.nullish() })
  .transform(({ type, customEmail }, check) => {
    if (type === "CONTACT") return { type };
    if (customEmail) return { type, customEmail };
    const message = "A CUSTOM recipient needs an address";
    check.addIssue({ code: "custom", path: ["customEmail"], message, params: { code: "required" } });
    return z.NEVER;
  });

const SendEmailConfig = z
  .object({
    templateId: z
      .string()
      .min(1)
      .transform((id) => publicId(readId(id)))
      .nullish()
      .meta({ description: "The id of the template. The step's own `templateId` overrides it." }),
    recipient: Recipient.nullish().meta({
      description: "Who gets the email: the execution's contact or, with `CUSTOM`, the literal `customEmail`.",
    }),
  })
  .transform(({ templateId, recipient }) => ({
    ...(templateId && { templateId }),
    ...(recipient && { recipient }),
  }))
  .meta({ id: "SendEmailStepConfig", example: { recipient: { type: "CONTACT" } } });
export type SendEmailConfig = z.infer<typeof SendEmailConfig>;

const template =
  "A SEND_EMAIL step mails a template: make one with POST /templates, and give its id as templateId next to config";

const caused = serviceEventsThat(({ causedBy }) => causedBy === "SEND_EMAIL");

export const sendEmail = {
  does: "mails a template to the contact, or to a literal address",
  shape: ["[", "]"],
  config: SendEmailConfig,
  foreignNames: [
    ...foreign(["subject", "body", "html", "from", "content"], { advice: template }),
    ...foreign(["template", "template_id"], { standsFor: "templateId", advice: "Use templateId, the template's id" }),
    ...foreign(["to", "email"], {
      standsFor: "recipient",
      advice: 'Leave it out for the contact, or use recipient: { "type": "CUSTOM", "customEmail": "ada@example.com" }',
    }),
  ],
  hasTemplate: true,
  text: (config, { template }) => mailText(config, template),
  issues: (config, { templateId }) =>
    templateId === null && config.templateId === undefined
      ? ["It has no template: set templateId. Until then the step fails."]
      : [],
  causes: { key: null, events: () => caused },
} as const satisfies StepDefinition<SendEmailConfig>;

function mailText({ recipient }: SendEmailConfig, template: NamedTemplate | undefined): string {
  const what = template ? `${template.name}: ${template.subject}` : "no template";
  return recipient?.type === "CUSTOM" ? `${what}, to ${recipient.customEmail}` : what;
}
