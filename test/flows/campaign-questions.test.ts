import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import type { Hit } from "../../src/core/tracking/hit";
import { readClickToken } from "../../src/core/tracking/token";
import { sendCampaign } from "../../src/features/campaigns/send";
import { handleMessage } from "../../src/queue";
import { addContacts, newCampaign } from "../support/campaign";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { isPro, newContact, newSegment } from "../support/segment";
import { chooseTopics, newTopic } from "../support/topic";
import { clickUrls } from "../support/tracking";
import { emptyTrash } from "../support/trash";
import { World } from "../support/world";

async function send(world: World, project: TestProject, id: string): Promise<void> {
  const { ctx } = await world.context(project);
  await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
}

/** Ten seconds go by, with the queue after each. */
async function goOn(world: World): Promise<void> {
  for (let second = 0; second < 10; second++) {
    world.now += 1_000;
    await world.drain();
  }
}

async function sendToEnd(world: World, project: TestProject, id: string): Promise<void> {
  await send(world, project, id);
  await goOn(world);
}

async function stats(project: TestProject, id: string) {
  return (await project.api.get(`/campaigns/${id}/stats`)).body;
}

/** Somebody for each way to be left out, and Ada, who gets it. */
async function set() {
  const [world, project] = [new World(), await newProject()];
  const topic = await newTopic(project);
  const ada = await newContact(project, "ada@example.com", { data: { plan: "pro" } });
  const gone = await newContact(project, "gone@example.com", { subscribed: false, data: { plan: "pro" } });
  const away = await newContact(project, "away@example.com", { data: { plan: "pro" } });
  await project.api.post(`/contacts/${away.id}/snooze`, { duration: "14d" });
  const bored = await newContact(project, "bored@example.com", { data: { plan: "pro" } });
  await chooseTopics(project, bored.id, { [topic.slug]: false });
  const bounced = await newContact(project, "bounced@example.com", { subscribed: false, data: { plan: "pro" } });
  await project.api.post("/suppressions", { email: bounced.email, reason: "bounce" });
  const listed = await newContact(project, "listed@example.com", { data: { plan: "pro" } });
  await project.api.post("/suppressions", { email: listed.email });
  const free = await newContact(project, "free@example.com", { data: { plan: "free" } });
  const fields = { audienceType: "FILTERED", audienceCondition: isPro, topicId: topic.id };
  const { id } = await newCampaign(project, fields);
  const explain = async (query: string) => (await project.api.get(`/campaigns/${id}/explain?${query}`)).body;
  return { world, project, api: project.api, id, explain, people: { ada, gone, away, bored, bounced, listed, free } };
}

describe("whom a campaign left out", () => {
  it("is counted by reason, each contact once", async () => {
    const { world, project, id } = await set();
    expect((await stats(project, id)).leftOut).toEqual([]);
    await sendToEnd(world, project, id);
    expect(await stats(project, id)).toMatchObject({
      totalRecipients: 2,
      sentCount: 1,
      suppressedCount: 1,
      leftOut: [
        { reason: "suppressed", count: 1 },
        { reason: "snoozed", count: 1 },
        { reason: "unsubscribed", count: 1 },
        { reason: "topic", count: 1 },
      ],
    });
  });

  it("is nobody for TRANSACTIONAL mail", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 3, { subscribed: 0 });
    const { id } = await newCampaign(project, { type: "TRANSACTIONAL" });
    await sendToEnd(world, project, id);
    expect(await stats(project, id)).toMatchObject({ totalRecipients: 3, leftOut: [] });
  });

  it("counts nobody twice when a run dies and its steps come again", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 1_100);
    await addContacts(project, 700, { subscribed: 0 });
    const { id } = await newCampaign(project);
    await send(world, project, id);
    for (const atStep of [1, 2, 3, 4, 5, 6, 7]) {
      await world.runAndDie({ atStep, when: "after" });
      world.now += 61_000;
      await world.sweep();
    }
    await world.pass(2);
    expect(await stats(project, id)).toMatchObject({
      totalRecipients: 1_100,
      leftOut: [{ reason: "unsubscribed", count: 700 }],
    });
  });

  it("goes with the campaign", async () => {
    const { world, project, api, id } = await set();
    await sendToEnd(world, project, id);
    await api.delete(`/campaigns/${id}`);
    await emptyTrash(world, project);
    for (const table of ["campaign_left_out", "campaign_links"]) {
      const rows = project.db.prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`);
      expect(await rows.bind(project.number).first("n")).toBe(0);
    }
  });
});

describe("GET /campaigns/{id}/recipients", () => {
  it("finds the email of one contact, by id and by address", async () => {
    const { world, project, api, id, people } = await set();
    await sendToEnd(world, project, id);
    const found = async (query: string) => (await api.get(`/campaigns/${id}/recipients?${query}`)).body;
    expect(await found(`contactId=${people.ada.id}`)).toMatchObject({
      data: [{ to: "ada@example.com", status: "SENT" }],
      ...{ total: 1, hasMore: false, cursor: "" },
    });
    expect(await found("to=Listed@example.com")).toMatchObject({ data: [{ status: "SUPPRESSED" }], total: 1 });
    expect(await found("to=gone@example.com")).toMatchObject({ data: [], total: 0 });
    expect(await found(`to=ada@example.com&contactId=${people.listed.id}`)).toMatchObject({ data: [] });
    await api.patch(`/contacts/${people.ada.id}`, { email: "ada@new.example" });
    expect(await found("to=ada@example.com")).toMatchObject({ data: [{ contactId: people.ada.id }] });
    const other = await newProject();
    const stranger = await newContact(other, "ada@example.com");
    expect(await found(`contactId=${stranger.id}`)).toMatchObject({ data: [], total: 0 });
    expectInvalid(await api.get(`/campaigns/${id}/recipients?to=nope`), "to", "invalid_string");
  });
});

describe("GET /campaigns/{id}/explain", () => {
  it("tells from the emails, and else from the contact as it is now", async () => {
    const { world, project, explain, id, people } = await set();
    await sendToEnd(world, project, id);
    expect(await explain(`contactId=${people.ada.id}`)).toEqual({
      contactId: people.ada.id,
      email: "ada@example.com",
      inAudience: true,
      outcome: "SENT",
      reasons: [{ code: "sent", message: "The provider accepted the email" }],
      emailId: expect.any(String),
      basis: "EMAIL",
      asOf: expect.any(String),
    });
    const of = async (email: string) => {
      const { outcome, inAudience, reasons, basis, emailId } = await explain(`email=${email}`);
      return [outcome, inAudience, basis, emailId === null, reasons.map(({ code }: { code: string }) => code)];
    };
    expect(await of("listed@example.com")).toEqual(["WITHHELD", true, "EMAIL", false, ["suppressed"]]);
    expect(await of("gone@example.com")).toEqual(["LEFT_OUT", true, "FROZEN", true, ["unsubscribed"]]);
    expect(await of("away@example.com")).toEqual(["LEFT_OUT", true, "FROZEN", true, ["snoozed"]]);
    expect(await of("bored@example.com")).toEqual(["LEFT_OUT", true, "FROZEN", true, ["topic"]]);
    expect(await of("bounced@example.com")).toEqual(["LEFT_OUT", true, "FROZEN", true, ["suppressed", "unsubscribed"]]);
    expect(await of("free@example.com")).toEqual(["NOT_IN_AUDIENCE", false, "FROZEN", true, ["filter"]]);
    expect((await explain("email=free@example.com")).reasons[0].message).toBe(
      'data.plan equals "pro" does not match: it is "free"',
    );
    expect(await of("nobody@example.com")).toEqual(["NO_CONTACT", false, "FROZEN", true, ["no_contact"]]);
    await newContact(project, "new@example.com", { data: { plan: "pro" } });
    expect(await of("new@example.com")).toEqual(["NOT_IN_AUDIENCE", false, "FROZEN", true, ["created_later"]]);
    await project.api.patch(`/contacts/${people.gone.id}`, { subscribed: true });
    expect(await of("gone@example.com")).toEqual(["LEFT_OUT", true, "FROZEN", true, ["changed"]]);
  });

  it("tells every reason of who is not in the audience: all filters, and what else keeps the mail away", async () => {
    const { project, explain } = await set();
    const codes = async (email: string, from = explain) =>
      (await from(`email=${email}`)).reasons.map(({ code }: { code: string }) => code);
    await newContact(project, "out@example.com", { subscribed: false, data: { plan: "free" } });
    expect(await codes("out@example.com")).toEqual(["filter", "unsubscribed"]);
    const nap = await newContact(project, "nap@example.com", { data: { plan: "free" } });
    await project.api.post(`/contacts/${nap.id}/snooze`, { duration: "14d" });
    expect(await codes("nap@example.com")).toEqual(["filter", "snoozed"]);
    await newContact(project, "hard@example.com", { subscribed: false, data: { plan: "free" } });
    await project.api.post("/suppressions", { email: "hard@example.com", reason: "bounce" });
    expect(await codes("hard@example.com")).toEqual(["filter", "suppressed", "unsubscribed"]);
    await newContact(project, "list@example.com", { data: { plan: "free" } });
    await project.api.post("/suppressions", { email: "list@example.com" });
    expect(await codes("list@example.com")).toEqual(["filter", "suppressed"]);

    const filters = Array.from({ length: 100 }, (_, n) => ({ field: `data.k${n}`, operator: "equals", value: n }));
    const many = { audienceType: "FILTERED", audienceCondition: { logic: "AND", groups: [{ filters }] } };
    const { id } = await newCampaign(project, many);
    const ofMany = async (query: string) => (await project.api.get(`/campaigns/${id}/explain?${query}`)).body;
    expect(await codes("gone@example.com", ofMany)).toEqual([...Array(100).fill("filter"), "unsubscribed"]);
  });

  it("tells of a draft what would happen, by its segment too", async () => {
    const { project, explain, id, people } = await set();
    expect(await explain(`contactId=${people.ada.id}`)).toMatchObject({ outcome: "WAITING", basis: "DRAFT" });
    expect(await explain("email=listed@example.com")).toMatchObject({ outcome: "WITHHELD", inAudience: true });
    expect(await explain("email=gone@example.com")).toMatchObject({ outcome: "LEFT_OUT", basis: "DRAFT" });
    const segment = await newSegment(project);
    const made = await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id });
    const { body } = await project.api.get(`/campaigns/${made.id}/explain?email=free@example.com`);
    expect(body).toMatchObject({ outcome: "NOT_IN_AUDIENCE", reasons: [{ code: "filter" }] });
    expect((await project.api.get(`/campaigns/${id}`)).body).toMatchObject({ status: "DRAFT", totalRecipients: 0 });
  });

  it("waits for whom the run has not reached, and knows a deleted contact by its email", async () => {
    const { world, project, api, explain, id, people } = await set();
    await send(world, project, id);
    expect(await explain("email=ada@example.com")).toMatchObject({
      ...{ outcome: "WAITING", basis: "FROZEN", reasons: [{ code: "not_reached" }] },
    });
    await goOn(world);
    await api.delete(`/contacts/${people.ada.id}`);
    expect(await explain(`contactId=${people.ada.id}`)).toMatchObject({
      email: null,
      basis: "EMAIL",
      inAudience: true,
    });
  });

  it("takes one name, of this project", async () => {
    const { api, id, people } = await set();
    const at = `/campaigns/${id}/explain`;
    expectInvalid(await api.get(at), "contactId", "required");
    expectInvalid(await api.get(`${at}?contactId=${people.ada.id}&email=ada@example.com`), "email", "custom");
    const stranger = await newContact(await newProject(), "eve@example.com");
    expectRefusal(await api.get(`${at}?contactId=${stranger.id}`), 404, "CONTACT_NOT_FOUND", {
      details: { resource: "contact", id: stranger.id },
    });
  });
});

describe("GET /campaigns/{id}/links", () => {
  const sale = "https://shop.example/sale?from={{ id }}";
  const terms = "https://shop.example/terms?a=1&b=2";
  const body = `{% if firstName == "Ada" %}<a href="https://shop.example/vip">VIP</a>{% endif %}
    <a href="${sale}">Sale</a> <a href="https://shop.example/terms?a=1&amp;b=2">Terms</a> <a href="${sale}">Again</a>
    <a href="mailto:a@b.test">us</a> <a href="{{ unsubscribeUrl }}">leave</a>`;

  async function clicked() {
    const [world, project] = [new World(), await newProject({ tracking: "ENABLED" })];
    for (const email of ["ada@example.com", "bob@example.com"]) {
      await newContact(project, email, { data: { firstName: email.startsWith("ada") ? "Ada" : "Bob" } });
    }
    const { id } = await newCampaign(project, { body });
    await sendToEnd(world, project, id);
    const hits = async (...all: Hit[]) =>
      handleMessage(world.process().platform, { type: "tracking.record", projectId: project.number, hits: all });
    const { body: list } = await project.api.get(`/campaigns/${id}/recipients`);
    const emailOf = (to: string) => readId(list.data.find((one: { to: string }) => one.to === to).id);
    const links = async () => (await project.api.get(`/campaigns/${id}/links`)).body;
    return { world, project, id, hits, emailOf, links };
  }

  let made = 0;
  const click = (emailId: Hit["emailId"], number: number, fields: Partial<Hit> = {}): Hit => ({
    ...{
      id: `h${++made}`,
      kind: "click",
      emailId,
      at: Date.now(),
      link: "https://x.example",
      number,
      isAutomated: false,
    },
    ...fields,
  });

  it("lists the URLs as they are written, and counts clicks, people and programs apart, each once", async () => {
    const { hits, emailOf, links } = await clicked();
    expect(await links()).toEqual({
      data: [
        { url: "https://shop.example/vip", clicks: 0, uniqueClicks: 0, automatedClicks: 0 },
        { url: sale, clicks: 0, uniqueClicks: 0, automatedClicks: 0 },
        { url: terms, clicks: 0, uniqueClicks: 0, automatedClicks: 0 },
      ],
      truncated: false,
    });
    const [ada, bob] = [emailOf("ada@example.com"), emailOf("bob@example.com")];
    const first = [click(ada, 2), click(ada, 2), click(bob, 2), click(bob, 3, { isAutomated: true })];
    await hits(...first);
    await hits(...first);
    await hits(click(ada, 2), click(ada, 3), click(bob, 9));
    expect((await links()).data).toEqual([
      { url: sale, clicks: 4, uniqueClicks: 2, automatedClicks: 0 },
      { url: terms, clicks: 1, uniqueClicks: 1, automatedClicks: 1 },
      { url: "https://shop.example/vip", clicks: 0, uniqueClicks: 0, automatedClicks: 0 },
    ]);
  });

  it("knows a link by its URL, whatever comes before it in a mail", async () => {
    const { world } = await clicked();
    const { config } = world.process().platform;
    const numbers = Object.fromEntries(
      world.taken.map(({ to, html }) => [
        to.email,
        clickUrls(html).map((url) => readClickToken(config.linkSecrets, url.split("/c/")[1] ?? "")?.number),
      ]),
    );
    expect(numbers).toEqual({ "ada@example.com": [1, 2, 3, 2], "bob@example.com": [2, 3, 2] });
  });

  it("adds variants up, tells 200 links, and none of what is not tracked", async () => {
    const [world, project] = [new World(), await newProject({ tracking: "ENABLED" })];
    await newContact(project, "ada@example.com");
    const many = Array.from({ length: 201 }, (_, n) => `<a href="https://shop.example/${n}">x</a>`).join("");
    const variants = [
      { name: "a", weight: 1 },
      { name: "b", weight: 1, body: '<a href="https://shop.example/0">x</a>' },
    ];
    const { id } = await newCampaign(project, { body: many, variants });
    await sendToEnd(world, project, id);
    const { body } = await project.api.get(`/campaigns/${id}/links`);
    expect([body.data.length, body.truncated]).toEqual([200, true]);
    const silent = await newProject({ tracking: "DISABLED" });
    const other = await newCampaign(silent, { body: many });
    await sendToEnd(world, silent, other.id);
    expect((await silent.api.get(`/campaigns/${other.id}/links`)).body).toEqual({ data: [], truncated: false });
  });
});
