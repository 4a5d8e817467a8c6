import { z } from "zod";
import { BadRequest } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import type { Api } from "../api";
import { pick, rowsOf } from "../fields";
import { contactOf, idOf } from "../named";
import { type Outcome, readingTool } from "../tool";
import { Campaign, Contact, Segment, Workflow } from "./arguments";

const recent = 5;

export const explainContact = readingTool({
  name: "explain_contact",
  title: "Explain a contact",
  description:
    "Explain why a person gets or does not get mail. With campaign: whether the campaign reaches them, and every reason. With " +
    "segment: each filter, and whether it matches. With workflow: their path through it. With none of these: their record, " +
    "topics, newest emails and workflow executions.",
  input: z.strictObject({
    contact: Contact,
    campaign: Campaign.optional(),
    segment: Segment.optional(),
    workflow: Workflow.optional(),
  }),
  async run({ api }, { contact, campaign, segment, workflow }) {
    const about = [campaign, segment, workflow].filter((one) => one !== undefined);
    if (about.length > 1) {
      throw new BadRequest("Pass at most one of campaign, segment and workflow.", {
        suggestion: "Call the tool once for each.",
      });
    }
    const person = await contactOf(api, contact);
    const who = { contact: pick(person, "id", "email", "subscribed", "snoozedUntil", "optedOutAt") };
    if (campaign !== undefined) return { data: { ...who, ...(await byCampaign(api, person, campaign)) } };
    if (segment !== undefined) return { data: { ...who, ...(await bySegment(api, person, segment)) } };
    if (workflow !== undefined) return byWorkflow(api, person, { who, workflow });
    return { data: await overview(api, person) };
  },
});

async function byCampaign(api: Api, { id: contactId }: JsonObject, campaign: string): Promise<JsonObject> {
  const id = await idOf(api, "campaign", campaign);
  const [explained, row] = await Promise.all([
    api.get(`/campaigns/${id}/explain`, { contactId: String(contactId) }),
    api.get(`/campaigns/${id}`),
  ]);
  const answer = pick(explained, "outcome", "inAudience", "reasons", "emailId", "basis", "asOf");
  return { campaign: pick(row, "id", "name", "status"), ...answer };
}

async function bySegment(api: Api, { id: contactId }: JsonObject, segment: string): Promise<JsonObject> {
  const id = await idOf(api, "segment", segment);
  const [explanation, row] = await Promise.all([
    api.post(`/segments/${id}/explain`, { contactId: String(contactId) }),
    api.get(`/segments/${id}`),
  ]);
  return { segment: pick(row, "id", "name", "type"), explanation };
}

async function byWorkflow(
  api: Api,
  { id: contactId }: JsonObject,
  { who, workflow }: { who: JsonObject; workflow: string },
): Promise<Outcome> {
  const id = await idOf(api, "workflow", workflow);
  const [page, row] = await Promise.all([
    api.get(`/workflows/${id}/executions`, { contactId: String(contactId), pageSize: recent }),
    api.get(`/workflows/${id}`),
  ]);
  const executions = rowsOf(page.data);
  const data: JsonObject = { ...who, workflow: pick(row, "id", "name", "enabled"), executions: executions.map(brief) };
  const [newest] = executions;
  if (newest === undefined) {
    return { data, next: "The contact has never entered this workflow. simulate_workflow shows what would happen." };
  }
  const { path = [] } = await api.get(`/workflows/${id}/executions/${newest.id}/explain`);
  return { data: { ...data, pathOfNewest: path } };
}

async function overview(api: Api, contact: JsonObject): Promise<JsonObject> {
  const path = `/contacts/${contact.id}`;
  const [topics, emails, executions] = await Promise.all([
    api.get(`${path}/topics`),
    api.get("/emails", { contactId: String(contact.id), limit: recent }),
    api.get(`${path}/executions`, { limit: recent }),
  ]);
  return {
    contact,
    ...pick(topics, "topics"),
    newestEmails: rowsOf(emails.data).map((one) =>
      pick(one, "id", "subject", "source", "status", "error", "createdAt"),
    ),
    executions: rowsOf(executions.data).map(brief),
  };
}

function brief(execution: JsonObject): JsonObject {
  const [what, when] = [
    ["status", "currentStepName", "exitReason", "error"],
    ["startedAt", "completedAt"],
  ];
  return pick(execution, "id", "workflowId", "workflowName", ...what, ...when);
}
