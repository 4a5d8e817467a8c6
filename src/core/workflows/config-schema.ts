import { z } from "zod";
import { ContactData, readData } from "../contacts/data";
import { type FieldFault, Invalid } from "../errors";
import { faultsOf } from "../faults";
import { foreignFaults } from "../foreign-names";
import { publicId, readId } from "../ids";
import { type JsonObject, utf8Bytes } from "../json";
import { Email } from "../mail/address-input";
import { nameMisspelt } from "../misspelt";
import { storable } from "../storable";
import { dayMs, hourMs, minuteMs } from "../time";
import { ConditionConfig, conditionForm } from "./condition-config";
import type { DelayConfig as Delay, SendEmailConfig as SendEmail, StepConfigs } from "./config";
import { AwaitedName } from "./event-name";
import { foreignNamesOfConfig } from "./foreign-config";
import { hasLiquid, liquidFault, textsIn } from "./liquid";
import type { StepType } from "./step";
import { triggerParts } from "./trigger";
import { WebhookConfig } from "./webhook-config";

const maxConfigBytes = 32 * 1024;
const maxDelayDays = 365;
const maxTimeoutSeconds = 31_536_000;
const maxReasonLength = 500;

const LiteralEmail = z
  .string()
  .refine((address) => !hasLiquid(address), {
    message: "Must be a literal address, without Liquid: what an event says must not choose who is mailed",
    params: { code: "invalid_string" },
    abort: true,
  })
  .pipe(Email)
  .meta({ type: "string", format: "email", example: "ada@example.com" });

const Recipient = z
  .object({ type: z.enum(["CONTACT", "CUSTOM"]), customEmail: LiteralEmail.nullish() })
  .transform(({ type, customEmail }, check): SendEmail["recipient"] => {
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
      .meta({ description: "The step's own `templateId` overrides it." }),
    recipient: Recipient.nullish().meta({
      description: "The execution's contact, unless it is CUSTOM with a literal `customEmail`.",
    }),
  })
  .transform(
    ({ templateId, recipient }): SendEmail => ({
      ...(templateId && { templateId }),
      ...(recipient && { recipient }),
    }),
  )
  .meta({ id: "SendEmailStepConfig", example: { recipient: { type: "CONTACT" } } });

/** Returns a delay in milliseconds. */
function delayMs({ amount, unit }: Delay): number {
  return amount * { minutes: minuteMs, hours: hourMs, days: dayMs }[unit];
}

const DelayConfig = z
  .object({
    amount: z.number().positive({ error: "Must be more than 0" }),
    unit: z.enum(["minutes", "hours", "days"]),
  })
  .superRefine((delay, check) => {
    if (delayMs(delay) <= maxDelayDays * dayMs) return;
    const message = `A delay may be at most ${maxDelayDays} days long`;
    check.addIssue({ code: "custom", path: ["amount"], message, params: { code: "too_big" } });
  })
  .meta({ id: "DelayStepConfig", description: "At most 365 days.", example: { amount: 2, unit: "days" } });

const WaitConfig = z
  .object({
    eventName: AwaitedName,
    timeout: z
      .number()
      .positive({ error: "Must be more than 0" })
      .max(maxTimeoutSeconds)
      .nullish()
      .meta({ description: "In seconds. Without it the execution waits until the event comes." }),
  })
  .transform(({ eventName, timeout }) => ({ eventName, ...(timeout && { timeout }) }))
  .meta({
    id: "WaitForEventStepConfig",
    description: "Follows the branch `event` or `timeout` if it is drawn, otherwise the transition without a branch.",
    example: { eventName: "purchase", timeout: 86_400 },
  });

const UpdateContactConfig = z
  .object({
    data: ContactData.superRefine((data, check) => {
      // Data that was refused already may nest too deep for the recursion below.
      if (check.issues.length > 0) return;
      for (const { text, path } of textsIn(data)) {
        const message = liquidFault(text);
        if (message !== null) check.addIssue({ code: "custom", path, message, params: { code: "invalid_string" } });
      }
    })
      .nullish()
      .meta({ description: "The rules for contacts' data apply. Texts may have Liquid." }),
    subscribed: z.boolean().nullish(),
  })
  .transform(({ data, subscribed }) => ({
    ...(data && { data: withoutReserved(data) }),
    ...(typeof subscribed === "boolean" && { subscribed }),
  }))
  .meta({ id: "UpdateContactStepConfig", example: { data: { plan: "{{ event.plan }}" } } });

/** Returns the data as it was sent, without the keys that would have no effect. */
function withoutReserved(data: JsonObject): JsonObject {
  const { own } = readData(data);
  return Object.fromEntries(Object.entries(data).filter(([key]) => Object.hasOwn(own, key)));
}

const ExitConfig = z
  .object({
    reason: z
      .string()
      .max(maxReasonLength)
      .refine(...storable)
      .nullish()
      .meta({ description: "The `exitReason` of the execution." }),
  })
  .transform(({ reason }) => (reason ? { reason } : {}))
  .meta({ id: "ExitStepConfig", example: { reason: "Has bought" } });

/** Clients may look for the trigger's settings here, so the error names the place where they are set. */
const TriggerConfig = z
  .looseObject({})
  .superRefine((sent, check) => {
    for (const name of triggerParts) {
      if (sent[name] === undefined || sent[name] === null) continue;
      const message = "What starts a workflow is set with PATCH /workflows/{id}, in its triggerConfig";
      check.addIssue({ code: "custom", path: [name], message, params: { code: "custom" } });
    }
  })
  .transform(() => ({}))
  .meta({ id: "TriggerStepConfig", example: {} });

type Schemas = { [T in StepType]: z.ZodType<StepConfigs[T]> };

const schemas: Omit<Schemas, "CONDITION"> = {
  TRIGGER: TriggerConfig,
  SEND_EMAIL: SendEmailConfig,
  DELAY: DelayConfig,
  WAIT_FOR_EVENT: WaitConfig,
  WEBHOOK: WebhookConfig,
  UPDATE_CONTACT: UpdateContactConfig,
  EXIT: ExitConfig,
};

/** The config of each type of step, for the OpenAPI document. */
export const documentedConfigs: { [T in StepType]: z.ZodType } = { ...schemas, CONDITION: ConditionConfig };

/** The config of any step. */
export const StepConfig = z.union([
  SendEmailConfig,
  DelayConfig,
  WaitConfig,
  ConditionConfig,
  WebhookConfig,
  UpdateContactConfig,
  ExitConfig,
  TriggerConfig,
]);

function schemaOf<T extends StepType>(type: T, sent: JsonObject): z.ZodType<StepConfigs[T]> {
  const all: Schemas = { ...schemas, CONDITION: conditionForm(sent) };
  return all[type];
}

/** Reads a step's config by the schema of its type. Throws Invalid, with fields such as `config.amount`. */
export function readConfig<T extends StepType>(type: T, sent: JsonObject): StepConfigs[T] {
  const foreign = foreignFaults(foreignNamesOfConfig[type] ?? [], sent);
  const read = schemaOf(type, sent).safeParse(sent);
  if (!read.success || foreign.length > 0) {
    const own = read.success ? [] : nameMisspelt(faultsOf(read.error, sent), Object.keys(sent));
    throw new Invalid([...foreign, ...own].map(inConfig));
  }
  const bytes = utf8Bytes(JSON.stringify(read.data));
  if (bytes <= maxConfigBytes) return read.data;
  const message = `The config of a step may have at most ${maxConfigBytes} bytes of JSON; this one has ${bytes}`;
  throw new Invalid([{ field: "config", code: "too_big", message }]);
}

function inConfig(fault: FieldFault): FieldFault {
  return { ...fault, field: fault.field === "" ? "config" : `config.${fault.field}` };
}
