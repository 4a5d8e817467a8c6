import type { FilterCondition } from "../audience/condition";
import type { Filter } from "../audience/filter";
import type { JsonObject, JsonValue } from "../json";

/** What each type of step is set up with, as it is stored and answered. */
export interface StepConfigs {
  TRIGGER: Record<string, never>;
  SEND_EMAIL: SendEmailConfig;
  DELAY: DelayConfig;
  WAIT_FOR_EVENT: WaitConfig;
  CONDITION: ConditionConfig;
  WEBHOOK: WebhookConfig;
  UPDATE_CONTACT: UpdateContactConfig;
  EXIT: { reason?: string };
}

export interface SendEmailConfig {
  /** A public id. The step's own `templateId` overrules it. */
  templateId?: string;
  /** The run's contact, if nothing is said. A custom address is literal, never Liquid. */
  recipient?: { type: "CONTACT" } | { type: "CUSTOM"; customEmail: string };
}

export interface DelayConfig {
  /** More than 0, and at most 365 days in all. */
  amount: number;
  unit: "minutes" | "hours" | "days";
}

export interface WaitConfig {
  eventName: string;
  /** In seconds. Without it the run waits until the event comes. */
  timeout?: number;
}

/** One filter, one whole condition, or a field whose value decides among several branches. */
export type ConditionConfig = Filter | { condition: FilterCondition } | MultiConfig;

export interface MultiConfig {
  mode: "multi";
  field: string;
  /** Asked in this order: the first one that holds is taken, else `default`. */
  branches: (Omit<Filter, "field"> & { id: string; name: string })[];
}

export interface WebhookConfig {
  /** Liquid in its path and query only. */
  url: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Liquid in the values. */
  headers?: Record<string, string>;
  /** Liquid in every text of it. */
  body?: JsonValue;
}

export interface UpdateContactConfig {
  /** Liquid in its texts. The rules of contacts' data hold. */
  data?: JsonObject;
  subscribed?: boolean;
}
