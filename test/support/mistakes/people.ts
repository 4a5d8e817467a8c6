import type { Mistake } from "./mistake";

function to(call: string, body: unknown, names: string, saw: string, says: string): Mistake {
  return { call, body, names, saw, says };
}

/** Mistakes with contacts, events, segments and suppressions. */
export const mistakesWithPeople: Mistake[] = [
  to("POST /contacts", {}, '"email"', '"code":"required"', "an address, such as"),
  to(
    "POST /contacts",
    { email_address: "m@example.com", merge_fields: { FNAME: "M" } },
    '"email_address"',
    "m@example.com",
    "Use email",
  ),
  to(
    "POST /contacts",
    { email: "m@example.com", merge_fields: { FNAME: "M" } },
    '"merge_fields"',
    '"received":{"FNAME"',
    "Use data",
  ),
  to(
    "POST /contacts",
    { email: "m@example.com", status: "subscribed" },
    '"status"',
    '"received":"subscribed"',
    "Use subscribed",
  ),
  to(
    "POST /contacts",
    { email: "m@example.com", firstName: "Ada" },
    '"firstName"',
    '"received":"Ada"',
    "Put it into data",
  ),
  to(
    "POST /contacts",
    { email: "m@example.com", first_name: "Ada" },
    '"first_name"',
    '"received":"Ada"',
    "Put it into data",
  ),
  to("POST /contacts", { email: "m@example.com", attributes: { a: 1 } }, '"attributes"', '"received":{"a"', "Use data"),
  to(
    "POST /contacts",
    { email: "m@example.com", unsubscribed: true },
    '"unsubscribed"',
    '"received":true',
    "Use subscribed",
  ),
  to(
    "POST /contacts",
    { email: "m@example.com", listIds: [1] },
    '"listIds"',
    '"received":[1',
    "POST /segments/{id}/members",
  ),
  to(
    "POST /contacts",
    { contacts: [{ email: "m@example.com" }] },
    '"contacts"',
    '"received":[{',
    "POST /contacts/import",
  ),
  to("POST /contacts", { email: "ada at example.com" }, '"email"', "ada at example.com", "such as ada@example.com"),
  to("POST /contacts", { email: "m@example.com", subscribed: "no" }, '"subscribed"', '"received":"no"', "boolean"),
  to("POST /contacts", { email: "m@example.com", data: "x" }, '"data"', '"received":"x"', "object"),
  to("POST /contacts", { email: "m@example.com", data: { locale: 1 } }, "data.locale", '"received":1', "string"),
  to("GET /contacts/web@example.com", undefined, "contact", "web@example.com", "GET /contacts?email="),
  to("PATCH /contacts/web@example.com", { subscribed: false }, "contact", "web@example.com", "GET /contacts?email="),
  to("POST /contacts/lookup", { emails: "ada@example.com" }, '"emails"', "ada@example.com", "array"),
  to(
    "POST /contacts/bulk-delete",
    { emails: ["ada@example.com"] },
    '"emails"',
    '"received":["ada@example.com"',
    "Use contactIds",
  ),
  to("POST /contacts/{contact}/snooze", { duration: "2 weeks" }, '"duration"', "2 weeks", "expected one of"),
  to("POST /events/track", { userId: "1", name: "signup" }, '"name"', '"received":"signup"', "Use event"),
  to("POST /events/track", { userId: "1", event: "signup" }, '"userId"', '"received":"1"', "Use email"),
  to(
    "POST /events/track",
    { email: "a@example.com", event: "signup", timestamp: 1_700_000_000 },
    '"timestamp"',
    "1700000000",
    "cannot be backdated",
  ),
  to("POST /events/track", { email: "a@example.com", event: "email.opened" }, '"event"', "email.opened", "reserve"),
  to(
    "POST /events/track",
    { email: "a@example.com", event: "signup", properties: { plan: "pro" } },
    '"properties"',
    '"received":{"plan"',
    "Use data",
  ),
  to(
    "POST /events/track",
    { email: "a@example.com" },
    '"event"',
    '"code":"required"',
    "the name of what happened, such as",
  ),
  to(
    "POST /segments",
    { name: "Pro" },
    '"condition"',
    '"code":"required"',
    "what its contacts have in common, such as",
  ),
  to("POST /segments", { name: "Pro", filters: [], rules: { a: 1 } }, '"rules"', '"received":{"a"', "Use condition"),
  to("POST /segments", { name: "Pro", condition: { logic: "AND", groups: [] } }, "condition.groups", "1", "items"),
  to(
    "POST /segments",
    { name: "Pro", condition: filter({ field: "plan", operator: "equals", value: "pro" }) },
    "field",
    '"received":"plan"',
    "data.<key>",
  ),
  to(
    "POST /segments",
    { name: "Pro", condition: filter({ field: "data.plan", operator: "eq", value: "pro" }) },
    "operator",
    '"received":"eq"',
    "equals",
  ),
  to(
    "POST /segments",
    { name: "Pro", condition: filter({ field: "data.plan", operator: "equals" }) },
    "filters.0.value",
    '"code":"required"',
    "equals needs a value",
  ),
  to(
    "POST /segments",
    { name: "Pro", condition: filter({ field: "data.at", operator: "within", value: 7 }) },
    "unit",
    "within needs a unit",
    "days, hours, minutes",
  ),
  to("POST /segments", { name: "Pro", type: "MANUAL" }, '"type"', '"received":"MANUAL"', "STATIC"),
  to("POST /segments/{static}/members", { contactIds: ["x"] }, '"contactIds"', '"received":["x"', "Use emails"),
  to("POST /suppressions", { address: "gone@example.com" }, '"address"', "gone@example.com", "Use email"),
  to("POST /suppressions", { email: "gone@example.com", reason: "spam" }, '"reason"', '"received":"spam"', "complaint"),
  to("POST /v1/verify", { address: "ada@example.com" }, '"address"', "ada@example.com", "Use email"),
];

function filter(one: Record<string, unknown>) {
  return { logic: "AND", groups: [{ filters: [one] }] };
}
