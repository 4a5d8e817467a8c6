import { conditionText, filterText } from "../audience/filter-text";
import { dayMs, hourMs, minuteMs, secondMs } from "../time";
import type { ConditionConfig, SendEmailConfig, UpdateContactConfig, WaitConfig, WebhookConfig } from "./config";
import type { Step } from "./step";
import type { Trigger } from "./trigger";

/** A template as a diagram shows it. */
export interface NamedTemplate {
  name: string;
  subject: string;
}

const maxFilters = 3;

/** Describes what a step does, in a few words; an empty text if there is nothing to say. */
export function stepText(step: Step, trigger: Trigger, template: NamedTemplate | undefined): string {
  switch (step.type) {
    case "TRIGGER":
      return triggerText(trigger);
    case "SEND_EMAIL":
      return mailText(step.config, template);
    case "DELAY":
      return counted(step.config.amount, step.config.unit.slice(0, -1));
    case "WAIT_FOR_EVENT":
      return waitText(step.config);
    case "CONDITION":
      return decisionText(step.config);
    case "WEBHOOK":
      return callText(step.config);
    case "UPDATE_CONTACT":
      return updateText(step.config);
    case "EXIT":
      return step.config.reason ?? "";
  }
}

function triggerText({ triggerType, triggerConfig }: Trigger): string {
  if (triggerType === "MANUAL") return "by hand";
  return triggerType === "SCHEDULE" ? `at ${triggerConfig.cron}` : `on ${triggerConfig.eventName ?? "no event yet"}`;
}

function mailText({ recipient }: SendEmailConfig, template: NamedTemplate | undefined): string {
  const what = template ? `${template.name}: ${template.subject}` : "no template";
  return recipient?.type === "CUSTOM" ? `${what}, to ${recipient.customEmail}` : what;
}

function waitText({ eventName, timeout }: WaitConfig): string {
  return timeout === undefined ? eventName : `${eventName}, ${lengthText(timeout * secondMs)} at most`;
}

const units = [
  ["day", dayMs],
  ["hour", hourMs],
  ["minute", minuteMs],
  ["second", secondMs],
] as const;

/** Uses the largest unit in which the length is a whole number. */
function lengthText(ms: number): string {
  const [unit, length] = units.find(([, unitMs]) => ms % unitMs === 0) ??
    units[units.length - 1] ?? ["second", secondMs];
  return counted(ms / length, unit);
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function decisionText(config: ConditionConfig): string {
  if ("mode" in config) return config.field;
  return "condition" in config ? conditionText(config.condition, maxFilters) : filterText(config);
}

/** Leaves out the query, which may contain a secret. */
function callText({ method, url }: WebhookConfig): string {
  return `${method} ${url.split("?")[0]}`;
}

function updateText({ data, subscribed }: UpdateContactConfig): string {
  const flag = subscribed === undefined ? [] : [subscribed ? "subscribed" : "unsubscribed"];
  return [...Object.keys(data ?? {}), ...flag].join(", ");
}
