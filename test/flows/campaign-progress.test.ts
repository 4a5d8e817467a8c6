import { describe, expect, it } from "vitest";
import { readId, textOf } from "../../src/core/ids";
import type { Receipt } from "../../src/core/mail/receipt";
import { freshJson, getCampaign } from "../../src/features/campaigns/campaign";
import { pauseCampaign } from "../../src/features/campaigns/pause";
import { sendCampaign } from "../../src/features/campaigns/send";
import { watchCampaign } from "../../src/features/campaigns/watch";
import { addContacts, newCampaign } from "../support/campaign";
import { newProject, type TestProject } from "../support/project";
import { accepts, World } from "../support/world";

const throttled = (): Receipt => ({ kind: "busy", reason: "Too many emails to this domain" });

async function send(world: World, project: TestProject, id: string) {
  const { ctx } = await world.context(project);
  return sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
}

/** As the API shows it at the world's time. */
async function progressOf(world: World, project: TestProject, id: string) {
  const { ctx } = await world.context(project);
  return (await freshJson(ctx, await getCampaign(ctx, readId(id)))).progress;
}

/** Lets time pass in seconds, with the queue after each. */
async function seconds(world: World, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    world.now += 1_000;
    await world.drain();
  }
}

const ahead = (world: World, iso: string | null | undefined) => Date.parse(iso ?? "") - world.now;

describe("the progress of a campaign", () => {
  it("names the mails of a canary that the provider throttles, since when and why, and then the hold", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 40);
    let isThrottling = true;
    const refused = new Set<string>();
    world.answer = ({ to }) => {
      if (isThrottling && (refused.has(to.email) || refused.size < 3)) {
        refused.add(to.email);
        return throttled();
      }
      return accepts();
    };
    const { id } = await newCampaign(project, { canary: { percent: 20, holdMinutes: 30 } });
    const startedAt = world.now;
    const sent = await send(world, project, id);
    expect(sent.data.progress).toEqual({
      ...{ stage: "PREPARING", remaining: null, open: 0 },
      ...{ waitingFor: null, waitingSince: null, continuesAt: null },
    });
    await seconds(world, 10);
    expect(world.taken).toHaveLength(5);
    const waiting = await progressOf(world, project, id);
    expect(waiting).toEqual({
      ...{ stage: "CANARY", remaining: 35, open: 3 },
      waitingFor: "3 emails that are tried again: Too many emails to this domain",
      waitingSince: expect.any(String),
      continuesAt: expect.any(String),
    });
    expect(Date.parse(waiting?.waitingSince ?? "") - startedAt).toBeLessThanOrEqual(10_000);
    expect(ahead(world, waiting?.continuesAt)).toBeGreaterThan(0);

    const watched = async () => (await project.api.get(`/campaigns/${id}/progress`)).body;
    const limits = { maxBounceRate: 5, maxComplaintRate: 0.1 };
    expect(await watched()).toMatchObject({
      ...{ status: "SENDING", heldReason: null, completedAt: null, progress: { stage: "CANARY", remaining: 35 } },
      stats: { totalRecipients: 40, queuedCount: 35, sentCount: 5, leftOut: [] },
      brakes: {
        canary: { emails: 5, bounceRate: 0, complaintRate: 0, ...limits },
        // A project with few mails is not judged.
        project: { emails: null, bounceRate: null, complaintRate: null, maxBounceRate: 8, maxComplaintRate: 0.3 },
      },
    });
    expect(await watched()).not.toHaveProperty("body");

    isThrottling = false;
    await world.pass(10);
    expect(world.taken).toHaveLength(8);
    const holding = await progressOf(world, project, id);
    expect(holding).toEqual({
      ...{ stage: "CANARY_HOLD", remaining: 32, open: 0 },
      waitingFor: "Reports on the canary's emails: the others follow when the hold ends",
      waitingSince: expect.any(String),
      continuesAt: expect.any(String),
    });
    const [from, until] = [holding?.waitingSince, holding?.continuesAt].map((time) => Date.parse(time ?? ""));
    expect((until ?? 0) - (from ?? 0)).toBe(30 * 60_000);
    expect(ahead(world, holding?.continuesAt)).toBeLessThan(30 * 60_000);
  });

  it("is part of the answer to GET, and null in lists, before sending and after it", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 2);
    const { id } = await newCampaign(project);
    const shown = async () => (await project.api.get(`/campaigns/${id}`)).body.progress;
    expect(await shown()).toBeNull();
    await send(world, project, id);
    expect(await shown()).toMatchObject({ stage: "PREPARING", remaining: null });
    expect((await project.api.get("/campaigns")).body.data[0].progress).toBeNull();
    await seconds(world, 5);
    expect(await shown()).toBeNull();
  });

  it("says why a campaign is held, and since when", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 5);
    world.answer = throttled;
    const { id } = await newCampaign(project);
    await send(world, project, id);
    await seconds(world, 5);
    await pauseCampaign((await world.context(project)).ctx, readId(id));
    const pausedAt = world.now;
    await seconds(world, 5);
    const { body } = await project.api.get(`/campaigns/${id}/progress`);
    const { heldReason } = body;
    expect(body.brakes.canary).toBeNull();
    expect(await progressOf(world, project, id)).toEqual({
      ...{ stage: "HELD", remaining: 5, open: 0, waitingFor: heldReason },
      ...{ waitingSince: new Date(pausedAt).toISOString(), continuesAt: null },
    });
  });

  it("names the project's pace when nothing else holds the campaign up", async () => {
    const [world, project] = [new World(), await newProject({ sendRatePerSecond: 10 })];
    await addContacts(project, 100);
    const { id } = await newCampaign(project);
    let seen: Awaited<ReturnType<typeof progressOf>> = null;
    world.answer = async () => {
      seen ??= await progressOf(world, project, id);
      return accepts();
    };
    await send(world, project, id);
    await seconds(world, 5);
    expect(seen).toEqual({
      ...{ stage: "SENDING", remaining: 100, open: 100 },
      waitingFor: "The project's pace of 10 emails a second",
      ...{ waitingSince: expect.any(String), continuesAt: null },
    });
  });

  it("is read once a second for all who watch", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 3);
    const { id } = await newCampaign(project);
    await send(world, project, id);
    await seconds(world, 5);
    const failed = async () => {
      const { ctx } = await world.context(project);
      return (await watchCampaign(ctx, readId(id))).stats.failedCount;
    };
    const fail = (count: number) =>
      project.db
        .prepare("UPDATE campaign_counts SET failed = ?2 WHERE project_id = ?1")
        .bind(project.number, count)
        .run();
    expect(await failed()).toBe(0);
    await fail(1);
    world.now += 999;
    expect(await failed()).toBe(0);
    world.now += 1;
    expect(await failed()).toBe(1);
  });

  it("shows a change at once, and nothing to other projects", async () => {
    const [world, project, other] = [new World(), await newProject(), await newProject()];
    const { id } = await newCampaign(project);
    const watched = async (atLeast?: string) => {
      const { ctx } = await world.context(project);
      return (await watchCampaign(ctx, readId(id), atLeast)).heldReason;
    };
    const hold = (reason: string) =>
      project.db
        .prepare("UPDATE campaigns SET held_reason = ? WHERE id = ?")
        .bind(reason, textOf(readId(id)))
        .run();
    expect(await watched()).toBeNull();
    await hold("elsewhere");
    // A caller with a bookmark has perhaps seen what another isolate wrote.
    expect([await watched(), await watched("bookmark")]).toEqual([null, "elsewhere"]);
    world.now += 1_000;
    expect(await watched()).toBe("elsewhere");
    const scheduledFor = new Date(world.now + 86_400_000).toISOString();
    expect((await project.api.post(`/campaigns/${id}/send`, { scheduledFor })).status).toBe(200);
    expect(await watched()).toBeNull();
    expect((await other.api.get(`/campaigns/${id}/progress`)).status).toBe(404);

    const path = `/campaigns/${(await newCampaign(project)).id}`;
    expect((await project.api.get(`${path}/progress`)).status).toBe(200);
    await project.api.delete(path);
    expect((await project.api.get(`${path}/progress`)).status).toBe(404);
  });
});
