import { sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { readId } from "../../src/core/ids";
import { asText, columns } from "../../src/db/rows";
import { select } from "../../src/db/statement";
import { isInTopic } from "../../src/db/topics";
import { chooseTopics as choose } from "../../src/features/contacts/topics/topics";
import { computeSegment } from "../../src/features/segments/compute";
import { createSegment } from "../../src/features/segments/create";
import { deleteTopic } from "../../src/features/topics/delete";
import { wasKilled } from "../support/killable";
import { ledgerOf, memberRows, segmentRow } from "../support/membership";
import { Outside } from "../support/outside";
import { sendAs } from "../support/person";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid } from "../support/refusal";
import { emailRows } from "../support/rows";
import { membersOf, newContact, newSegment, only } from "../support/segment";
import { newTemplate } from "../support/template";
import { chooseTopics, newTopic, topicEvents } from "../support/topic";
import { delivered, newWebhook } from "../support/webhook";
import { World } from "../support/world";

const left = "The contact has left the topic of this email";
const everybody = ["ada@example.com", "bob@example.com", "eve@example.com"];

interface Setting {
  project: TestProject;
  world: World;
  /** A MARKETING template of the topic. */
  template: string;
  topicId: string;
  contacts: Record<string, string>;
}

/** Ada left the topic, Bob joined it, Eve never chose. All are subscribed. */
async function setting(topic: Record<string, unknown> = {}): Promise<Setting> {
  const [project, world] = [await newProject(), new World()];
  world.settings = { PUBLIC_URL: "https://mail.acme.com" };
  const { id: topicId } = await newTopic(project, topic);
  const contacts: Record<string, string> = {};
  for (const email of everybody) contacts[email.slice(0, 3)] = (await newContact(project, email)).id;
  await chooseTopics(project, contacts.ada ?? "", { news: false });
  await chooseTopics(project, contacts.bob ?? "", { news: true });
  const template = (await newTemplate(project, { topicId })).id;
  return { project, world, template, topicId, contacts };
}

const taken = (world: World) => world.taken.map(({ to }) => to.email).toSorted();

describe("mail of a topic by POST /v1/send", () => {
  it.each([true, false])("goes to all but those who left; defaultSubscribed: %s", async (defaultSubscribed) => {
    const { project, template } = await setting({ defaultSubscribed });
    const body = { to: everybody, template, from: undefined, subject: undefined, body: undefined };
    const answer = await project.api.send(body);
    expect(answer.status).toBe(200);
    expect(answer.body.data.emails.map((item: { status: string }) => item.status)).toEqual([
      "SUPPRESSED",
      "QUEUED",
      "QUEUED",
    ]);
    const [ada, bob] = await emailRows(project);
    expect([ada?.error, bob?.error]).toEqual([left, null]);
    const { body: record } = await project.api.get(`/emails/${answer.body.data.emails[0].email}`);
    expect(record).toMatchObject({ status: "SUPPRESSED", error: left });
    const month = "SELECT sum(emails) AS n FROM monthly_usage WHERE project_id = ?";
    expect(await project.db.prepare(month).bind(project.id).first("n")).toBe(2);
  });

  it("goes to nobody who unsubscribed from everything, whatever they joined", async () => {
    const { project, template, contacts } = await setting();
    await project.api.patch(`/contacts/${contacts.bob}`, { subscribed: false });
    const answer = await project.api.send({ to: "bob@example.com", template, subject: undefined, body: undefined });
    expect(answer.body.data.emails).toMatchObject([{ status: "SUPPRESSED" }]);
    expect(await emailRows(project)).toMatchObject([{ error: "The contact has unsubscribed from marketing email" }]);
  });

  it("goes to whoever left another topic, and mail of no topic goes to all", async () => {
    const { project, contacts } = await setting();
    const { id: topicId } = await newTopic(project, { name: "Offers" });
    const offers = await newTemplate(project, { topicId });
    const plain = await newTemplate(project);
    await chooseTopics(project, contacts.eve ?? "", { offers: false });
    for (const [template, statuses] of [
      [offers.id, ["QUEUED", "QUEUED", "SUPPRESSED"]],
      [plain.id, ["QUEUED", "QUEUED", "QUEUED"]],
    ] as const) {
      const { body } = await project.api.send({ to: everybody, template, subject: undefined, body: undefined });
      expect(body.data.emails.map((item: { status: string }) => item.status)).toEqual(statuses);
    }
    const { body } = await project.api.send({ to: everybody });
    expect(body.data.emails.map((item: { status: string }) => item.status)).toEqual(["QUEUED", "QUEUED", "QUEUED"]);
  });

  it("is withheld from whoever leaves between acceptance and hand-over", async () => {
    const { project, world, template, contacts } = await setting();
    await sendAs(world, project, { to: ["bob@example.com", "eve@example.com"], template });
    await chooseTopics(project, contacts.bob ?? "", { news: false });
    await world.drain();
    expect(taken(world)).toEqual(["eve@example.com"]);
    expect(await emailRows(project)).toMatchObject([
      { status: "SUPPRESSED", error: left, attempts: 0 },
      { status: "SENT", attempts: 1 },
    ]);
  });

  it("is withheld in a shared call too, and from whoever leaves while a call before is under way", async () => {
    const { project, world, template, contacts } = await setting();
    world.mailsPerCall = 100;
    await sendAs(world, project, { to: ["bob@example.com", "eve@example.com"], template });
    await chooseTopics(project, contacts.bob ?? "", { news: false });
    await world.drain();
    expect(taken(world)).toEqual(["eve@example.com"]);
    expect(await emailRows(project)).toMatchObject([{ status: "SUPPRESSED" }, { status: "SENT" }]);
  });

  it("that is scheduled asks when it is due; joining again in between sends it", async () => {
    const { project, world, template, contacts } = await setting();
    const scheduledAt = new Date(world.now + 3_600_000).toISOString();
    await sendAs(world, project, { to: everybody, template, scheduledAt });
    expect(await emailRows(project)).toMatchObject([{ status: "QUEUED" }, { status: "QUEUED" }, { status: "QUEUED" }]);
    await chooseTopics(project, contacts.ada ?? "", { news: true });
    await chooseTopics(project, contacts.bob ?? "", { news: false });
    await world.pass(61);
    expect(taken(world)).toEqual(["ada@example.com", "eve@example.com"]);
  });

  it("stays of the topic of its acceptance, whatever becomes of the template and the topic", async () => {
    const { project, world, template, topicId, contacts } = await setting();
    const scheduledAt = new Date(world.now + 3_600_000).toISOString();
    await sendAs(world, project, { to: everybody, template, scheduledAt });
    await project.api.patch(`/templates/${template}`, { topicId: null });
    await chooseTopics(project, contacts.eve ?? "", { news: false });
    expect((await project.api.delete(`/topics/${topicId}`)).status).toBe(204);
    await world.pass(61);
    expect(taken(world)).toEqual(["bob@example.com"]);
  });
});

describe("who gets the mail of a topic by campaigns and workflows", () => {
  it.each([
    [true, ["bob@example.com", "eve@example.com"]],
    [false, ["bob@example.com"]],
  ])("is who joined, and with defaultSubscribed: %s nobody else but these", async (defaultSubscribed, emails) => {
    const { project, world, topicId } = await setting({ defaultSubscribed });
    const { ctx } = await world.context(project);
    const mayGet = isInTopic({
      projectId: sql`c.project_id`,
      contactId: sql`c.id`,
      topic: { id: sql`${readId(topicId)}` },
    });
    const found = await select(
      ctx.db,
      sql`SELECT c.email FROM contacts c WHERE c.project_id = ${project.number} AND ${mayGet} ORDER BY c.email`,
      columns({ email: asText }),
    );
    expect(found.map(({ email }) => email)).toEqual(emails);
  });
});

describe("a choice whose call dies", () => {
  it("is made whole or not at all, and once when it is repeated", async () => {
    for (let atStep = 1; ; atStep++) {
      const { project, world, contacts } = await setting();
      const topics = { news: false };
      let isDead = false;
      for (const death of [{ atStep, when: "after" as const }, undefined]) {
        const { ctx } = await world.context(project, death);
        await choose(ctx, readId(contacts.eve ?? ""), { topics }).catch((error: unknown) => {
          if (!wasKilled(error)) throw error;
          isDead = true;
        });
      }
      expect((await project.api.get(`/contacts/${contacts.eve}/topics`)).body).toEqual({ topics });
      expect(await topicEvents(project)).toEqual([
        ["left", { topic: "news" }],
        ["left", { topic: "news" }],
      ]);
      if (!isDead) return;
    }
  });
});

describe("topic.<slug> in a condition", () => {
  it("finds who gets the topic's mail, subscribed or not, in lists, counts, previews and explanations", async () => {
    const { project, contacts } = await setting();
    await project.api.patch(`/contacts/${contacts.eve}`, { subscribed: false });
    const { id, memberCount } = await newSegment(project, { condition: only("topic.news", "equals", true) });
    expect(memberCount).toBe(2);
    expect((await membersOf(project, id)).toSorted()).toEqual(["bob@example.com", "eve@example.com"]);
    const { body: preview } = await project.api.post("/segments/preview", {
      condition: only("topic.news", "notEquals", true),
    });
    expect(preview).toMatchObject({ count: 1, sample: [{ email: "ada@example.com" }] });
    const explained = async (contactId = "") => {
      const { body } = await project.api.post(`/segments/${id}/explain`, { contactId });
      return [body.matches, body.condition.groups[0].filters[0].actual];
    };
    expect(await explained(contacts.bob)).toEqual([true, true]);
    expect(await explained(contacts.ada)).toEqual([false, false]);
    await project.api.patch(`/segments/${id}`, { condition: only("topic.news", "notEquals", true) });
    expect(await explained(contacts.bob)).toEqual([false, true]);
    expect(await explained(contacts.ada)).toEqual([true, false]);
  });

  it("of an unknown, a deleted or another project's topic is a 422 that names its place", async () => {
    const [project, other] = [await newProject(), await newProject()];
    await newTopic(project);
    await newTopic(other, { name: "Theirs" });
    const gone = await newTopic(project, { name: "Gone" });
    await project.api.delete(`/topics/${gone.id}`);
    const segment = await newSegment(project, { condition: only("topic.news", "equals", true) });
    for (const slug of ["theirs", "gone", "News", "constructor"]) {
      const condition = {
        logic: "OR",
        groups: [
          { filters: [{ field: "topic.news", operator: "equals", value: true }] },
          { filters: [], conditions: only(`topic.${slug}`, "notEquals", false) },
        ],
      };
      for (const answer of [
        await project.api.post("/segments", { name: "Other", condition }),
        await project.api.post("/segments/preview", { condition }),
        await project.api.patch(`/segments/${segment.id}`, { condition }),
      ]) {
        expectInvalid(answer, "condition.groups.1.conditions.groups.0.filters.0.field", "custom");
      }
    }
    expect((await project.api.get("/segments")).body).toEqual([segment]);
  });

  it("and the deletion of its topic at once: one of the two wins", async () => {
    for (let round = 0; round < 4; round++) {
      const [project, world] = [await newProject(), new World()];
      const { id } = await newTopic(project);
      const { ctx } = await world.context(project);
      const input = { name: "Readers", condition: only("topic.news", "equals", true) };
      const [made, gone] = await Promise.allSettled([createSegment(ctx, input), deleteTopic(ctx, readId(id))]);
      expect([made.status, gone.status].toSorted()).toEqual(["fulfilled", "rejected"]);
    }
  });

  it("has a tracked segment computed again by a flip and by a new default, and by nothing else", async () => {
    const { project, world, topicId, contacts } = await setting();
    const condition = only("topic.news", "equals", true);
    const segment = await newSegment(project, { condition, trackMembership: true });
    const tick = async () => {
      world.now += 5 * 60_000;
      await world.sweep("*/5 * * * *");
      await world.drain();
      return memberRows(project, segment);
    };
    const computedAt = async () => (await segmentRow(world, project, segment)).computedAt;
    expect(await tick()).toEqual(["bob@example.com", "eve@example.com"]);
    await chooseTopics(project, contacts.ada ?? "", { news: true });
    await chooseTopics(project, contacts.bob ?? "", { news: false });
    expect(await tick()).toEqual(["ada@example.com", "eve@example.com"]);
    expect(await ledgerOf(project, segment)).toMatchObject({ entries: 3, exits: 1, wrong: 0 });
    await project.api.patch(`/topics/${topicId}`, { defaultSubscribed: false });
    expect(await tick()).toEqual(["ada@example.com"]);

    const version = "SELECT contacts_version AS n FROM project_counts WHERE project_id = ?";
    const before = await project.db.prepare(version).bind(project.id).first("n");
    await chooseTopics(project, contacts.ada ?? "", { news: true });
    await chooseTopics(project, contacts.eve ?? "", { news: false });
    await project.api.patch(`/topics/${topicId}`, { defaultSubscribed: false, name: "Other" });
    expect(await project.db.prepare(version).bind(project.id).first("n")).toBe(before);
    expect(await computedAt()).not.toBeNull();
  });

  it("is asked by index, as are topics and choices themselves", async () => {
    const { project, world, topicId, contacts } = await setting();
    const segment = await newSegment(project, { condition: only("topic.news", "equals", true), trackMembership: true });
    const row = await segmentRow(world, project, segment);
    const asked = new World();
    const { ctx } = await asked.context(project);
    await computeSegment(ctx, row);
    await choose(ctx, readId(contacts.eve ?? ""), { topics: { news: false } });
    await deleteTopic(ctx, readId(topicId)).catch(() => {});
    await expectBounded(asked.statements);
  });
});

describe("a webhook", () => {
  it("hears of joining and leaving, by name and by family", async () => {
    const outside = new Outside();
    try {
      const { project, world, contacts } = await setting();
      const exact = await newWebhook(world, project, ["contact.topic_left"]);
      const family = await newWebhook(world, project, ["contact.*"]);
      for (const { host } of [exact, family]) outside.play(host, () => new Response(null, { status: 204 }));
      const { ctx } = await world.context(project);
      for (const isIn of [false, true]) await choose(ctx, readId(contacts.eve ?? ""), { topics: { news: isIn } });
      await world.drain();
      await world.pass(2);
      const said = (type: string) =>
        expect.objectContaining({ type, data: expect.objectContaining({ topic: "news", contactId: contacts.eve }) });
      expect(delivered(outside, exact)).toEqual([said("contact.topic_left")]);
      expect(delivered(outside, family)).toEqual([said("contact.topic_left"), said("contact.topic_joined")]);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("a topic", () => {
  it("costs POST /v1/send no statement and no row: of mail of one, and of mail of none", async () => {
    const { project, template, contacts } = await setting();
    const { id: plain } = await newTemplate(project);
    await project.api.patch(`/contacts/${contacts.eve}`, { data: { plan: "pro" } });
    const costs = [];
    for (const id of [plain, template]) {
      const world = new World();
      await sendAs(world, project, { to: ["bob@example.com", "eve@example.com"], template: id });
      costs.push([world.statements.length, world.rowsWritten]);
    }
    expect(costs[1]).toEqual(costs[0]);
  });

  it("is one of fifty, and a choice writes few rows, a repeated one none", async () => {
    const { project, contacts } = await setting();
    for (let n = 2; n <= 50; n++) await newTopic(project, { name: "News" });
    const everything = Object.fromEntries(
      ["news", ...Array.from({ length: 49 }, (_, n) => `news-${n + 2}`)].map((slug) => [slug, false]),
    );
    const written = async (topics: Record<string, boolean>) => {
      const world = new World();
      await choose((await world.context(project)).ctx, readId(contacts.eve ?? ""), { topics });
      return world.rowsWritten;
    };
    await written({ "news-3": false });
    expect(await written({ "news-2": false })).toBeLessThanOrEqual(8);
    expect(await written(everything)).toBeLessThanOrEqual(48 * 6);
    expect(await written(everything)).toBe(0);
  });
});
