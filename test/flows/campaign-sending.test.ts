import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import type { Receipt } from "../../src/core/mail/receipt";
import { forgetProjects } from "../../src/engine/projects/cache";
import { cancelCampaign } from "../../src/features/campaigns/cancel";
import { deleteCampaign } from "../../src/features/campaigns/delete";
import { holdCampaign } from "../../src/features/campaigns/hold";
import { pauseCampaign } from "../../src/features/campaigns/pause";
import { resumeCampaign } from "../../src/features/campaigns/resume";
import { retryCampaign } from "../../src/features/campaigns/retry";
import { runCampaign } from "../../src/features/campaigns/run";
import { sendCampaign } from "../../src/features/campaigns/send";
import { retryEmail } from "../../src/features/emails/retry";
import { addContacts, newCampaign } from "../support/campaign";
import { markedPages, recounted, storedCounts } from "../support/ledger";
import { admin, newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { isPro, newSegment } from "../support/segment";
import { emptyTrash } from "../support/trash";
import { accepts, World } from "../support/world";

async function send(world: World, project: TestProject, id: string, scheduledFor?: string) {
  const { ctx } = await world.context(project);
  return sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), { scheduledFor });
}

/** Lets time pass in seconds, with the queue after each. */
async function seconds(world: World, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    world.now += 1_000;
    await world.drain();
  }
}

async function get(project: TestProject, id: string) {
  return (await project.api.get(`/campaigns/${id}`)).body;
}

async function stats(project: TestProject, id: string) {
  return (await project.api.get(`/campaigns/${id}/stats`)).body;
}

/** Pauses the marketing email of a project, or lifts that. */
async function setPause(project: TestProject, reason: string | null): Promise<void> {
  await env.DB.prepare(
    "UPDATE projects SET sending_paused_reason = ?1, sending_paused_at = iif(?1 IS NULL, NULL, 1) WHERE number = ?2",
  )
    .bind(reason, project.number)
    .run();
  forgetProjects();
}

const takenBy = (world: World) => world.taken.map(({ to }) => to.email).sort();

describe("a campaign", () => {
  it("goes to each subscribed contact once, and is SENT", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 1_200);
    await addContacts(project, 3, { subscribed: 0 });
    const { id } = await newCampaign(project);
    const sent = await send(world, project, id);
    expect(sent).toMatchObject({ success: true, message: "Campaign is being sent", data: { status: "SENDING" } });
    await seconds(world, 20);
    expect(world.taken).toHaveLength(1_200);
    expect(new Set(takenBy(world)).size).toBe(1_200);
    expect(await get(project, id)).toMatchObject({ status: "SENT", totalRecipients: 1_200, sentCount: 1_200 });
    expect(await stats(project, id)).toMatchObject({ queuedCount: 0, sentCount: 1_200, failedCount: 0 });
  });

  it("writes ten rows for each recipient at most, with its event", async () => {
    const [world, project] = [new World(), await newProject()];
    world.mailsPerCall = 100;
    await addContacts(project, 1_000);
    const { id } = await newCampaign(project);
    const before = world.rowsWritten;
    await send(world, project, id);
    await seconds(world, 10);
    expect(await get(project, id)).toMatchObject({ status: "SENT", sentCount: 1_000 });
    expect((world.rowsWritten - before) / 1_000).toBeLessThanOrEqual(10);
  });

  it("counts its ledger while it writes it, as it is counted later", async () => {
    const [world, project] = [new World(), await newProject({ monthlySendLimit: 20 })];
    await addContacts(project, 40);
    for (const n of [3, 17]) await project.api.post("/suppressions", { email: `${n}-1@example.com` });
    const variants = ["a", "b", "c"].map((name, index) => ({ name, weight: 1 + index }));
    const { id } = await newCampaign(project, { variants, canary: { percent: 30, holdMinutes: 5 } });
    await send(world, project, id);
    const { ctx } = await world.context(project);
    await runCampaign(ctx, { type: "campaigns.run", projectId: project.number, campaignId: readId(id) });
    const campaign = { id: readId(id), pages: [], emailIds: [] };
    const counts = await storedCounts(world, project, campaign);
    expect(Object.keys(counts).sort()).toEqual(["a", "b", "c"]);
    expect(counts).toEqual(await recounted(project, campaign));
    expect(await markedPages(project, campaign)).toBe(0);
    expect(await stats(project, id)).toMatchObject({
      queuedCount: 20,
      suppressedCount: 2,
      failedCount: 18,
      sentCount: 0,
    });
    const sums = `SELECT (SELECT sum(open) FROM campaign_pages WHERE project_id = ?1) AS open,
      (SELECT sum(emails) FROM monthly_usage WHERE project_id = ?1) AS used,
      (SELECT sum(recipients) FROM email_contents WHERE project_id = ?1) AS recipients`;
    expect(await project.db.prepare(sums).bind(project.number).first()).toEqual({ open: 20, used: 20, recipients: 40 });
    const parts = `SELECT count(*) AS n FROM campaign_pages p WHERE project_id = ?1 AND first_id <> (SELECT min(e.id) FROM emails e
      WHERE e.project_id = p.project_id AND e.id BETWEEN p.first_id AND p.last_id AND +e.campaign_id = p.campaign_id)`;
    expect(await project.db.prepare(parts).bind(project.number).first("n")).toBe(0);
  });

  it("makes no more statements in one message than a Worker may, however many recipients there are", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 45_000);
    const { id } = await newCampaign(project, { canary: { percent: 50, holdMinutes: 1 } });
    await send(world, project, id);
    const message = { type: "campaigns.run" as const, projectId: project.number, campaignId: readId(id) };
    const made: number[] = [];
    for (let messages = 0; messages < 10 && world.queue.length > 0; messages++) {
      world.queue = [];
      const { platform, process } = world.process();
      await runCampaign(platform, message);
      made.push(process.statements.length);
    }
    expect(Math.max(...made)).toBeLessThan(1_000);
    expect(await stats(project, id)).toMatchObject({ totalRecipients: 45_000, queuedCount: 45_000 });
  });

  it("to nobody ends SENT", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id } = await newCampaign(project);
    await send(world, project, id);
    await seconds(world, 3);
    expect(await get(project, id)).toMatchObject({ status: "SENT", totalRecipients: 0, sentCount: 0 });
  });

  it("goes to the members of a segment", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 30);
    const segment = await newSegment(project, { condition: isPro });
    await project.api.post("/contacts", { email: "pro@example.com", data: { plan: "pro" } });
    const { id } = await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id });
    await send(world, project, id);
    await seconds(world, 5);
    expect(takenBy(world)).toEqual(["pro@example.com"]);
  });

  it("starts at its time, and when that has passed", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 5);
    const { id } = await newCampaign(project);
    const at = new Date(world.now + 10 * 60_000).toISOString();
    expect(await send(world, project, id, at)).toMatchObject({ data: { status: "SCHEDULED", scheduledFor: at } });
    await world.pass(9);
    expect(world.taken).toHaveLength(0);
    await world.pass(3);
    expect(world.taken).toHaveLength(5);
    expect(await get(project, id)).toMatchObject({ status: "SENT", scheduledFor: at });
  });

  it("starts at the second that was asked for, without a sweep, unless it is taken back before", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 3);
    const { ctx } = await world.context(project);
    const [{ id }, { id: other }] = [await newCampaign(project), await newCampaign(project)];
    for (const one of [id, other]) {
      const sent = await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(one), { delaySeconds: 10 });
      expect(sent.data).toMatchObject({
        status: "SCHEDULED",
        scheduledFor: new Date(world.now + 10_000).toISOString(),
      });
    }
    await seconds(world, 9);
    const draft = await project.api.post(`/campaigns/${other}/unschedule`);
    expect(draft.body.data).toMatchObject({ status: "DRAFT", scheduledFor: null, heldReason: null, version: 3 });
    expect(world.taken).toHaveLength(0);
    await seconds(world, 2);
    expect(world.taken).toHaveLength(3);
    expect(await get(project, id)).toMatchObject({ status: "SENDING" });
    expect(await get(project, other)).toMatchObject({ status: "DRAFT" });
    // Nobody is at work on the draft, and it can be sent as any other.
    expect((await send(world, project, other)).data.status).toBe("SENDING");
    // What is under way would go on in the next test.
    await world.pass(3);
    expect(world.taken).toHaveLength(6);
  });

  it("does not start when it is put off at the moment of its start", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 3);
    const { id } = await newCampaign(project);
    await send(world, project, id, new Date(world.now + 60_000).toISOString());
    const later = new Date(world.now + 24 * 60 * 60_000).toISOString();
    let isPutOff = false;
    world.fault = {
      async meet({ sql }, make) {
        if (!isPutOff && sql.some((text) => text.startsWith("UPDATE campaigns SET status"))) {
          isPutOff = true;
          const answer = await project.api.post(`/campaigns/${id}/send`, { scheduledFor: later });
          expect(answer.status).toBe(200);
        }
        return make();
      },
    };
    await world.pass(3);
    expect(isPutOff).toBe(true);
    expect(world.taken).toEqual([]);
    expect(await get(project, id)).toMatchObject({ status: "SCHEDULED", scheduledFor: later });
  });

  /** What happens once the provider has taken so many mails, while the next one is on its way. */
  const whenTaken = (world: World, mails: number, happen: () => Promise<unknown>) => {
    let answered = 0;
    world.answer = async () => {
      answered += 1;
      if (answered === mails) await happen();
      return accepts();
    };
  };

  it("pauses and goes on", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 100);
    const { id } = await newCampaign(project);
    whenTaken(world, 30, async () => {
      const held = await pauseCampaign((await world.context(project)).ctx, readId(id));
      expect(held).toMatchObject({ status: "SENDING", heldReason: "paused" });
    });
    await send(world, project, id);
    await seconds(world, 2);
    const taken = world.taken.length;
    expect(taken).toBeGreaterThanOrEqual(30);
    // The mails of the round that is with the provider go out: 25 of one consumer.
    expect(taken).toBeLessThan(60);
    await world.pass(10);
    expect(world.taken).toHaveLength(taken);
    await resumeCampaign((await world.context(project)).ctx, readId(id));
    await world.pass(3);
    expect(new Set(takenBy(world)).size).toBe(100);
    expect(world.taken).toHaveLength(100);
    expect(await get(project, id)).toMatchObject({ status: "SENT", heldReason: null });
  });

  it("is cancelled half-way", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 700);
    const { id } = await newCampaign(project);
    whenTaken(world, 30, async () => cancelCampaign((await world.context(project)).ctx, readId(id)));
    await send(world, project, id);
    await seconds(world, 2);
    const taken = world.taken.length;
    expect(taken).toBeLessThan(60);
    await world.pass(3);
    expect(world.taken).toHaveLength(taken);
    expect(await get(project, id)).toMatchObject({ status: "CANCELLED", totalRecipients: 700, sentCount: taken });
    expect(await stats(project, id)).toMatchObject({ cancelledCount: 700 - taken, queuedCount: 0 });
  });

  it.each([
    ["without a canary", {}],
    ["that is still measured for its canary", { canary: { percent: 10, holdMinutes: 60 } }],
  ])("is cancelled before anybody has a row, and leaves no content behind: one %s", async (_, fields) => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 3);
    const { id } = await newCampaign(project, fields);
    const { ctx } = await world.context(project);
    await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
    await cancelCampaign(ctx, readId(id));
    await world.pass(3);
    expect(await get(project, id)).toMatchObject({ status: "CANCELLED", totalRecipients: 0 });
    const contents = project.db.prepare("SELECT count(*) AS n FROM email_contents WHERE project_id = ?");
    expect(await contents.bind(project.number).first("n")).toBe(0);
  });

  it("tries again what failed, and nobody gets two", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 20);
    const { id } = await newCampaign(project);
    const refuses = (): Receipt => ({ kind: "refused", reason: "No" });
    world.answer = ({ to }) => (to.email.startsWith("1") ? refuses() : accepts());
    await send(world, project, id);
    await seconds(world, 10);
    expect(await stats(project, id)).toMatchObject({ failedCount: 11, sentCount: 9 });
    world.answer = accepts;
    expect(await retryCampaign((await world.context(project)).ctx, readId(id), { statuses: ["FAILED"] })).toBe(11);
    expect((await get(project, id)).status).toBe("SENDING");
    await seconds(world, 10);
    expect(await get(project, id)).toMatchObject({ status: "SENT", sentCount: 20 });
    expect(new Set(takenBy(world)).size).toBe(20);
    expect(world.taken).toHaveLength(20);
  });

  it("goes on after a pause of the project that its run never saw", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 20);
    const { id } = await newCampaign(project);
    whenTaken(world, 3, () => setPause(project, "Too bad."));
    await send(world, project, id);
    await world.drain();
    await setPause(project, null);
    await world.pass(10);
    expect(await get(project, id)).toMatchObject({ status: "SENT", sentCount: 20 });
    expect(world.taken).toHaveLength(20);
  });

  it("sends nothing after a cancel that the provider was too busy to take before", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 1);
    const { id } = await newCampaign(project);
    let asked = 0;
    world.answer = async () => {
      asked += 1;
      const isFirst = asked === 1;
      if (isFirst) {
        await cancelCampaign((await world.context(project)).ctx, readId(id));
        const run = { type: "campaigns.run", projectId: project.number, campaignId: readId(id) } as const;
        await runCampaign(world.process().platform, run);
      }
      return isFirst ? { kind: "busy", reason: "Later" } : accepts();
    };
    await send(world, project, id);
    await world.pass(10);
    expect(world.taken).toHaveLength(0);
    expect(await stats(project, id)).toMatchObject({ cancelledCount: 1, queuedCount: 0 });
  });

  it("sends nothing while it is paused, also what the provider was too busy to take before", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 1);
    const { id } = await newCampaign(project);
    let asked = 0;
    world.answer = async () => {
      asked += 1;
      const isFirst = asked === 1;
      if (isFirst) await pauseCampaign((await world.context(project)).ctx, readId(id));
      return isFirst ? { kind: "busy", reason: "Later" } : accepts();
    };
    await send(world, project, id);
    await world.pass(10);
    expect(world.taken).toHaveLength(0);
    await resumeCampaign((await world.context(project)).ctx, readId(id));
    await world.pass(5);
    expect(world.taken).toHaveLength(1);
    expect(await get(project, id)).toMatchObject({ status: "SENT", sentCount: 1 });
  });

  it("keeps to the month's limit when it is tried again", async () => {
    const [world, project] = [new World(), await newProject({ monthlySendLimit: 3 })];
    await addContacts(project, 5);
    const { id } = await newCampaign(project);
    await send(world, project, id);
    await world.pass(3);
    expect(await stats(project, id)).toMatchObject({ sentCount: 3, failedCount: 2 });
    await retryCampaign((await world.context(project)).ctx, readId(id), { statuses: ["FAILED"] });
    await world.pass(3);
    expect(await get(project, id)).toMatchObject({ status: "SENT", sentCount: 3 });
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: 4 });
    await retryCampaign((await world.context(project)).ctx, readId(id), { statuses: ["FAILED"] });
    await world.pass(3);
    expect(await get(project, id)).toMatchObject({ status: "SENT", sentCount: 4 });
    expect(await stats(project, id)).toMatchObject({ failedCount: 1 });
  });

  it("is not SENT while one of its emails is tried again", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 2);
    const { id } = await newCampaign(project);
    world.answer = ({ to }) => (to.email.startsWith("0") ? { kind: "refused", reason: "No" } : accepts());
    let refused = "";
    await send(world, project, id);
    await world.drain();
    const { body } = await project.api.get(`/campaigns/${id}/recipients?status=FAILED`);
    refused = body.data[0].id;
    await stats(project, id);
    world.answer = () => ({ kind: "busy", reason: "Later" });
    const { ctx } = await world.context(project);
    await retryEmail(ctx, readId(refused));
    await seconds(world, 5);
    expect(await get(project, id)).toMatchObject({ status: "SENDING" });
    world.answer = accepts;
    await world.pass(5);
    expect(await get(project, id)).toMatchObject({ status: "SENT", sentCount: 2 });
  });

  it("can be deleted at once after a cancel, and none of its emails waits for ever", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 100);
    const { id } = await newCampaign(project);
    whenTaken(world, 2, async () => {
      await cancelCampaign((await world.context(project)).ctx, readId(id));
      await deleteCampaign((await world.context(project)).ctx, readId(id));
    });
    await send(world, project, id);
    await world.pass(5);
    const rows = await emailRows(project);
    expect(rows).toHaveLength(100);
    expect(rows.filter(({ status }) => status === "SENT")).toHaveLength(world.taken.length);
    expect(rows.filter(({ status }) => status === "CANCELLED")).toHaveLength(100 - world.taken.length);
    await emptyTrash(world, project);
    for (const table of ["campaign_runs", "campaign_pages", "campaign_counts"]) {
      const query = project.db.prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`);
      expect([table, await query.bind(project.number).first("n")]).toEqual([table, 0]);
    }
  });

  it.each([0, 1])("with a canary and %i recipients is SENT, as nobody waits for the canary", async (people) => {
    const [world, project] = [new World(), await newProject()];
    if (people > 0) await addContacts(project, people);
    const { id } = await newCampaign(project, { canary: { percent: 10, holdMinutes: 60 } });
    await send(world, project, id);
    await world.pass(2);
    expect(await get(project, id)).toMatchObject({ status: "SENT", sentCount: people, heldReason: null });
  });

  it("judges its canary also after a person resumed it from a pause of the project", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 10);
    const { id } = await newCampaign(project, { canary: { percent: 10, holdMinutes: 10 } });
    await send(world, project, id);
    await world.pass(2);
    expect(world.taken).toHaveLength(1);
    const { ctx } = await world.context(project);
    await holdCampaign(ctx, readId(id), "reputation");
    await resumeCampaign(ctx, readId(id));
    await world.pass(15);
    expect(world.taken).toHaveLength(1);
    expect(await get(project, id)).toMatchObject({ status: "SENDING", heldReason: "no reports" });
    await resumeCampaign((await world.context(project)).ctx, readId(id));
    await world.pass(3);
    expect(world.taken).toHaveLength(10);
  });

  it("of a disabled project is held at once, also while it waits for the verdict on its canary", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 10);
    const { id } = await newCampaign(project, { canary: { percent: 10, holdMinutes: 600 } });
    await send(world, project, id);
    await world.pass(2);
    expect(world.taken).toHaveLength(1);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    await world.pass(1);
    expect(await get(project, id)).toMatchObject({ status: "SENDING", heldReason: "Project disabled" });
    await admin.patch(`/admin/projects/${project.id}`, { disabled: false });
    expect((await project.api.post(`/campaigns/${id}/resume`)).body.data.heldReason).toBeNull();
    await world.pass(2);
    expect(world.taken).toHaveLength(1);
    expect((await project.api.post(`/campaigns/${id}/cancel`)).status).toBe(200);
    await world.pass(2);
  });

  it("of a disabled project that was due uses its segment no longer", async () => {
    const [world, project] = [new World(), await newProject()];
    const segment = await newSegment(project, { condition: isPro });
    const { id } = await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id });
    await send(world, project, id, new Date(world.now + 60_000).toISOString());
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    await world.pass(3);
    expect(await get(project, id)).toMatchObject({ status: "CANCELLED", heldReason: "Project disabled" });
    const query = project.db.prepare(
      "SELECT count(*) AS n FROM audience_references WHERE project_id = ? AND referrer = 'campaign'",
    );
    expect(await query.bind(project.number).first("n")).toBe(0);
  });
});
