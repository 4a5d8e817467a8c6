import { describe, expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { startPreflight } from "../../src/features/campaigns/preflight/start";
import { sendTest } from "../../src/features/campaigns/send-test";
import { addContacts, newCampaign } from "../support/campaign";
import { effects } from "../support/effects";
import { newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { emailRows } from "../support/rows";
import { newTemplate } from "../support/template";
import { callWith } from "../support/with-settings";
import { SecondProvider, World } from "../support/world";

const origin = "https://petrel.example";

/** Calls an installation whose only provider is the binding of Cloudflare, which takes no mail here. */
function onCloudflare({ keys }: TestProject, path: string, body: unknown, headers = {}) {
  const EMAIL = { send: () => Promise.reject(new Error("Nothing is sent")) } as unknown as SendEmail;
  const settings = { MAIL_PROVIDER: "cloudflare", EMAIL };
  return callWith(settings, "POST", path, { token: keys.secret, body, headers });
}

async function preflight(world: World, project: TestProject, id: string) {
  const { ctx } = await world.context(project);
  const jobId = publicId(await startPreflight({ ...ctx, origin }, readId(id)));
  await world.drain();
  return (await project.api.get(`/jobs/${jobId}`)).body.result;
}

describe("marketing mail that the only provider does not accept", () => {
  it("is refused by each call that would send it, which says what to set, and has no effect", async () => {
    const project = await newProject();
    await addContacts(project, 2);
    const [{ id: news }, { id: receipt }] = [
      await newTemplate(project, { type: "MARKETING" }),
      await newTemplate(project, { type: "TRANSACTIONAL" }),
    ];
    const { id } = await newCampaign(project);
    const before = await effects(project);
    const scheduledFor = new Date(Date.now() + 86_400_000).toISOString();
    const key = { "Idempotency-Key": crypto.randomUUID() };
    for (const [path, body, headers] of [
      ["/v1/send", { to: "ada@example.com", template: news, subscribed: true }],
      ["/v1/send", { to: "ada@example.com", template: news, scheduledAt: scheduledFor }],
      ["/v1/send", { to: "ada@example.com", template: news }, key],
      [`/campaigns/${id}/send`, {}],
      [`/campaigns/${id}/send`, {}, { "Idempotency-Key": crypto.randomUUID() }],
      [`/campaigns/${id}/send`, { scheduledFor }],
      [`/campaigns/${id}/test`, { email: "ada@example.com" }],
    ] as const) {
      const refused = await onCloudflare(project, path, body, headers);
      expectRefusal(refused, 409, "CONFLICT", {
        details: { reason: "marketing_not_carried", provider: "cloudflare" },
      });
      expect(refused.body.error.suggestion).toContain("MAIL_PROVIDER_MARKETING");
      expect(await effects(project)).toEqual(before);
    }
    // The key is free, and mail that the provider does accept is not held up.
    const later = { to: "ada@example.com", template: receipt, scheduledAt: scheduledFor };
    expect((await onCloudflare(project, "/v1/send", later, key)).status).toBe(200);
    const { id: notice } = await newCampaign(project, { type: "TRANSACTIONAL" });
    expect((await onCloudflare(project, `/campaigns/${notice}/send`, { scheduledFor })).status).toBe(200);
  });

  it("has a reason of its own in a pre-flight, next to what is wrong with the mail itself", async () => {
    const [world, project] = [new World(), await newProject()];
    world.allowsMarketing = false;
    await addContacts(project, 3);
    const { id } = await newCampaign(project, { body: '<p>Hi {{ nick }}</p><a href="">Nothing</a>' });
    const found = await preflight(world, project, id);
    expect(found).toMatchObject({ recipients: 3, willSend: 3, renderErrors: [] });
    expect(found.missing).toContainEqual(expect.objectContaining({ variable: "nick", count: 3 }));
    expect(found.warnings).toContainEqual(
      expect.objectContaining({
        code: "no_marketing_provider",
        count: 3,
        message: expect.stringContaining("MAIL_PROVIDER_MARKETING"),
      }),
    );
    expect(found.warnings).toContainEqual(expect.objectContaining({ code: "empty_link" }));
    const { id: notice } = await newCampaign(project, { type: "TRANSACTIONAL" });
    const codes = async () =>
      (await preflight(world, project, notice)).warnings.map(({ code }: { code: string }) => code);
    expect(await codes()).not.toContain("no_marketing_provider");
  });

  it("waits when a campaign comes due, and goes out once a provider is set", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 2);
    const { id } = await newCampaign(project);
    const scheduledFor = new Date(world.now + 3_600_000).toISOString();
    expect((await project.api.post(`/campaigns/${id}/send`, { scheduledFor })).status).toBe(200);
    world.allowsMarketing = false;
    world.now += 3_700_000;
    await world.pass(6);
    const campaign = async () => (await project.api.get(`/campaigns/${id}`)).body;
    expect(await campaign()).toMatchObject({ status: "SCHEDULED", heldReason: "marketing provider" });
    expect(await emailRows(project)).toEqual([]);
    world.marketing = new SecondProvider("bulk");
    await world.pass(12);
    expect(await campaign()).toMatchObject({ status: "SENT", heldReason: null });
    expect([world.taken, world.marketing.taken.length]).toEqual([[], 2]);
  });
});

describe("a campaign whose provider accepts no marketing mail any more", () => {
  it("is held with what is left of it, is not resumed, and goes out once a provider is set", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 3);
    const { id } = await newCampaign(project);
    expect((await project.api.post(`/campaigns/${id}/send`, {})).status).toBe(200);
    world.allowsMarketing = false;
    await world.pass(6);
    const campaign = async () => (await project.api.get(`/campaigns/${id}`)).body;
    expect(await campaign()).toMatchObject({ status: "SENDING", heldReason: "marketing provider" });
    expectRefusal(await onCloudflare(project, `/campaigns/${id}/resume`, {}), 409, "CONFLICT", {
      details: { reason: "marketing_not_carried", provider: "cloudflare" },
    });
    world.marketing = new SecondProvider("bulk");
    await world.pass(12);
    expect(await campaign()).toMatchObject({ status: "SENT", heldReason: null });
    expect([world.taken, world.marketing.taken.length]).toEqual([[], 3]);
  });
});

describe("marketing mail that a provider of its own accepts, and the first one does not", () => {
  it("has a clean pre-flight, and its test goes through that provider", async () => {
    const [world, project] = [new World(), await newProject()];
    world.allowsMarketing = false;
    world.marketing = new SecondProvider("bulk");
    await addContacts(project, 2);
    const { id } = await newCampaign(project);
    const found = await preflight(world, project, id);
    expect(found).toMatchObject({ willSend: 2, renderErrors: [] });
    expect(JSON.stringify(found.warnings)).not.toContain("no_marketing_provider");
    const { ctx } = await world.context(project);
    await sendTest({ ...ctx, origin }, readId(id), { email: "ada@example.com" });
    await world.pass(2);
    expect(world.marketing.taken.map(({ to }) => to.email)).toEqual(["ada@example.com"]);
    const { id: notice } = await newCampaign(project, { type: "TRANSACTIONAL" });
    await sendTest({ ...ctx, origin }, readId(notice), { email: "bob@example.com" });
    await world.pass(2);
    expect(world.taken.map(({ to }) => to.email)).toEqual(["bob@example.com"]);
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(["SENT", "SENT"]);
  });
});
