import { describe, expect, it } from "vitest";
import { newId, publicId, readId } from "../../src/core/ids";
import { TooManySending } from "../../src/core/mail/errors";
import { queueDueCampaigns } from "../../src/features/campaigns/queue-due";
import { retryCampaign } from "../../src/features/campaigns/retry";
import { sendCampaign } from "../../src/features/campaigns/send";
import { maxSendingAtOnce } from "../../src/features/campaigns/sending-at-once";
import { addContacts } from "../support/campaign";
import { newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { World } from "../support/world";

const origin = "https://petrel.example";

/** Campaigns to everybody, straight into the table: there are many of them. */
async function drafts(project: TestProject, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  await project.db
    .prepare(
      `INSERT INTO campaigns (project_id, id, name, status, audience_type, type, subject, body, from_email, search_text,
          created_at, updated_at)
        SELECT ?1, value, 'March', 'DRAFT', 'ALL', 'MARKETING', 'News', '<p>Hello</p>', ?2, 'march', 0, 0 FROM json_each(?3)`,
    )
    .bind(project.number, `news@${project.domain}`, JSON.stringify(ids))
    .run();
  return ids.map(publicId);
}

/** Campaigns that are due now. */
async function dueOnes(world: World, project: TestProject, count: number): Promise<void> {
  const ids = JSON.stringify((await drafts(project, count)).map(readId));
  const isOne = "project_id = ?1 AND id IN (SELECT value FROM json_each(?3))";
  const scheduled = `UPDATE campaigns SET status = 'SCHEDULED', scheduled_for = ?2, version = version + 1 WHERE ${isOne}`;
  const runs = `INSERT INTO campaign_runs (project_id, id, due_at) SELECT project_id, id, ?2 FROM campaigns WHERE ${isOne}`;
  const values = [project.number, world.now, ids];
  await project.db.batch([scheduled, runs].map((sql) => project.db.prepare(sql).bind(...values)));
}

async function send(world: World, project: TestProject, id: string, scheduledFor?: string): Promise<void> {
  const { ctx } = await world.context(project);
  await sendCampaign({ ...ctx, origin }, readId(id), { scheduledFor });
}

function setStatus(project: TestProject, ids: string[], status: string) {
  return project.db
    .prepare(
      `UPDATE campaigns SET status = ?, version = version + 1
        WHERE project_id = ? AND id IN (SELECT value FROM json_each(?))`,
    )
    .bind(status, project.id, JSON.stringify(ids.map(readId)))
    .run();
}

async function countIn(project: TestProject, status: string): Promise<number> {
  return (await project.api.get(`/campaigns?status=${status}`)).body.total;
}

async function get(project: TestProject, id: string) {
  return (await project.api.get(`/campaigns/${id}`)).body;
}

/** A project of which as many campaigns as may be are SENDING, and one is not. */
async function fullProject(): Promise<{ world: World; project: TestProject; id: string; sending: string[] }> {
  const [world, project] = [new World(), await newProject()];
  const [id = "", ...sending] = await drafts(project, maxSendingAtOnce + 1);
  await setStatus(project, sending, "SENDING");
  return { world, project, id, sending };
}

describe("of one project fifty campaigns are SENDING at most", () => {
  it("refuses to send one more, and changes nothing", async () => {
    const { project, id, sending } = await fullProject();
    const before = await get(project, id);
    const answer = await project.api.post(`/campaigns/${id}/send`);
    expectRefusal(answer, 409, "CONFLICT", { details: { limit: 50 } });
    expect(answer.body.error.message).toBe(
      "50 campaigns of this project are SENDING, which is the maximum. Nothing was changed.",
    );
    expect(answer.body.error.suggestion).toContain("cancel one");
    expect(await get(project, id)).toEqual(before);
    await project.api.post(`/campaigns/${sending[0]}/cancel`);
    expect((await project.api.post(`/campaigns/${id}/send`)).status).toBe(200);
  });

  it("lets other projects send", async () => {
    await fullProject();
    const other = await newProject();
    const [id] = await drafts(other, 1);
    expect((await other.api.post(`/campaigns/${id}/send`)).status).toBe(200);
  });

  it("refuses to retry one more", async () => {
    const { world, project, id, sending } = await fullProject();
    await addContacts(project, 1);
    await setStatus(project, sending.slice(0, 1), "SENT");
    world.answer = () => ({ kind: "refused", reason: "No" });
    await send(world, project, id);
    await world.pass(2);
    expect(await get(project, id)).toMatchObject({ status: "SENT", totalRecipients: 1 });
    await setStatus(project, sending.slice(0, 1), "SENDING");
    const { ctx } = await world.context(project);
    await expect(retryCampaign(ctx, readId(id), { statuses: ["FAILED"] })).rejects.toThrow(TooManySending);
    expect((await get(project, id)).status).toBe("SENT");
  });

  it("lets calls that come at once have the last place once", async () => {
    const { world, project, id, sending } = await fullProject();
    const others = [id, ...(await drafts(project, 4))];
    await setStatus(project, sending.slice(0, 2), "SENT");
    const tried = await Promise.allSettled(others.map((one) => send(world, project, one)));
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    for (const one of tried) if (one.status === "rejected") expect(one.reason).toBeInstanceOf(TooManySending);
    expect(await countIn(project, "SENDING")).toBe(maxSendingAtOnce);
  });

  it("a scheduled one waits until there is room, and says so", async () => {
    const { world, project, id, sending } = await fullProject();
    await addContacts(project, 3);
    await send(world, project, id, new Date(world.now + 60_000).toISOString());
    await world.pass(5);
    expect(await get(project, id)).toMatchObject({ status: "SCHEDULED", heldReason: "too many campaigns" });
    await setStatus(project, sending.slice(0, 1), "SENT");
    await world.pass(4);
    expect(await get(project, id)).toMatchObject({ status: "SENT", heldReason: null, sentCount: 3 });
    expect(world.taken).toHaveLength(3);
  });

  it("one that waits can be cancelled, and sent when there is room", async () => {
    const { world, project, id, sending } = await fullProject();
    const [other = ""] = await drafts(project, 1);
    for (const one of [id, other]) await send(world, project, one, new Date(world.now).toISOString());
    await world.pass(2);
    expect((await project.api.post(`/campaigns/${id}/cancel`)).body.data).toMatchObject({
      ...{ status: "CANCELLED", heldReason: null },
    });
    await setStatus(project, sending.slice(0, 1), "SENT");
    await send(world, project, other);
    expect(await get(project, other)).toMatchObject({ status: "SENDING", heldReason: null });
  });
});

describe("what a neighbour feels of a project with many campaigns", () => {
  /** Messages about its campaigns that come to the queue of all projects in a minute. */
  async function messagesOfMinute(world: World, project: TestProject): Promise<number> {
    world.now += 60_000;
    await queueDueCampaigns(world.process().platform);
    const { length } = world.queue.filter(
      ({ queued: { message } }) => message.type === "campaigns.run" && message.projectId === project.number,
    );
    await world.drain();
    expect(world.queue).toEqual([]);
    return length;
  }

  it("does not grow with those that are due and have no room", async () => {
    const { world, project } = await fullProject();
    await dueOnes(world, project, 110);
    const seen = [];
    for (let minute = 0; minute < 4; minute++) seen.push(await messagesOfMinute(world, project));
    // Each of them once. Then fifty look every minute, fifty every second one, and ten every third.
    expect(seen).toEqual([110, 50, 100, 60]);
    expect(await countIn(project, "SCHEDULED")).toBe(110);
  });

  it("does not hold up a campaign of its own", async () => {
    const { world, project } = await fullProject();
    await dueOnes(world, project, 20);
    const neighbour = await newProject();
    await addContacts(neighbour, 5);
    const [id = ""] = await drafts(neighbour, 1);
    await send(world, neighbour, id, new Date(world.now + 60_000).toISOString());
    await world.pass(2);
    expect(world.taken).toHaveLength(5);
    await world.pass(2);
    expect(await get(neighbour, id)).toMatchObject({ status: "SENT", sentCount: 5 });
  });
});
