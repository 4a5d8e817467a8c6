import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { callers } from "../../src/engine/projects/cache";
import { sendCampaign } from "../../src/features/campaigns/send";
import { newCampaign } from "../support/campaign";
import { admin, call, newProject, setDisabled, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { isPro, newContact, newSegment } from "../support/segment";
import { newTemplate } from "../support/template";
import { chooseTopics, newTopic } from "../support/topic";
import { type GivenWorkflow, newWorkflow } from "../support/workflow";
import { World } from "../support/world";

interface Shown {
  verdict: string;
  because: { at: string | null; code: string; message: string; source: { type: string; id: string } }[];
}

async function explain({ api }: TestProject, contactId: string, asked: object): Promise<Shown> {
  const { status, body } = await api.post(`/contacts/${contactId}/explain`, asked);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The verdict, and the codes in their order. */
async function brief(project: TestProject, contactId: string, asked: object): Promise<string[]> {
  const { verdict, because } = await explain(project, contactId, asked);
  return [verdict, ...because.map(({ code }) => code)];
}

async function send(world: World, project: TestProject, id: string): Promise<void> {
  const { ctx } = await world.context(project);
  await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
}

async function goOn(world: World, seconds = 10): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    world.now += 1_000;
    await world.drain();
  }
}

const toPro = { audienceType: "FILTERED", audienceCondition: isPro };

/** Somebody for each reason to get nothing of a campaign to those with the plan `pro`. */
async function set() {
  const [world, project] = [new World(), await newProject()];
  const topic = await newTopic(project);
  const person = (name: string, fields: object = {}) =>
    newContact(project, `${name}@example.com`, { data: { plan: "pro" }, ...fields });
  const ada = await person("ada");
  const gone = await person("gone");
  await project.api.patch(`/contacts/${gone.id}`, { subscribed: false });
  const never = await person("never", { subscribed: false });
  await project.db
    .prepare("UPDATE contacts SET opted_out_at = NULL, opted_out_by = NULL WHERE id = ?")
    .bind(never.id)
    .run();
  const away = await person("away");
  await project.api.post(`/contacts/${away.id}/snooze`, { duration: "14d" });
  const bored = await person("bored");
  await chooseTopics(project, bored.id, { [topic.slug]: false });
  const listed = await person("listed");
  await project.api.post("/suppressions", { email: listed.email, reason: "complaint" });
  const free = await person("free", { data: { plan: "free" } });
  const { id: campaignId } = await newCampaign(project, { ...toPro, topicId: topic.id });
  return { world, project, topic, campaignId, people: { ada, gone, never, away, bored, listed, free } };
}

describe("a campaign", () => {
  it("tells who left, when, and how, from who was suppressed, snoozes, left the topic, or is not in the audience", async () => {
    const { world, project, topic, campaignId, people } = await set();
    await send(world, project, campaignId);
    await goOn(world);
    const told = async (name: keyof typeof people) => explain(project, people[name].id, { campaignId });
    expect(await brief(project, people.ada.id, { campaignId })).toEqual(["UNKNOWN", "sent"]);
    expect(await told("gone")).toEqual({
      verdict: "NOT_RECEIVED",
      because: [
        {
          ...{ at: expect.stringMatching(/Z$/), code: "unsubscribed" },
          message: "An API call unsubscribed the contact",
          source: { type: "contact", id: people.gone.id },
        },
      ],
    });
    expect((await told("never")).because).toMatchObject([
      { at: null, code: "unsubscribed", message: "The contact was never subscribed" },
    ]);
    expect((await told("away")).because).toMatchObject([{ code: "snoozed", source: { type: "contact" } }]);
    expect((await told("bored")).because).toMatchObject([
      { at: expect.any(String), code: "topic", source: { type: "topic", id: topic.id } },
    ]);
    expect((await told("listed")).because).toMatchObject([
      { code: "suppressed", source: { type: "email" } },
      {
        ...{ at: expect.any(String), code: "suppressed" },
        message: "The address is on the suppression list: complaint",
        source: { type: "suppression", id: "listed@example.com" },
      },
    ]);
    expect(await told("free")).toMatchObject({
      verdict: "NOT_RECEIVED",
      because: [{ code: "filter", source: { type: "campaign", id: campaignId } }],
    });
    const late = await newContact(project, "late@example.com", { data: { plan: "pro" } });
    expect(await brief(project, late.id, { campaignId })).toEqual(["NOT_RECEIVED", "created_later"]);
  });

  it("names the segment of the audience", async () => {
    const project = await newProject();
    const segment = await newSegment(project);
    const ada = await newContact(project, "ada@example.com");
    const { id: campaignId } = await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id });
    expect((await explain(project, ada.id, { campaignId })).because).toMatchObject([
      { code: "filter", source: { type: "segment", id: segment.id } },
    ]);
  });

  it("tells a draft, a schedule, a pause and a cancel apart", async () => {
    const { world, project, campaignId, people } = await set();
    const ada = people.ada.id;
    expect(await brief(project, ada, { campaignId })).toEqual(["NOT_RECEIVED", "draft"]);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    await project.api.post(`/campaigns/${campaignId}/send`, { scheduledFor: tomorrow });
    expect(await brief(project, ada, { campaignId })).toEqual(["WILL_RECEIVE", "scheduled"]);

    const now = await newCampaign(project, toPro);
    await send(world, project, now.id);
    expect(await brief(project, ada, { campaignId: now.id })).toEqual(["WILL_RECEIVE", "not_reached"]);
    await project.api.post(`/campaigns/${now.id}/pause`);
    const paused = await explain(project, ada, { campaignId: now.id });
    expect(paused).toMatchObject({ verdict: "NOT_RECEIVED", because: [{ code: "held" }] });
    expect(paused.because[0]?.message).toBe("The campaign is held: paused");
    await project.api.post(`/campaigns/${now.id}/cancel`);
    expect(await explain(project, ada, { campaignId: now.id })).toMatchObject({
      verdict: "NOT_RECEIVED",
      because: [{ at: expect.any(String), code: "changed", message: expect.stringContaining("cancelled") }],
    });
  });

  it("tells that the contact waits for the canary, and that mail came to nothing because of a cancel", async () => {
    const [world, project] = [new World(), await newProject()];
    const people = await Promise.all(
      Array.from({ length: 10 }, (_, n) => newContact(project, `p${n}@example.com`, { data: { plan: "pro" } })),
    );
    const { id: campaignId } = await newCampaign(project, { ...toPro, canary: { percent: 10, holdMinutes: 60 } });
    await send(world, project, campaignId);
    await goOn(world);
    const told = await Promise.all(people.map(({ id }) => brief(project, id, { campaignId })));
    expect(told.filter(([, code]) => code === "sent")).toHaveLength(1);
    expect(told.filter(([verdict, code]) => verdict === "WILL_RECEIVE" && code === "canary")).toHaveLength(9);
    const waiting = people[told.findIndex(([, code]) => code === "canary")]?.id ?? "";
    await project.api.post(`/campaigns/${campaignId}/cancel`);
    await world.pass(2);
    expect(await brief(project, waiting, { campaignId })).toEqual(["NOT_RECEIVED", "cancelled"]);
  });

  it("tells of mail that will not go: the domain, a disabled project, the month's limit, and the brake", async () => {
    const { project, campaignId, people } = await set();
    const ada = people.ada.id;
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    await project.api.post(`/campaigns/${campaignId}/send`, { scheduledFor: tomorrow });
    const inControl = (set: string) =>
      env.DB.prepare(`UPDATE projects SET ${set} WHERE number = ?`).bind(project.number).run();

    await project.db.prepare("UPDATE domains SET status = 'PENDING' WHERE domain = ?").bind(project.domain).run();
    expect(await brief(project, ada, { campaignId })).toEqual(["NOT_RECEIVED", "sender_domain", "scheduled"]);
    await project.db.prepare("UPDATE domains SET status = 'VERIFIED' WHERE domain = ?").bind(project.domain).run();

    await inControl("sending_paused_reason = 'Of the last 1000 emails, 90 bounced.', sending_paused_at = 5");
    callers.clear();
    const braked = await explain(project, ada, { campaignId });
    expect(braked).toMatchObject({
      verdict: "NOT_RECEIVED",
      because: [{ at: "1970-01-01T00:00:00.005Z", code: "sending_paused" }, { code: "scheduled" }],
    });
    await inControl("sending_paused_reason = NULL, sending_paused_at = NULL");

    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: 1 });
    await project.api.send({ to: "other@example.com" });
    callers.clear();
    expect(await brief(project, ada, { campaignId })).toEqual(["NOT_RECEIVED", "monthly_limit", "scheduled"]);
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: null });

    await setDisabled(project, true);
    expect(await brief(project, ada, { campaignId })).toEqual(["NOT_RECEIVED", "project_disabled", "scheduled"]);
  });
});

describe("an email", () => {
  /** A mail that nobody delivers, with a row as it is after what happened. */
  async function mail(project: TestProject, set: string): Promise<string> {
    const { body } = await project.api.send({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
    const [{ email, contact }] = body.data.emails;
    const id = email as string;
    await project.db.prepare(`UPDATE emails SET ${set} WHERE id = ?`).bind(id).run();
    return JSON.stringify({ id, contact: typeof contact === "string" ? contact : contact.id });
  }

  it.each([
    ["waits", "status = 'QUEUED'", ["WILL_RECEIVE", "waiting"]],
    [
      "waits for the brake",
      "error = 'Waits, because the marketing email of this project is paused'",
      ["NOT_RECEIVED", "sending_paused"],
    ],
    ["was accepted by the provider", "status = 'SENT', sent_at = 1", ["UNKNOWN", "sent"]],
    ["was delivered", "status = 'DELIVERED'", ["RECEIVED", "delivered"]],
    ["was opened", "status = 'OPENED'", ["RECEIVED", "opened"]],
    ["was clicked", "status = 'CLICKED'", ["RECEIVED", "clicked"]],
    ["drew a complaint", "status = 'COMPLAINED'", ["RECEIVED", "complained"]],
    ["bounced", "status = 'BOUNCED', error = 'Mailbox full'", ["NOT_RECEIVED", "bounced"]],
    ["has an unknown outcome", "status = 'UNKNOWN'", ["UNKNOWN", "unknown"]],
    ["failed at the provider", "status = 'FAILED', error = 'Rejected by policy'", ["NOT_RECEIVED", "failed"]],
    [
      "could not be rendered",
      "status = 'FAILED', error = 'The template could not be rendered: no.'",
      ["NOT_RECEIVED", "rendering"],
    ],
    ["was over the limit", "status = 'FAILED', error = 'Monthly limit reached'", ["NOT_RECEIVED", "monthly_limit"]],
    [
      "lost its domain",
      "status = 'FAILED', error = 'The sender domain is no longer a verified domain of this project'",
      ["NOT_RECEIVED", "sender_domain"],
    ],
    [
      "met a disabled project",
      "status = 'FAILED', error = 'The project is disabled'",
      ["NOT_RECEIVED", "project_disabled"],
    ],
    ["was cancelled", "status = 'CANCELLED'", ["NOT_RECEIVED", "cancelled"]],
    [
      "went to an earlier address",
      "status = 'DELIVERED', to_email = 'old@example.com'",
      ["RECEIVED", "delivered", "other_address"],
    ],
  ])("that %s", async (_, row, expected) => {
    const project = await newProject();
    const { id, contact } = JSON.parse(await mail(project, row));
    const told = await explain(project, contact, { emailId: id });
    expect([told.verdict, ...told.because.map(({ code }) => code)]).toEqual(expected);
    expect(told.because[0]).toMatchObject({ at: expect.any(String), source: { type: "email", id } });
    if (row.includes("Mailbox")) expect(told.because[0]?.message).toBe("Mailbox full");
  });

  it.each<[string, string, object]>([
    ["failed", "status = 'FAILED', error = 'Mailbox full'", { verdict: "SENT", mayArriveTwice: false, because: [] }],
    ["may have arrived", "status = 'UNKNOWN'", { verdict: "SENT", mayArriveTwice: true, because: [] }],
    [
      "has no content any more",
      "status = 'FAILED', is_forgotten = 1",
      { verdict: "NOT_SENT", because: [{ code: "content_gone" }] },
    ],
  ])("that %s says what sending it again would do", async (_, row, expected) => {
    const project = await newProject();
    const { id, contact } = JSON.parse(await mail(project, `${row}, scheduled_at = NULL`));
    const { body } = await project.api.post(`/contacts/${contact}/explain`, { emailId: id });
    expect(body.retry).toMatchObject({ to: expect.stringContaining("@"), waitsUntil: null, ...expected });
  });

  it("says why it would not be sent, until when it would wait, and nothing of mail that is not sent again", async () => {
    const project = await newProject();
    const { id, contact } = JSON.parse(await mail(project, "status = 'CANCELLED'"));
    const { body: person } = await project.api.get(`/contacts/${contact}`);
    expect((await project.api.post("/suppressions", { email: person.email })).status).toBeLessThan(300);
    const retried = await project.api.post(`/contacts/${contact}/explain`, { emailId: id });
    expect(retried.body.retry).toMatchObject({ verdict: "NOT_SENT", because: [{ code: "suppressed" }] });
    expect(Date.parse(retried.body.retry.waitsUntil)).toBeGreaterThan(Date.now());
    await project.db.prepare("UPDATE emails SET status = 'DELIVERED' WHERE id = ?").bind(id).run();
    expect((await project.api.post(`/contacts/${contact}/explain`, { emailId: id })).body.retry).toBeUndefined();
  });

  it("that is another contact's is a 404", async () => {
    const project = await newProject();
    const { id } = JSON.parse(await mail(project, "status = 'QUEUED'"));
    const bob = await newContact(project, "bob@example.com");
    const answer = await project.api.post(`/contacts/${bob.id}/explain`, { emailId: id });
    expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", { details: { resource: "email", id } });
  });
});

describe("a template", () => {
  it("is explained by its newest email, and before that by what would keep one away", async () => {
    const project = await newProject();
    const { id: templateId } = await newTemplate(project, { type: "MARKETING" });
    const ada = await newContact(project, "ada@example.com", { subscribed: false });
    expect(await brief(project, ada.id, { templateId })).toEqual(["NOT_RECEIVED", "never_sent", "unsubscribed"]);
    await project.api.send({ to: "ada@example.com", template: templateId, subject: undefined, body: undefined });
    const told = await explain(project, ada.id, { templateId });
    expect(told).toMatchObject({
      verdict: "NOT_RECEIVED",
      because: [
        { code: "unsubscribed", source: { type: "email" } },
        { code: "unsubscribed", source: { type: "contact", id: ada.id } },
      ],
    });
  });
});

describe("a workflow", () => {
  const mailed: GivenWorkflow = {
    steps: {
      later: ["DELAY", { amount: 1, unit: "days" }],
      mail: ["SEND_EMAIL", {}],
      out: ["EXIT", { reason: "Done" }],
    },
    ways: [
      ["TRIGGER", "later"],
      ["later", "mail"],
      ["mail", "out"],
    ],
  };

  async function entered({ api }: TestProject, workflowId: string, contactId: string, until: string) {
    const path = `/workflows/${workflowId}/executions`;
    const { id } = (await api.post(path, { contactId })).body;
    await vi.waitFor(async () => expect((await api.get(`${path}/${id}`)).body.status).toBe(until), {
      ...{ timeout: 10_000, interval: 20 },
    });
    return `${path}/${id}`;
  }

  it("tells that the contact never entered, and why", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com");
    const workflowId = publicId((await newWorkflow(project, { ...mailed, enabled: false })).id);
    expect(await brief(project, ada.id, { workflowId })).toEqual([
      ...["NOT_RECEIVED", "not_entered", "workflow_disabled", "trigger_not_seen"],
    ]);
    await project.api.post("/events/track", { email: "ada@example.com", event: "signup" });
    expect(await brief(project, ada.id, { workflowId })).toEqual([
      ...["NOT_RECEIVED", "not_entered", "workflow_disabled", "not_entered"],
    ]);
    const segment = await newSegment(project);
    const { body } = await project.api.post("/workflows", {
      ...{ name: "Weekly", triggerType: "SCHEDULE", triggerConfig: { cron: "0 9 * * 1", segmentId: segment.id } },
    });
    await project.api.patch(`/workflows/${body.id}`, { enabled: true });
    expect(await brief(project, ada.id, { workflowId: body.id })).toEqual([
      ...["NOT_RECEIVED", "not_entered", "not_in_segment"],
    ]);
    await project.api.patch(`/contacts/${ada.id}`, { data: { plan: "pro" } });
    expect(await brief(project, ada.id, { workflowId: body.id })).toEqual(["UNKNOWN", "next_tick", "not_entered"]);
  });

  it("tells where the contact waits and until when, and how it left", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com");
    const workflowId = publicId((await newWorkflow(project, mailed)).id);
    const path = await entered(project, workflowId, ada.id, "WAITING");
    const told = await explain(project, ada.id, { workflowId });
    expect(told).toMatchObject({ verdict: "WILL_RECEIVE", because: [{ code: "execution_waiting" }] });
    expect(told.because[0]?.message).toMatch(/^The contact waits at the step "later" until \d{4}-.*Z$/);
    await project.api.delete(path);
    expect(await brief(project, ada.id, { workflowId })).toEqual(["NOT_RECEIVED", "execution_cancelled"]);
  });

  it("tells that a step was skipped for the contact", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com", { subscribed: false });
    const { id: templateId } = await newTemplate(project, { type: "MARKETING" });
    const given: GivenWorkflow = {
      steps: { mail: ["SEND_EMAIL", {}, { templateId }], out: ["EXIT", { reason: "Done" }] },
      ways: [
        ["TRIGGER", "mail"],
        ["mail", "out"],
      ],
    };
    const workflowId = publicId((await newWorkflow(project, given)).id);
    await entered(project, workflowId, ada.id, "EXITED");
    const told = await explain(project, ada.id, { workflowId });
    expect(told).toMatchObject({
      verdict: "NOT_RECEIVED",
      because: [{ code: "execution_exited", message: "The contact left the workflow: Done" }, { code: "step_skipped" }],
    });
    await project.api.patch(`/contacts/${ada.id}`, { subscribed: true });
    const bob = await newContact(project, "bob@example.com");
    await entered(project, workflowId, bob.id, "EXITED");
    const [, first] = await brief(project, bob.id, { workflowId });
    // The Worker of these tests has no LINK_SECRETS, so the mail fails once it is delivered.
    expect(["waiting", "failed"]).toContain(first);
  });
});

describe("POST /contacts/{id}/explain", () => {
  it("takes exactly one name", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com");
    const path = `/contacts/${ada.id}/explain`;
    expectInvalid(await project.api.post(path, {}), "campaignId", "required");
    const two = { campaignId: ada.id, emailId: ada.id };
    expectInvalid(await project.api.post(path, two), "emailId", "custom");
    expectInvalid(await project.api.post(path, { campaignId: 7 }), "campaignId", "invalid_type");
  });

  it("is 404 for a contact, and for mail, of another project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const [ada, stranger] = [await newContact(project, "ada@example.com"), await newContact(other, "ada@example.com")];
    const campaign = await newCampaign(other);
    const template = await newTemplate(other);
    const workflowId = publicId((await newWorkflow(other)).id);
    const path = `/contacts/${ada.id}/explain`;
    const foreign = await project.api.post(`/contacts/${stranger.id}/explain`, { campaignId: campaign.id });
    expectRefusal(foreign, 404, "CONTACT_NOT_FOUND", { details: { resource: "contact", id: stranger.id } });
    for (const [asked, code] of [
      [{ campaignId: campaign.id }, "CAMPAIGN_NOT_FOUND"],
      [{ templateId: template.id }, "TEMPLATE_NOT_FOUND"],
      [{ workflowId }, "WORKFLOW_NOT_FOUND"],
      [{ emailId: campaign.id }, "RESOURCE_NOT_FOUND"],
    ] as const) {
      const answer = await project.api.post(path, asked);
      expect([answer.status, answer.body.error?.code]).toEqual([404, code]);
    }
  });

  it("takes a key that only reads, and changes nothing", async () => {
    const { project, campaignId, people } = await set();
    const { body } = await admin.post(`/admin/projects/${project.id}/keys`, { kind: "read" });
    const headers = { Authorization: `Bearer ${body.key}` };
    const answer = await call("POST", `/contacts/${people.ada.id}/explain`, { campaignId }, { headers });
    expect(answer.status).toBe(200);
    expect((await project.api.get(`/campaigns/${campaignId}`)).body).toMatchObject({ status: "DRAFT" });
  });
});
