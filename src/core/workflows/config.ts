import type { FilterCondition } from "../audience/condition";
import type { Filter } from "../audience/filter";
import type { JsonObject, JsonValue } from "../json";

/** The config of each type of step, as it is stored and returned. */
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
  /** A public id. The step's own `templateId` overrides it. */
  templateId?: string;
  /** The execution's contact by default. A custom address is literal, never Liquid. */
  recipient?: { type: "CONTACT" } | { type: "CUSTOM"; customEmail: string };
}

export interface DelayConfig {
  /** More than 0, and at most 365 days in total. */
  amount: number;
  unit: "minutes" | "hours" | "days";
}

export interface WaitConfig {
  eventName: string;
  /** In seconds. Without a timeout the execution waits until the event comes. */
  timeout?: number;
}

/** One filter, one whole condition, or a field whose value decides among several branches. */
export type ConditionConfig = Filter | { condition: FilterCondition } | MultiConfig;

export interface MultiConfig {
  mode: "multi";
  field: string;
  /** Evaluated in this order: the first branch that holds is taken, otherwise `default`. */
  branches: (Omit<Filter, "field"> & { id: string; name: string })[];
}

export interface WebhookConfig {
  /** May have Liquid in its path and query only. */
  url: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The values may have Liquid. */
  headers?: Record<string, string>;
  /** Every text in it may have Liquid. */
  body?: JsonValue;
}

export interface UpdateContactConfig {
  /** Texts may contain Liquid. The rules for contacts' data apply. */
  data?: JsonObject;
  subscribed?: boolean;
}
