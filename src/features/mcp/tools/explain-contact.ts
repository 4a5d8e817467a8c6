import { z } from "zod";
import { BadRequest } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import type { Api } from "../api";
import { pick, rowsOf } from "../fields";
import { contactOf, idOf } from "../named";
import { type Outcome, readingTool } from "../tool";
import { Campaign, Contact, Segment, Template, Workflow } from "./arguments";

const recent = 5;

export const explainContact = readingTool({
  name: "explain_contact",
  title: "Explain a contact",
  description:
    "Explain why a person gets or does not get mail. With campaign, template or workflow: whether they got it, will get it or " +
    "will not, with every reason, since when it applies and where it is recorded; with workflow also their path through it. With " +
    "segment: each filter, and whether it matches. With none of these: their record, topics, newest emails and executions.",
  input: z.strictObject({
    contact: Contact,
    campaign: Campaign.optional(),
    template: Template.optional(),
    segment: Segment.optional(),
    workflow: Workflow.optional(),
  }),
  async run({ api }, { contact, campaign, template, segment, workflow }) {
    const about = [campaign, template, segment, workflow].filter((one) => one !== undefined);
    if (about.length > 1) {
      throw new BadRequest("Pass at most one of campaign, template, segment and workflow.", {
        suggestion: "Call the tool once for each.",
      });
    }
    const person = await contactOf(api, contact);
    const who = { contact: pick(person, "id", "email", "subscribed", "snoozedUntil", "optedOutAt") };
    if (campaign !== undefined) return { data: { ...who, ...(await byCampaign(api, person, campaign)) } };
    if (template !== undefined) return { data: { ...who, ...(await byTemplate(api, person, template)) } };
    if (segment !== undefined) return { data: { ...who, ...(await bySegment(api, person, segment)) } };
    if (workflow !== undefined) return byWorkflow(api, person, { who, workflow });
    return { data: await overview(api, person) };
  },
});

/** Asks the API whether the person gets the mail that `about` names, and why. */
async function explained(api: Api, { id }: JsonObject, about: JsonObject): Promise<JsonObject> {
  return pick(await api.post(`/contacts/${id}/explain`, about), "verdict", "because");
}

async function byCampaign(api: Api, person: JsonObject, campaign: string): Promise<JsonObject> {
  const id = await idOf(api, "campaign", campaign);
  const [why, row] = await Promise.all([explained(api, person, { campaignId: id }), api.get(`/campaigns/${id}`)]);
  return { campaign: pick(row, "id", "name", "status"), ...why };
}

async function byTemplate(api: Api, person: JsonObject, template: string): Promise<JsonObject> {
  const id = await idOf(api, "template", template);
  const [why, row] = await Promise.all([explained(api, person, { templateId: id }), api.get(`/templates/${id}`)]);
  return { template: pick(row, "id", "name"), ...why };
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
  person: JsonObject,
  { who, workflow }: { who: JsonObject; workflow: string },
): Promise<Outcome> {
  const id = await idOf(api, "workflow", workflow);
  const [why, page, row] = await Promise.all([
    explained(api, person, { workflowId: id }),
    api.get(`/workflows/${id}/executions`, { contactId: String(person.id), pageSize: recent }),
    api.get(`/workflows/${id}`),
  ]);
  const executions = rowsOf(page.data);
  const shown = { workflow: pick(row, "id", "name", "enabled"), ...why };
  const data: JsonObject = { ...who, ...shown, executions: executions.map(brief) };
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
