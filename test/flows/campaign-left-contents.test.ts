import { describe, expect, it } from "vitest";
import { Gone } from "../../src/core/errors";
import { readId } from "../../src/core/ids";
import type { Receipt } from "../../src/core/mail/receipt";
import { forgetContents } from "../../src/engine/mail/forget/contents";
import { cancelCampaign } from "../../src/features/campaigns/cancel";
import { retryCampaign } from "../../src/features/campaigns/retry";
import { sendCampaign } from "../../src/features/campaigns/send";
import { addContacts, newCampaign } from "../support/campaign";
import { newProject, type TestProject } from "../support/project";
import { World } from "../support/world";

const dayMs = 86_400_000;

async function send(world: World, project: TestProject, id: string): Promise<void> {
  const { ctx } = await world.context(project);
  await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
}

async function seconds(world: World, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    world.now += 1_000;
    await world.drain();
  }
}

const contentOf = ({ db, number }: TestProject) =>
  db.prepare("SELECT body, recipients FROM email_contents WHERE project_id = ?").bind(number).first();

async function emailIds({ api }: TestProject, campaign: string): Promise<string[]> {
  return (await api.get(`/emails?campaignId=${campaign}`)).body.data.map(({ id }: { id: string }) => id);
}

/** Erases everybody who has got the campaign so far, before it is over. */
async function eraseAllWhileSending(project: TestProject, world: World, id: string): Promise<string[]> {
  await addContacts(project, 3);
  await send(world, project, id);
  while (world.taken.length < 3) await seconds(world, 1);
  expect((await project.api.get(`/campaigns/${id}`)).body.status).toBe("SENDING");
  const ids = await emailIds(project, id);
  for (const { id: contact } of (await project.api.get("/contacts")).body.data)
    expect((await project.api.delete(`/contacts/${contact}`)).status).toBe(204);
  expect(ids).toHaveLength(3);
  return ids;
}

describe("the content of a campaign whose recipients are all erased while it is sent", () => {
  it("stays for those who are still to come, and is emptied at the end; the records stay", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id } = await newCampaign(project);
    const ids = await eraseAllWhileSending(project, world, id);
    expect(await contentOf(project)).toEqual({ body: "<p>Hello {{ firstName }}</p>", recipients: 0 });
    await seconds(world, 10);
    await world.pass(3);
    expect((await project.api.get(`/campaigns/${id}`)).body.status).toBe("SENT");
    expect(await contentOf(project)).toEqual({ body: null, recipients: 0 });
    for (const one of ids) expect((await project.api.get(`/emails/${one}`)).status).toBe(200);
  });

  it("is emptied when the campaign is cancelled, and the records stay", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id } = await newCampaign(project);
    const ids = await eraseAllWhileSending(project, world, id);
    await cancelCampaign((await world.context(project)).ctx, readId(id));
    await world.pass(3);
    expect(await contentOf(project)).toEqual({ body: null, recipients: 0 });
    for (const one of ids) expect((await project.api.get(`/emails/${one}`)).status).toBe(200);
  });
});

it("a campaign whose content is forgotten is not sent again, and keeps its records", async () => {
  const [world, project] = [new World(), await newProject()];
  await addContacts(project, 6);
  const { id } = await newCampaign(project);
  world.answer = (): Receipt => ({ kind: "refused", reason: "No" });
  await send(world, project, id);
  await seconds(world, 15);
  const later = new World();
  later.now += 200 * dayMs;
  await forgetContents(later.process().platform);
  expect(await contentOf(project)).toEqual({ body: null, recipients: 0 });
  const retry = retryCampaign((await world.context(project)).ctx, readId(id), { statuses: ["FAILED"] });
  await expect(retry).rejects.toBeInstanceOf(Gone);
  const ids = await emailIds(project, id);
  expect(ids).toHaveLength(6);
  for (const one of ids) expect((await project.api.get(`/emails/${one}`)).status).toBe(200);
});
