import type { Mistake } from "./mistake";

function step(body: unknown, names: string, saw: string, says: string): Mistake {
  return { call: "POST /workflows/{workflow}/steps", body, names, saw, says };
}

/** Mistakes with workflows. */
export const mistakesInWorkflows: Mistake[] = [
  step({ type: "DELAY", config: { duration: "2d" } }, "config.duration", '"received":"2d"', "Use amount and unit"),
  step({ type: "DELAY", config: { amount: 2, unit: "weeks" } }, "config.unit", '"received":"weeks"', '"days"'),
  step({ type: "DELAY", amount: 2, unit: "days" }, '"amount"', '"received":2', "Put it into config"),
  step({ type: "DELAY", config: { amount: 400, unit: "days" } }, "config.amount", '"received":400', "at most 365 days"),
  step({ type: "WAIT_FOR_EVENT", config: { event: "x" } }, "config.event", '"received":"x"', "Use eventName"),
  step(
    { type: "SEND_EMAIL", config: { subject: "x", body: "y" } },
    "config.subject",
    '"received":"x"',
    "POST /templates",
  ),
  step({ type: "SEND_EMAIL", template: "Welcome" }, '"template"', "Welcome", "Use templateId"),
  step(
    { type: "SEND_EMAIL", config: { recipient: { type: "CUSTOM", customEmail: "{{ event.email }}" } } },
    "customEmail",
    "{{ event.email }}",
    "Must be a literal address",
  ),
  step({ type: "EMAIL" }, '"type"', '"received":"EMAIL"', '"SEND_EMAIL"'),
  step({ config: {} }, '"type"', '"code":"required"', "SEND_EMAIL, DELAY"),
  step(
    { type: "CONDITION", config: { if: "plan == pro" } },
    "config.if",
    "plan == pro",
    "Use field, operator and value",
  ),
  step({ type: "WEBHOOK", config: { url: "http://10.0.0.1/x", method: "POST" } }, "config.url", "10.0.0.1", "public"),
  step({ type: "EXIT", parentId: "{trigger}" }, '"parentId"', '"received":', "Use connectFrom"),
  {
    call: "PATCH /workflows/{workflow}",
    body: { triggerType: "CRON" },
    names: '"triggerType"',
    saw: '"received":"CRON"',
    says: '"SCHEDULE"',
  },
  {
    call: "PATCH /workflows/{workflow}",
    body: { triggerType: "SCHEDULE", triggerConfig: { cron: "* * * * *", segmentId: "{static}" } },
    names: "cron",
    saw: "* * * * *",
    says: "5 minutes",
  },
  {
    call: "PATCH /workflows/{workflow}",
    body: { cron: "0 9 * * MON" },
    names: '"cron"',
    saw: "0 9 * * MON",
    says: "Put it into triggerConfig",
  },
  {
    call: "POST /workflows/{workflow}/transitions",
    body: { fromStepId: "{trigger}", toStepId: "{trigger}" },
    names: "toStepId",
    saw: "to itself",
    says: "another step",
  },
  {
    call: "POST /workflows/{workflow}/executions",
    body: { email: "ada@example.com" },
    names: '"email"',
    saw: "ada@example.com",
    says: "Use contactId",
  },
];
