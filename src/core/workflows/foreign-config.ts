import { type ForeignName, foreign } from "../foreign-names";
import type { StepType } from "./step";

const template =
  "A SEND_EMAIL step mails a template: make one with POST /templates, and give its id as templateId next to config";

const amount = 'Use amount and unit, such as { "amount": 2, "unit": "days" }';

/** The names that other tools use for the parts of a step's config. */
export const foreignNamesOfConfig: Partial<Record<StepType, readonly ForeignName[]>> = {
  SEND_EMAIL: [
    ...foreign(["subject", "body", "html", "from", "content"], { advice: template }),
    ...foreign(["template", "template_id"], { standsFor: "templateId", advice: "Use templateId, the template's id" }),
    ...foreign(["to", "email"], {
      standsFor: "recipient",
      advice: 'Leave it out for the contact, or use recipient: { "type": "CUSTOM", "customEmail": "ada@example.com" }',
    }),
  ],
  DELAY: foreign(["duration", "delay", "wait", "seconds", "minutes", "hours", "days", "until"], {
    standsFor: "amount",
    advice: amount,
  }),
  WAIT_FOR_EVENT: [
    ...foreign(["event", "event_name", "name"], { standsFor: "eventName", advice: "Use eventName, the event's name" }),
    ...foreign(["timeoutSeconds", "duration", "maxWait"], { standsFor: "timeout", advice: "Use timeout, in seconds" }),
  ],
  CONDITION: foreign(["conditions", "filter", "filters", "if", "expression"], {
    standsFor: "condition",
    advice: 'Use field, operator and value, such as { "field": "data.plan", "operator": "equals", "value": "pro" }',
  }),
  WEBHOOK: [
    ...foreign(["endpoint", "uri"], { standsFor: "url", advice: "Use url" }),
    ...foreign(["payload", "json"], { standsFor: "body", advice: "Use body, any JSON" }),
  ],
  UPDATE_CONTACT: foreign(["fields", "attributes", "properties", "set"], {
    standsFor: "data",
    advice: 'Use data, such as { "data": { "plan": "pro" } }',
  }),
};
