import type { QueueMessage } from "../../src/core/messages";

/** A stored id, as messages carry it. */
const id = "-NxYz1aB2cD3eF4gH5iJ6k";
const job = { projectId: 7, jobId: id };

const result = {
  ...{
    projectId: 7,
    emailId: id,
    campaignId: null,
    round: "r1",
    status: "SENT",
    error: null,
    providerMessageId: "m-1",
  },
  ...{ retryAt: null, uncertainSince: null, isUntried: false, settledBy: "lookup" },
  reports: [
    { kind: "delivered" },
    { kind: "bounced", bounceType: "hard", reason: "550" },
    { kind: "bounced", bounceType: "soft", reason: "450", isTransient: true },
    { kind: "complained" },
  ],
};
const uncalled = { projectId: 7, emailId: id, call: "c1", isRepeat: false, handedAt: 1, uncertainSince: null };
const hit = { id: "h1", kind: "click", emailId: id, at: 1, link: "https://acme.test/", number: 0, isAutomated: false };

/**
 * A message of each type with all its fields, as a queue holds it. The version that is out has sent such messages, and
 * the next one finds them in its queues: after a release an entry is added to, and never changed.
 */
export const sentMessages: Record<QueueMessage["type"], { type: string } & Record<string, unknown>> = {
  "mail.deliver": { type: "mail.deliver", projectId: 7, priority: 0, emailIds: [id], again: true },
  "mail.settle": { type: "mail.settle", projectId: 7, results: [result], uncalled: [uncalled], noted: [id] },
  "mail.drain": { type: "mail.drain", projectId: 7, provider: "resend" },
  "domains.check": { type: "domains.check", domains: [{ projectId: 7, domainId: id }] },
  "campaigns.count": { type: "campaigns.count", projectId: 7 },
  "campaigns.run": { type: "campaigns.run", projectId: 7, campaignId: id },
  "events.dispatch": { type: "events.dispatch", projectId: 7, eventIds: [id] },
  "tracking.record": { type: "tracking.record", projectId: 7, hits: [hit] },
  "webhooks.drain": { type: "webhooks.drain" },
  "workflows.wake": { type: "workflows.wake", projectId: 7, shards: [0, 15] },
  "workflows.call": { type: "workflows.call" },
  "sweeps.run": { type: "sweeps.run", cron: "* * * * *", shards: ["DB"], sweeps: ["stuck mail"] },
  "campaigns.preflight": { type: "campaigns.preflight", ...job },
  "emails.retry": { type: "emails.retry", ...job },
  "events.delete": { type: "events.delete", ...job },
  "contacts.import": { type: "contacts.import", ...job },
  "contacts.import-undo": { type: "contacts.import-undo", ...job },
  "contacts.bulk": { type: "contacts.bulk", ...job },
  "contacts.erase": { type: "contacts.erase", ...job },
  "contacts.delete-field": { type: "contacts.delete-field", ...job },
  "contacts.count-fields": { type: "contacts.count-fields", ...job },
  "segments.compute": { type: "segments.compute", ...job },
  "segments.count": { type: "segments.count", ...job },
  "segments.delete-members": { type: "segments.delete-members", ...job },
  "webhooks.try": { type: "webhooks.try", ...job },
  "workflows.start": { type: "workflows.start", ...job },
  "workflows.end": { type: "workflows.end", ...job },
  "workflows.forget": { type: "workflows.forget", ...job },
  "workflows.vacate": { type: "workflows.vacate", ...job },
  "project.erase": { type: "project.erase", ...job },
  "project.advance": { type: "project.advance", ...job },
  "project.backup": { type: "project.backup", ...job },
  "project.restore": { type: "project.restore", ...job },
  "project.move": { type: "project.move", ...job },
};

/** The message with a field that only a later version knows, once in each of its objects. */
export function withLaterField(message: unknown): unknown[] {
  if (Array.isArray(message)) {
    return message.flatMap((item, index) => withLaterField(item).map((changed) => message.with(index, changed)));
  }
  if (typeof message !== "object" || message === null) return [];
  const inner = Object.entries(message).flatMap(([name, value]) =>
    withLaterField(value).map((changed) => ({ ...message, [name]: changed })),
  );
  return [{ ...message, later: true }, ...inner];
}
