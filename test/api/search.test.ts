import { describe, expect, it } from "vitest";
import { publicId } from "../../src/core/ids";
import { search } from "../../src/features/search/search";
import { newCampaign } from "../support/campaign";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid } from "../support/refusal";
import { newContact, newSegment } from "../support/segment";
import { newTemplate } from "../support/template";
import { newTopic } from "../support/topic";
import { newWebhook } from "../support/webhook";
import { newWorkflow } from "../support/workflow";
import { World } from "../support/world";

interface Result {
  type: string;
  id: string;
  name: string;
  hint: string;
}

async function find(project: TestProject, q: string): Promise<Result[]> {
  const { status, body } = await project.api.get(`/search?q=${encodeURIComponent(q)}`);
  expect(status).toBe(200);
  return body.results;
}

/** One of each type. All but contact, email, domain and webhook are called Überraschung. */
async function filled() {
  const [world, project] = [new World(), await newProject()];
  const name = "Überraschung 100%";
  const contact = await newContact(project, "ada@example.com");
  const email = (await project.api.send({ subject: "Überraschung" })).body.data.emails[0].email;
  const template = await newTemplate(project, { name });
  const campaign = await newCampaign(project, { name });
  const segment = await newSegment(project, { name });
  const workflow = await newWorkflow(project);
  await project.api.patch(`/workflows/${publicId(workflow.id)}`, { name });
  const topic = await newTopic(project, { name });
  const webhook = await newWebhook(world, project);
  const [domain] = (await project.api.get("/domains")).body.data ?? (await project.api.get("/domains")).body;
  const ids = {
    contact: contact.id,
    email,
    template: template.id,
    campaign: campaign.id,
    segment: segment.id,
    workflow: publicId(workflow.id),
    topic: topic.id,
    domain: domain.id,
    webhook: webhook.id,
  };
  return { project, ids, webhook };
}

describe("GET /search", () => {
  it("finds everything by its id, and nothing of another project", async () => {
    const [{ project, ids }, other] = [await filled(), await newProject()];
    for (const [type, id] of Object.entries<string>(ids)) {
      expect(await find(project, id), type).toMatchObject([{ type, id }]);
      expect(await find(project, ` ${id.toUpperCase()} `), type).toMatchObject([{ type, id }]);
      expect(await find(other, id), type).toEqual([]);
    }
  });

  it("finds names by their beginning, in capital or small letters, and nothing of another project", async () => {
    const [{ project, ids }, other] = [await filled(), await newProject()];
    const named = ["template", "campaign", "segment", "workflow", "topic"] as const;
    for (const q of ["überr", "ÜBERRASCHUNG", "Überraschung 100%"]) {
      const found = await find(project, q);
      expect(found.map(({ type, id }) => [type, id])).toEqual(named.map((type) => [type, ids[type]]));
      expect(await find(other, q)).toEqual([]);
    }
    expect(await find(project, "raschung")).toEqual([]);
  });

  it("finds a contact by its whole address, a sender domain and a webhook by their beginning", async () => {
    const { project, ids } = await filled();
    expect(await find(project, "Ada@Example.com")).toEqual([
      { type: "contact", id: ids.contact, name: "ada@example.com", hint: "Subscribed" },
    ]);
    expect(await find(project, "ada@")).toEqual([]);
    expect(await find(project, project.domain.slice(0, 8))).toEqual([
      { type: "domain", id: ids.domain, name: project.domain, hint: "VERIFIED" },
    ]);
    const { url } = (await project.api.get(`/webhooks/${ids.webhook}`)).body;
    for (const q of [url.slice(0, 12), url.replace("https://", "").slice(0, 6)]) {
      expect(await find(project, q)).toMatchObject([{ type: "webhook", id: ids.webhook, name: url }]);
    }
  });

  it("gives at most 20 results, of which each type has some", async () => {
    const project = await newProject();
    for (let n = 0; n < 22; n++) await newTemplate(project, { name: `News ${n}` });
    await newSegment(project, { name: "news readers" });
    const found = await find(project, "news");
    expect(found).toHaveLength(20);
    expect(found.filter(({ type }) => type === "segment")).toHaveLength(1);
  });

  it.each([
    "%",
    "_",
    "' OR 1=1 --",
    '";DROP TABLE contacts;',
    "*",
    "[a-z]*",
    "\\",
    "\u{10ffff}",
    "\n",
    "null",
    "🙈",
    "'",
  ])("takes %j as it is", async (q) => {
    const { project } = await filled();
    if (q.trim() !== "") expect(await find(project, q)).toEqual([]);
    expect((await project.api.get("/contacts")).body.total).toBe(1);
  });

  it("refuses what cannot name anything", async () => {
    const project = await newProject();
    expectInvalid(await project.api.get("/search"), "q", "required");
    expectInvalid(await project.api.get("/search?q=%20"), "q", "too_small");
    expectInvalid(await project.api.get("/search?q=%00"), "q", "invalid_string");
    expectInvalid(await project.api.get(`/search?q=${"x".repeat(2_001)}`), "q", "too_big");
  });

  it("reads no more because a project has more", async () => {
    const { project, ids } = await filled();
    const world = new World();
    const { ctx } = await world.context(project);
    await search(ctx, "news");
    await search(ctx, ids.contact);
    await expectBounded(world.statements, [
      // A project has 1,000 segments, 1,000 topics ever, and 20 webhooks at most.
      { sql: /FROM (segments|topics|webhooks) WHERE/, step: /\(project_id=\?\)$/ },
    ]);
  });
});
