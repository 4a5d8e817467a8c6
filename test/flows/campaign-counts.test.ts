import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Counts } from "../../src/core/campaigns/counts";
import { type Id, publicId, readId } from "../../src/core/ids";
import { hardBounce, type Notice, transient } from "../../src/core/mail/notices/notice";
import { writeTag } from "../../src/core/mail/tag";
import { openBatch } from "../../src/db/batch";
import { asId, columns } from "../../src/db/rows";
import { selectOne, statement } from "../../src/db/statement";
import { countDuePages } from "../../src/engine/campaigns/count-due";
import { findCounts } from "../../src/engine/campaigns/counts";
import { updateMarked } from "../../src/engine/campaigns/mark-pages";
import { pagePath } from "../../src/engine/mail/links";
import { takeReport } from "../../src/features/hooks/take-report";
import type { Context } from "../../src/platform/context";
import { deliverEmails } from "../support/deliver-emails";
import { wasKilled } from "../support/killable";
import { byVariant, markedPages, newCampaign, recounted, storedCounts, type TestCampaign } from "../support/ledger";
import { call, newProject, type TestProject } from "../support/project";
import { newTopic } from "../support/topic";
import { World } from "../support/world";

type Said = "delivered" | "hard" | "soft" | "complained";

const says: Record<Said, Notice["report"]> = {
  delivered: { kind: "delivered" },
  hard: hardBounce(["Gone"]),
  soft: transient(["Full"]),
  complained: { kind: "complained" },
};

async function report(ctx: Context, emailId: Id, said: Said): Promise<void> {
  const tag = writeTag({ projectId: ctx.project.id, emailId: publicId(emailId) });
  await takeReport(ctx, "double", { tag, providerMessageId: "m-1", id: `n-${said}`, report: says[said] });
}

/** As whoever tracks opened mail writes it. */
async function open(ctx: Context, emailIds: Id[]): Promise<void> {
  const where = sql`e.project_id = ${ctx.project.number} AND e.id IN (SELECT value FROM json_each(${JSON.stringify(emailIds)}))
    AND e.opened_at IS NULL`;
  const batch = openBatch(ctx);
  batch.add(updateMarked(ctx, { where }));
  batch.add(statement(sql`UPDATE emails AS e SET opened_at = 1 WHERE ${where}`));
  await batch.commit();
}

/** The mailbox's own button, or the one of the page. */
async function pressUnsubscribe(ctx: Context, emailId: Id, topicId?: Id): Promise<void> {
  const query = sql`SELECT contact_id FROM emails WHERE project_id = ${ctx.project.number} AND id = ${emailId}`;
  const { contactId } = await selectOne(ctx.db, query, columns({ contactId: asId }));
  const path = pagePath(ctx, "unsubscribe", { projectId: ctx.project.id, contactId, emailId, topicId });
  expect((await call("POST", path, "List-Unsubscribe=One-Click")).status).toBe(200);
}

/** What the counters say that is not 0, of a campaign without variants. */
function figures(counts: Record<string, Counts>, variant = ""): Partial<Counts> {
  return Object.fromEntries(Object.entries(counts[variant] ?? {}).filter(([, n]) => n !== 0));
}

async function settle(world: World, project: TestProject): Promise<void> {
  world.now += 11 * 60_000;
  const { ctx } = await world.context(project);
  for (let turn = 0; turn < 10; turn++) {
    await world.drain();
    await countDuePages(ctx, { type: "campaigns.count", projectId: ctx.project.number });
  }
}

async function sceneOf(wanted: Parameters<typeof newCampaign>[1]) {
  const [project, world] = [await newProject(), new World()];
  const campaign = await newCampaign(project, wanted);
  const { ctx } = await world.context(project);
  return { project, world, campaign, ctx };
}

async function expectExact(world: World, project: TestProject, campaign: TestCampaign): Promise<void> {
  expect(await storedCounts(world, project, campaign)).toEqual(await recounted(project, campaign));
  expect(await markedPages(project, campaign)).toBe(0);
}

describe("the counters of a campaign", () => {
  it("follow its mail from the queue to the last report", async () => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 6 });
    await settle(world, project);
    expect(figures(await storedCounts(world, project, campaign))).toEqual({ queued: 6 });
    world.answer = ({ to }) =>
      to.email.startsWith("5-")
        ? { kind: "refused", reason: "No" }
        : { kind: "accepted", providerMessageId: "m", reports: [] };
    await deliverEmails(ctx, 2, campaign.emailIds);
    await settle(world, project);
    expect(figures(await storedCounts(world, project, campaign))).toEqual({ sent: 5, failed: 1 });
    const [a, b, c, d] = campaign.emailIds;
    if (!(a && b && c && d)) throw new Error("There are six");
    await report(ctx, a, "delivered");
    await report(ctx, b, "hard");
    await report(ctx, c, "soft");
    await report(ctx, d, "complained");
    await open(ctx, [a]);
    await settle(world, project);
    expect(figures(await storedCounts(world, project, campaign))).toEqual({
      ...{ sent: 5, failed: 1, delivered: 2, opened: 1, bounced: 1, complained: 1 },
    });
    await expectExact(world, project, campaign);
  });

  it("are kept apart for each variant", async () => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 7, variants: ["a", "b"], status: "SENT" });
    for (const id of campaign.emailIds.slice(0, 3)) await report(ctx, id, "delivered");
    await settle(world, project);
    const counts = await storedCounts(world, project, campaign);
    expect(figures(counts, "a")).toEqual({ sent: 4, delivered: 2 });
    expect(figures(counts, "b")).toEqual({ sent: 3, delivered: 1 });
  });

  it("count a person who left by a link of the mail, once", async () => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 2, status: "SENT" });
    const [emailId] = campaign.emailIds;
    if (!emailId) throw new Error("There are two");
    await pressUnsubscribe(ctx, emailId);
    await pressUnsubscribe(ctx, emailId);
    await settle(world, project);
    expect(figures(await storedCounts(world, project, campaign))).toEqual({ sent: 2, unsubscribed: 1 });
    await expectExact(world, project, campaign);
  });

  it("count a person who left the mail's topic, once, and not again when everything follows", async () => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 3, status: "SENT" });
    const [emailId, other] = campaign.emailIds;
    if (!(emailId && other)) throw new Error("There are three");
    const [topic, optIn] = [await newTopic(project), await newTopic(project, { defaultSubscribed: false })];
    await pressUnsubscribe(ctx, emailId, readId(topic.id));
    await pressUnsubscribe(ctx, emailId, readId(topic.id));
    await pressUnsubscribe(ctx, emailId);
    // Whoever never joined a topic leaves nothing.
    await pressUnsubscribe(ctx, other, readId(optIn.id));
    await settle(world, project);
    expect(figures(await storedCounts(world, project, campaign))).toEqual({ sent: 3, unsubscribed: 1 });
    await expectExact(world, project, campaign);
  });

  it("do not count a link of a later mail, once the person has left", async () => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 1, status: "SENT" });
    const [emailId] = campaign.emailIds;
    if (!emailId) throw new Error("There is one");
    await project.db.prepare("UPDATE contacts SET subscribed = 0 WHERE project_id = ?").bind(project.number).run();
    await pressUnsubscribe(ctx, emailId);
    await settle(world, project);
    expect(figures(await storedCounts(world, project, campaign))).toEqual({ sent: 1 });
  });

  it("follow a mail that is cancelled, sent again, and its contact's erasure", async () => {
    const { project, world, campaign } = await sceneOf({ recipients: 3 });
    await settle(world, project);
    const [a, b] = campaign.emailIds;
    if (!(a && b)) throw new Error("There are three");
    expect((await project.api.delete(`/emails/${publicId(a)}`)).status).toBe(200);
    const { body } = await project.api.get(`/emails/${publicId(b)}`);
    expect((await project.api.delete(`/contacts/${body.contactId}`)).status).toBe(204);
    await settle(world, project);
    expect(figures(await storedCounts(world, project, campaign))).toEqual({ queued: 1, cancelled: 2 });
    expect((await project.api.post(`/emails/${publicId(a)}/retry`)).status).toBe(202);
    await settle(world, project);
    await expectExact(world, project, campaign);
  });

  it("of a small campaign are of this moment when they are asked for", async () => {
    const { campaign, ctx } = await sceneOf({ recipients: 3, status: "SENT" });
    const [emailId] = campaign.emailIds;
    if (!emailId) throw new Error("There are three");
    await report(ctx, emailId, "delivered");
    expect(figures(byVariant(await findCounts(ctx, campaign.id)))).toEqual({ sent: 3, delivered: 1 });
  });

  it("of a larger one are not counted on a read", async () => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 9, perPage: 3, status: "SENT" });
    await settle(world, project);
    const [emailId] = campaign.emailIds;
    if (!emailId) throw new Error("There are nine");
    await report(ctx, emailId, "delivered");
    expect(figures(byVariant(await findCounts(ctx, campaign.id)))).toEqual({ sent: 9 });
    await settle(world, project);
    expect(figures(byVariant(await findCounts(ctx, campaign.id)))).toEqual({ sent: 9, delivered: 1 });
  });
});

describe("a page of a campaign", () => {
  it("is marked once, however many reports come, and one message is sent", async () => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 20, perPage: 10, status: "SENT" });
    await settle(world, project);
    world.queue = [];
    const writes = async (act: () => Promise<void>) => {
      const before = world.rowsWritten;
      await act();
      return world.rowsWritten - before;
    };
    const [first, second, third] = campaign.emailIds;
    if (!(first && second && third)) throw new Error("There are twenty");
    await writes(() => report(ctx, first, "delivered"));
    const marking = await writes(() => report(ctx, second, "delivered"));
    const unmarked = await writes(() => report(ctx, third, "delivered"));
    expect(marking).toBe(unmarked);
    expect(await markedPages(project, campaign)).toBe(1);
    await report(ctx, third, "delivered");
    expect(world.queue.filter(({ queued }) => queued.message.type === "campaigns.count")).toHaveLength(1);
  });

  it("is not marked by a report that is repeated", async () => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 1, status: "SENT" });
    const [emailId] = campaign.emailIds;
    if (!emailId) throw new Error("There is one");
    await report(ctx, emailId, "hard");
    await settle(world, project);
    await report(ctx, emailId, "hard");
    await report(ctx, emailId, "delivered");
    expect(await markedPages(project, campaign)).toBe(0);
  });

  it("is counted within seconds, and by the sweep if the message is lost", async () => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 1, status: "SENT" });
    await settle(world, project);
    const [emailId] = campaign.emailIds;
    if (!emailId) throw new Error("There is one");
    // A page that is young.
    await project.db
      .prepare("UPDATE campaign_pages SET recount_at = NULL WHERE project_id = ?")
      .bind(project.number)
      .run();
    world.now = Date.now();
    await report(ctx, emailId, "delivered");
    expect(await markedPages(project, campaign)).toBe(1);
    world.now += 3_000;
    await world.drain();
    await expectExact(world, project, campaign);
    await open((await world.context(project)).ctx, [emailId]);
    world.queue = [];
    world.now += 60_000;
    await world.sweep();
    await world.drain();
    await expectExact(world, project, campaign);
  });

  it("waits a sixtieth of its age: an opened mail of yesterday does not count a page at once", async () => {
    const { project, world, campaign } = await sceneOf({ recipients: 1, status: "SENT" });
    await settle(world, project);
    world.now += 3 * 3_600_000;
    await open((await world.context(project)).ctx, campaign.emailIds);
    await world.pass(2);
    expect(await markedPages(project, campaign)).toBe(1);
    await world.pass(3);
    await expectExact(world, project, campaign);
  });

  it("of mail of no campaign is not looked for: nothing is written, and nothing sent", async () => {
    const [project, world] = [await newProject(), new World()];
    const { ctx } = await world.context(project);
    await project.api.send();
    const row = await project.db
      .prepare("SELECT id FROM emails WHERE project_id = ?")
      .bind(project.number)
      .first<{ id: string }>();
    const tag = writeTag({ projectId: project.id, emailId: row?.id ?? "" });
    await takeReport(ctx, "outbox", { tag, providerMessageId: "m", id: "n", report: says.delivered });
    expect(world.queue.map(({ queued }) => queued.message.type)).not.toContain("campaigns.count");
  });
});

describe("whoever counts", () => {
  const deaths = [1, 2, 3, 4].flatMap((atStep) => (["before", "after"] as const).map((when) => ({ atStep, when })));

  it.each(deaths)("may die at any step, and be two: %o", async (death) => {
    const { project, world, campaign, ctx } = await sceneOf({ recipients: 9, perPage: 3, status: "SENT" });
    for (const id of campaign.emailIds) await report(ctx, id, "delivered");
    const message = { type: "campaigns.count", projectId: project.number } as const;
    const dying = await world.context(project, death);
    const other = (await world.context(project)).ctx;
    await Promise.all([
      countDuePages(dying.ctx, message).catch((error) => {
        if (!wasKilled(error)) throw error;
      }),
      countDuePages(other, message),
    ]);
    await settle(world, project);
    await expectExact(world, project, campaign);
    expect(figures(await storedCounts(world, project, campaign))).toEqual({ sent: 9, delivered: 9 });
  });

  it("of a project with many marked pages lets the next one have its turn after twenty", async () => {
    const world = new World();
    const [large, small] = [await newProject(), await newProject()];
    const [many, few] = [
      await newCampaign(large, { recipients: 50, perPage: 1, status: "SENT" }),
      await newCampaign(small, { recipients: 1, status: "SENT" }),
    ];
    await world.sweep();
    world.queue = world.queue.filter(({ queued }) => queued.message.type === "campaigns.count");
    expect(world.queue).toHaveLength(2);
    // One turn of each.
    for (const { queued } of world.queue.splice(0)) {
      if (queued.message.type === "campaigns.count") await countDuePages(world.process().platform, queued.message);
    }
    expect([await markedPages(large, many), await markedPages(small, few)]).toEqual([30, 0]);
    // The next twenty come a second later.
    for (let second = 0; second < 2; second++) {
      world.now += 1_000;
      await world.drain();
    }
    await expectExact(world, large, many);
  });
});
