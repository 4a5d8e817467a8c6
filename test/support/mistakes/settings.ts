import type { Mistake } from "./mistake";

function to(call: string, body: unknown, names: string, saw: string, says: string): Mistake {
  return { call, body, names, saw, says };
}

const campaign = { name: "x", subject: "s", body: "<p>b</p>", from: "hello@{domain}", audienceType: "ALL" };
const template = { name: "x", subject: "s", body: "<p>b</p>", from: "hello@{domain}" };
const operator = { Authorization: "Bearer {operator}" };

/** Mistakes with templates, campaigns, domains, webhooks, topics and the operator's API. */
export const mistakesInSettings: Mistake[] = [
  to("POST /templates", { name: "x" }, '"subject"', '"code":"required"', "the subject line of the mail"),
  to("POST /templates", { ...template, body: undefined, html: "<p>b</p>" }, '"html"', "<p>b</p>", "Use body"),
  to("POST /templates", { ...template, reply_to: "a@example.com" }, '"reply_to"', "a@example.com", "Use replyTo"),
  to("POST /templates", { ...template, type: "marketing" }, '"type"', '"received":"marketing"', '"MARKETING"'),
  to("POST /templates", { ...template, body: "{% if %}" }, '"body"', "{% if", "(line 1, column"),
  to(
    "POST /templates",
    { ...template, from: "Ada <hello@{domain}>" },
    '"from"',
    "Ada <hello@",
    "Must be the address alone",
  ),
  to(
    "POST /campaigns",
    { name: "x", subject: "s", html: "b", from: "hello@{domain}", audience_id: "x" },
    '"audience_id"',
    '"received":"x"',
    "Use audienceType",
  ),
  to(
    "POST /campaigns",
    { ...campaign, audienceType: "SEGMENT" },
    "segmentId",
    "audienceType is SEGMENT",
    "Send segmentId, or",
  ),
  to(
    "POST /campaigns",
    { ...campaign, audienceType: "SEGMENT", segmentId: "Pro" },
    '"segmentId"',
    '"received":"Pro"',
    "GET /segments",
  ),
  to("POST /campaigns", { ...campaign, audienceType: "LIST" }, '"audienceType"', '"received":"LIST"', '"FILTERED"'),
  to(
    "POST /campaigns",
    { ...campaign, audienceType: undefined },
    '"audienceType"',
    '"code":"required"',
    "ALL, SEGMENT, FILTERED",
  ),
  to(
    "POST /campaigns",
    { ...campaign, scheduled_at: "2030-01-01T00:00:00Z" },
    '"scheduled_at"',
    "2030-01-01",
    "POST /campaigns/{id}/send",
  ),
  to("POST /campaigns", { ...campaign, preheader: "Look" }, '"preheader"', '"received":"Look"', "Use previewText"),
  to(
    "POST /campaigns/{campaign}/send",
    { scheduledAt: "2030-01-01T00:00:00Z" },
    '"scheduledAt"',
    "2030-01-01",
    "Use scheduledFor",
  ),
  to("POST /campaigns/{campaign}/send", { scheduledFor: "soon" }, "scheduledFor", "soon", "2026"),
  to("POST /campaigns/{campaign}/test", { to: "ada@example.com" }, '"to"', "ada@example.com", "Use email"),
  to("GET /campaigns/March", undefined, '"id"', "March", "UUID"),
  to("POST /campaigns/{campaign}/cancel", undefined, "campaign", "DRAFT", "SCHEDULED"),
  to("POST /domains", { name: "acme.com" }, '"name"', '"received":"acme.com"', "Use domain"),
  to("POST /domains", { domain: "https://acme.com" }, '"domain"', "https://acme.com", "such as acme.com"),
  to("POST /domains", { domain: "gmail.com" }, '"domain"', "gmail.com", "a domain that you own"),
  to(
    "POST /webhooks",
    { url: "https://example.com/x", enabled_events: ["*"] },
    '"enabled_events"',
    '"received":["*"',
    "Use events",
  ),
  to("POST /webhooks", { url: "example.com/x", events: ["*"] }, '"url"', "example.com/x", "https://"),
  to(
    "POST /webhooks",
    { url: "http://localhost:3000/x", events: ["*"] },
    '"url"',
    "localhost",
    "OUTBOUND_ALLOW_LOOPBACK",
  ),
  to("POST /webhooks", { url: "https://example.com/x", events: "*" }, '"events"', '"received":"*"', "array"),
  to(
    "POST /webhooks",
    { url: "https://example.com/x", events: ["*"], secret: "s3cret" },
    '"secret"',
    '"received":"s3cret"',
    "Petrel makes the secret",
  ),
  to(
    "POST /webhooks",
    { endpoint: "https://example.com/x", events: ["*"] },
    '"endpoint"',
    "https://example.com/x",
    "Use url",
  ),
  to("POST /topics", { name: "News", slug: "my-news" }, '"slug"', "my-news", "made from the name"),
  {
    ...to("POST /admin/projects/{project}/keys", { type: "secret" }, '"type"', '"received":"secret"', "Use kind"),
    headers: operator,
  },
  {
    ...to("POST /admin/projects/{project}/keys", {}, '"kind"', '"code":"required"', "secret, public, read"),
    headers: operator,
  },
  { ...to("POST /admin/projects", {}, '"name"', '"code":"required"', "a name of your own"), headers: operator },
  {
    ...to("PATCH /admin/projects/{project}", { tracking: true }, '"tracking"', '"received":true', '"MARKETING_ONLY"'),
    headers: operator,
  },
];
