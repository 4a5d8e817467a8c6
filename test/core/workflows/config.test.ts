import { describe, expect, it } from "vitest";
import { Invalid } from "../../../src/core/errors";
import type { JsonObject } from "../../../src/core/json";
import { readConfig } from "../../../src/core/workflows/config";
import { configNames, foreignNames } from "../../../src/core/workflows/config-names";
import type { StepType } from "../../../src/core/workflows/step";

type Case = [what: string, type: StepType, sent: JsonObject, kept?: JsonObject];
type Refused = [what: string, type: StepType, sent: JsonObject, field: string, code: string];

const filter = { field: "data.plan", operator: "equals", value: "pro" };
const template = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";
const url = "https://example.com/hook";

const kept: Case[] = [
  ["nothing of a TRIGGER", "TRIGGER", { a: 1 }, {}],
  ["a mail without a template yet", "SEND_EMAIL", {}],
  ["a mail to the contact", "SEND_EMAIL", { templateId: template, recipient: { type: "CONTACT" } }],
  [
    "a mail to a literal address, normalized",
    "SEND_EMAIL",
    { recipient: { type: "CUSTOM", customEmail: " Ada@Example.com " } },
    { recipient: { type: "CUSTOM", customEmail: "ada@example.com" } },
  ],
  ["a delay of half an hour", "DELAY", { amount: 0.5, unit: "hours" }],
  ["a delay of a whole year", "DELAY", { amount: 365, unit: "days" }],
  ["a year in minutes", "DELAY", { amount: 525_600, unit: "minutes" }],
  ["a wait without end", "WAIT_FOR_EVENT", { eventName: "purchase", timeout: null }, { eventName: "purchase" }],
  ["a wait of a year", "WAIT_FOR_EVENT", { eventName: "email.opened", timeout: 31_536_000 }],
  ["an event's name as it is, blanks and case included", "WAIT_FOR_EVENT", { eventName: " Email.sent" }],
  ["an event of a segment", "WAIT_FOR_EVENT", { eventName: "segment.vip.entry" }],
  ["a filter", "CONDITION", filter],
  ["a filter on the event", "CONDITION", { field: "event.amount", operator: "greaterThan", value: 10 }],
  ["a filter on the event's source", "CONDITION", { field: "event.source", operator: "equals", value: "PUBLIC" }],
  ["a filter on a key source of the event", "CONDITION", { field: "event.data.source", operator: "exists" }],
  ["a filter on the contact by its prefix", "CONDITION", { field: "contact.data.plan", operator: "exists" }],
  ["a filter on the context", "CONDITION", { field: "context.vip", operator: "equals", value: true }],
  ["a filter on a step's output", "CONDITION", { field: "steps.Ask.statusCode", operator: "equals", value: 200 }],
  ["a filter on a topic", "CONDITION", { field: "topic.news", operator: "equals", value: true }],
  ["a filter on past events", "CONDITION", { field: "purchase", operator: "triggeredWithin", value: 2, unit: "days" }],
  ["a whole condition", "CONDITION", { condition: { logic: "AND", groups: [{ filters: [filter] }] } }],
  [
    "several branches, named by their ids if not otherwise",
    "CONDITION",
    { mode: "multi", field: "data.plan", branches: [{ id: "a", operator: "equals", value: "pro" }] },
    { mode: "multi", field: "data.plan", branches: [{ id: "a", name: "a", operator: "equals", value: "pro" }] },
  ],
  ["a call by its URL alone", "WEBHOOK", { url }, { url, method: "POST" }],
  [
    "Liquid in the path and the query of a URL",
    "WEBHOOK",
    { url: "https://example.com/{{ contact.id }}?a={{ event.a | upcase }}", method: "PUT" },
  ],
  [
    "Liquid in headers and body",
    "WEBHOOK",
    { url, method: "POST", headers: { "X-Plan": "{{ contact.data.plan }}" }, body: { a: ["{{ event.a }}", 1, null] } },
  ],
  [
    "data for the contact",
    "UPDATE_CONTACT",
    { data: { plan: "{{ event.plan }}", n: 1, gone: null }, subscribed: true },
  ],
  [
    "no reserved keys and no empty strings of data",
    "UPDATE_CONTACT",
    { data: { id: "x", email: "x", manageUrl: "x", a: "", plan: "pro" } },
    { data: { plan: "pro" } },
  ],
  ["an end with its reason", "EXIT", { reason: "Has bought" }],
  ["an end without one", "EXIT", { reason: null }, {}],
];

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

const refused: Refused[] = [
  ["data that nests 5,000 levels deep", "UPDATE_CONTACT", { data: nested(5_000) }, "data", "custom"],
  ["what starts the workflow, which is not the step's", "TRIGGER", { eventName: "signup" }, "eventName", "custom"],
  [
    "Liquid in an address",
    "SEND_EMAIL",
    { recipient: { type: "CUSTOM", customEmail: "{{ event.to }}" } },
    "recipient.customEmail",
    "invalid_string",
  ],
  [
    "a custom recipient without an address",
    "SEND_EMAIL",
    { recipient: { type: "CUSTOM" } },
    "recipient.customEmail",
    "required",
  ],
  [
    "an address that is none",
    "SEND_EMAIL",
    { recipient: { type: "CUSTOM", customEmail: "nope" } },
    "recipient.customEmail",
    "invalid_string",
  ],
  [
    "an unknown kind of recipient",
    "SEND_EMAIL",
    { recipient: { type: "OTHER" } },
    "recipient.type",
    "invalid_enum_value",
  ],
  ["a delay of nothing", "DELAY", { amount: 0, unit: "days" }, "amount", "too_small"],
  ["a delay of more than a year", "DELAY", { amount: 366, unit: "days" }, "amount", "too_big"],
  ["a year and a minute", "DELAY", { amount: 525_601, unit: "minutes" }, "amount", "too_big"],
  ["a delay in weeks", "DELAY", { amount: 1, unit: "weeks" }, "unit", "invalid_enum_value"],
  ["a delay in words", "DELAY", { amount: "2", unit: "days" }, "amount", "invalid_type"],
  ["a delay without an amount", "DELAY", { unit: "days" }, "amount", "required"],
  ["a wait for nothing", "WAIT_FOR_EVENT", {}, "eventName", "required"],
  ["a wait for an empty name", "WAIT_FOR_EVENT", { eventName: "" }, "eventName", "too_small"],
  ["a wait for a family", "WAIT_FOR_EVENT", { eventName: "email.*" }, "eventName", "invalid_string"],
  ["a wait for everything", "WAIT_FOR_EVENT", { eventName: "*" }, "eventName", "invalid_string"],
  [
    "a wait for an email event that does not exist",
    "WAIT_FOR_EVENT",
    { eventName: "email.read" },
    "eventName",
    "invalid_string",
  ],
  [
    "a wait for what belongs to no contact",
    "WAIT_FOR_EVENT",
    { eventName: "webhook.disabled" },
    "eventName",
    "invalid_string",
  ],
  ["a timeout of nothing", "WAIT_FOR_EVENT", { eventName: "a", timeout: 0 }, "timeout", "too_small"],
  ["a timeout of more than a year", "WAIT_FOR_EVENT", { eventName: "a", timeout: 31_536_001 }, "timeout", "too_big"],
  ["a condition of nothing", "CONDITION", {}, "field", "required"],
  ["a field that no run has", "CONDITION", { field: "plan", operator: "exists" }, "field", "custom"],
  ["an unknown operator", "CONDITION", { field: "data.a", operator: "is" }, "operator", "invalid_enum_value"],
  ["a filter without its value", "CONDITION", { field: "data.a", operator: "equals" }, "value", "required"],
  ["a window without its unit", "CONDITION", { field: "createdAt", operator: "within", value: 1 }, "unit", "required"],
  [
    "a condition without groups",
    "CONDITION",
    { condition: { logic: "AND", groups: [] } },
    "condition.groups",
    "too_small",
  ],
  [
    "a fault deep inside",
    "CONDITION",
    { condition: { logic: "AND", groups: [{ filters: [{ field: "x", operator: "exists" }] }] } },
    "condition.groups.0.filters.0.field",
    "custom",
  ],
  [
    "a filter and a condition",
    "CONDITION",
    { ...filter, condition: { logic: "AND", groups: [{ filters: [filter] }] } },
    "",
    "custom",
  ],
  ["another mode", "CONDITION", { mode: "simple", field: "data.a", branches: [] }, "mode", "invalid_enum_value"],
  ["no branches", "CONDITION", { mode: "multi", field: "data.a", branches: [] }, "branches", "too_small"],
  [
    "a branch called default",
    "CONDITION",
    { mode: "multi", field: "data.a", branches: [{ id: "default", operator: "exists" }] },
    "branches.0.id",
    "custom",
  ],
  [
    "two branches with one id",
    "CONDITION",
    {
      mode: "multi",
      field: "data.a",
      branches: [
        { id: "a", operator: "exists" },
        { id: "a", operator: "notExists" },
      ],
    },
    "branches.1.id",
    "custom",
  ],
  [
    "a branch without its value",
    "CONDITION",
    { mode: "multi", field: "data.a", branches: [{ id: "a", operator: "equals" }] },
    "branches.0.value",
    "required",
  ],
  [
    "several branches on no field",
    "CONDITION",
    { mode: "multi", field: "nope", branches: [{ id: "a", operator: "exists" }] },
    "field",
    "custom",
  ],
  ["no URL", "WEBHOOK", {}, "url", "required"],
  ["another scheme", "WEBHOOK", { url: "ftp://example.com" }, "url", "invalid_string"],
  ["Liquid as the scheme", "WEBHOOK", { url: "{{ event.scheme }}://example.com" }, "url", "invalid_string"],
  ["Liquid as the whole URL", "WEBHOOK", { url: "{{ event.url }}" }, "url", "invalid_string"],
  ["Liquid as the host", "WEBHOOK", { url: "https://{{ event.host }}/a" }, "url", "invalid_string"],
  [
    "Liquid that goes on with the host",
    "WEBHOOK",
    { url: "https://example.com{{ event.rest }}" },
    "url",
    "invalid_string",
  ],
  ["Liquid as the port", "WEBHOOK", { url: "https://example.com:{{ event.port }}/" }, "url", "invalid_string"],
  [
    "Liquid in the path that cannot be parsed",
    "WEBHOOK",
    { url: "https://example.com/{{ a | nope }}" },
    "url",
    "invalid_string",
  ],
  ["another method", "WEBHOOK", { url, method: "TRACE" }, "method", "invalid_enum_value"],
  ["a GET with a body", "WEBHOOK", { url, method: "GET", body: {} }, "body", "custom"],
  [
    "a header of ours",
    "WEBHOOK",
    { url, headers: { "idempotency-key": "1" } },
    "headers.idempotency-key",
    "invalid_string",
  ],
  ["a header that frames the request", "WEBHOOK", { url, headers: { Host: "x" } }, "headers.Host", "invalid_string"],
  ["a line break in a header", "WEBHOOK", { url, headers: { "X-A": "a\r\nB: c" } }, "headers.X-A", "invalid_string"],
  [
    "Liquid in a header that cannot be parsed",
    "WEBHOOK",
    { url, headers: { "X-A": "{{ a" } },
    "headers.X-A",
    "invalid_string",
  ],
  [
    "Liquid in the body that cannot be parsed",
    "WEBHOOK",
    { url, body: { list: ["{% if %}"] } },
    "body.list.0",
    "invalid_string",
  ],
  [
    "Liquid in data that cannot be parsed",
    "UPDATE_CONTACT",
    { data: { a: { b: "{{ x | nope }}" } } },
    "data.a.b",
    "invalid_string",
  ],
  ["data that is no object", "UPDATE_CONTACT", { data: [] }, "data", "invalid_type"],
  ["a guess at subscribed", "UPDATE_CONTACT", { subscribed: "no" }, "subscribed", "invalid_type"],
  ["an endless reason", "EXIT", { reason: "x".repeat(501) }, "reason", "too_big"],
  ["more than 32 KB", "WEBHOOK", { url, body: "x".repeat(33_000) }, "", "too_big"],
];

describe("the config of a step", () => {
  it.each(kept)("keeps %s", (_, type, sent, kept = sent) => {
    expect(readConfig(type, sent)).toEqual(kept);
    expect(foreignNames(type, kept)).toEqual([]);
    expect(configNames).toEqual(expect.arrayContaining(Object.keys(kept)));
  });

  it.each(refused)("refuses %s", (_, type, sent, field, code) => {
    const faults = faultsOf(() => readConfig(type, sent));
    expect(faults).toContainEqual(
      expect.objectContaining({ field: field === "" ? "config" : `config.${field}`, code }),
    );
  });

  it("says where Liquid is wrong", () => {
    const [fault] = faultsOf(() => readConfig("UPDATE_CONTACT", { data: { a: "line\n{{ x | nope }}" } }));
    expect(fault?.message).toContain("line 2, column ");
  });
});

function faultsOf(read: () => unknown) {
  try {
    read();
  } catch (error) {
    if (error instanceof Invalid) return error.faults;
    throw error;
  }
  return [];
}
