import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { languages } from "../../src/core/languages/language";
import { signToken } from "../../src/core/tokens";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { call, newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { newTemplate } from "../support/template";
import { chooseTopics, newTopic, type TestTopic, topicEvents } from "../support/topic";
import { World } from "../support/world";

const origin = "https://petrel.example";
const form = { headers: { "Content-Type": "application/x-www-form-urlencoded" } };
const oneClick = "List-Unsubscribe=One-Click";

interface Mailed {
  project: TestProject;
  topic: TestTopic;
  template: string;
  contact: string;
  unsubscribe: string;
  subscribe: string;
  manage: string;
}

/** Ada, who is subscribed, got a mail of the topic. */
async function mailed(fields: Record<string, unknown> = {}, data: Record<string, unknown> = {}): Promise<Mailed> {
  const [project, world] = [await newProject({ fromName: "Acme" }), new World()];
  const topic = await newTopic(project, { name: "Product news", ...fields });
  const contact = (await project.api.post("/contacts", { email: "ada@example.com", data })).body.id;
  const body = '<p>Hello</p><a href="{{ subscribeUrl }}">More</a>';
  const { id: template } = await newTemplate(project, { topicId: topic.id, body });
  const { ctx } = await world.context(project);
  await sendEmails({ ...ctx, origin }, SendEmail.parse({ to: "ada@example.com", template }));
  await world.drain();
  const [message] = world.taken;
  if (!message) throw new Error("Nothing was sent");
  const path = (page: string) => new RegExp(`/${page}/[\\w-]+`).exec(message.html)?.[0] ?? "";
  expect(message.headers["List-Unsubscribe"]).toBe(`<${origin}${path("unsubscribe")}>`);
  return {
    ...{ project, topic, template, contact },
    ...{ unsubscribe: path("unsubscribe"), subscribe: path("subscribe"), manage: path("manage") },
  };
}

/** What holds for Ada: `[subscribed, topics]`. */
async function stateOf({ project, contact }: Mailed): Promise<unknown> {
  const { subscribed } = (await project.api.get(`/contacts/${contact}`)).body;
  return [subscribed, (await project.api.get(`/contacts/${contact}/topics`)).body.topics];
}

async function sendStatus({ project, template }: Mailed): Promise<string> {
  const body = { to: "ada@example.com", template, subject: undefined, body: undefined };
  return (await project.api.send(body)).body.data.emails[0].status;
}

const post = (path: string, body: string) => call("POST", path, body, form);
const get = (path: string) => call("GET", path);

describe("one click in the mailbox on a mail of a topic", () => {
  it("leaves that topic and not everything, once, however often it comes", async () => {
    const mail = await mailed();
    await newTopic(mail.project, { name: "Offers" });
    const answers = await Promise.all(Array.from({ length: 16 }, () => post(mail.unsubscribe, oneClick)));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, ""]);
    expect(await stateOf(mail)).toEqual([true, { "product-news": false, offers: true }]);
    expect(await topicEvents(mail.project)).toEqual([["left", { topic: "product-news" }]]);
    expect((await eventCounts(mail.project))["contact.unsubscribed"]).toBeUndefined();
    expect(await sendStatus(mail)).toBe("SUPPRESSED");
    const { id: template } = await newTemplate(mail.project);
    expect(await sendStatus({ ...mail, template })).toBe("QUEUED");
  });

  it("leaves it too when nothing of the mail is stored any more", async () => {
    const mail = await mailed();
    for (const table of ["email_contents", "emails"]) {
      await mail.project.db.prepare(`DELETE FROM ${table} WHERE project_id = ?`).bind(mail.project.id).run();
    }
    expect((await post(mail.unsubscribe, oneClick)).status).toBe(200);
    expect(await stateOf(mail)).toEqual([true, { "product-news": false }]);
  });

  it("leaves the topic of the mail, whatever became of its template", async () => {
    const mail = await mailed();
    const { id: topicId } = await newTopic(mail.project, { name: "Offers" });
    await mail.project.api.patch(`/templates/${mail.template}`, { topicId });
    await post(mail.unsubscribe, oneClick);
    expect(await stateOf(mail)).toEqual([true, { "product-news": false, offers: true }]);
  });

  it("unsubscribes from everything when the topic is gone: it never does nothing", async () => {
    const mail = await mailed();
    await mail.project.api.delete(`/templates/${mail.template}`);
    expect((await mail.project.api.delete(`/topics/${mail.topic.id}`)).status).toBe(204);
    expect((await post(mail.unsubscribe, oneClick)).status).toBe(200);
    expect(await stateOf(mail)).toEqual([false, {}]);
    expect((await eventCounts(mail.project))["contact.unsubscribed"]).toBe(1);
  });

  it("and the deletion of the topic at once: the person has left one or the other", async () => {
    const mail = await mailed();
    await mail.project.api.delete(`/templates/${mail.template}`);
    await Promise.all([post(mail.unsubscribe, oneClick), mail.project.api.delete(`/topics/${mail.topic.id}`)]);
    const { subscribed } = (await mail.project.api.get(`/contacts/${mail.contact}`)).body;
    const left = (await topicEvents(mail.project)).length;
    expect([`${subscribed} ${left}`]).toEqual([expect.stringMatching(/^(true 1|false 0)$/)]);
  });

  it("is kept as a choice where the default was no: the next call sends nothing", async () => {
    const mail = await mailed({ defaultSubscribed: false });
    expect(await sendStatus(mail)).toBe("QUEUED");
    await post(mail.unsubscribe, oneClick);
    expect(await sendStatus(mail)).toBe("SUPPRESSED");
    expect(await topicEvents(mail.project)).toEqual([]);
  });

  it("with a topic that another project has unsubscribes from everything, as with none", async () => {
    const [mail, other] = [await mailed(), await mailed()];
    const token = signToken(["a-secret-of-at-least-32-characters!!"], "unsubscribe", {
      projectId: mail.project.id,
      contactId: readId(mail.contact),
      emailId: readId(mail.contact),
      topicId: readId(other.topic.id),
    });
    // We never sign such a link; one that somebody made is none.
    expect((await post(`/unsubscribe/${token}`, oneClick)).status).toBe(404);
    expect(await stateOf(mail)).toEqual([true, { "product-news": true }]);
  });
});

describe("the page for unsubscribing of a mail of a topic", () => {
  it("asks about the topic and changes nothing; then the button leaves it", async () => {
    const mail = await mailed({ name: "News <b>" });
    const { status, body } = await get(mail.unsubscribe);
    expect(status).toBe(200);
    expect(body).toContain("Unsubscribe from News &lt;b&gt;");
    expect(body).toContain("Unsubscribe from all marketing email");
    expect(await stateOf(mail)).toEqual([true, { "news-b": true }]);
    const done = await post(mail.unsubscribe, "");
    expect([done.status, done.body]).toEqual([
      200,
      expect.stringContaining("You are unsubscribed from News &lt;b&gt;"),
    ]);
    expect(await stateOf(mail)).toEqual([true, { "news-b": false }]);
    expect((await get(mail.unsubscribe)).body).toContain("You are unsubscribed from News");
    expect(done.body).toContain(mail.manage);
  });

  it("has a button for everything, before and after", async () => {
    for (const first of [null, ""]) {
      const mail = await mailed();
      if (first !== null) await post(mail.unsubscribe, first);
      const { body } = await post(mail.unsubscribe, "action=unsubscribe");
      expect(body).toContain("You are unsubscribed<");
      expect(await stateOf(mail)).toEqual([false, { "product-news": first === null }]);
      expect((await get(mail.unsubscribe)).body).toContain("You are unsubscribed<");
    }
  });

  it("still pauses, and says what was not clear", async () => {
    const mail = await mailed();
    const unclear = await post(mail.unsubscribe, "action=snooze&duration=never");
    expect([unclear.status, unclear.body]).toEqual([422, expect.stringContaining("Unsubscribe from Product news")]);
    expect((await post(mail.unsubscribe, "action=snooze&duration=14d")).body).toContain("is paused");
    expect(await stateOf(mail)).toEqual([false, { "product-news": true }]);
  });

  it.each([...languages.keys()])("reads well in %s, with the topic's name wherever it belongs", async (locale) => {
    const mail = await mailed({ description: "Every <i>month</i>" }, { locale });
    const pages = [await get(mail.unsubscribe), await get(mail.manage), await post(mail.unsubscribe, "")];
    for (const { status, body } of pages) {
      expect(status).toBe(200);
      expect(body).toContain(`lang="${locale}"`);
      expect(body).toContain("Product news");
      expect(body).not.toMatch(/[{}]|\bundefined\b|\bnull\b|<i>month/);
    }
  });
});

describe("the page for subscribing of a mail of a topic", () => {
  it("joins the topic again that its mail was left by", async () => {
    const mail = await mailed();
    await post(mail.unsubscribe, oneClick);
    await post(mail.manage, "action=unsubscribe");
    expect((await get(mail.subscribe)).body).toContain("<button");
    await post(mail.subscribe, "");
    await post(mail.subscribe, "");
    expect(await stateOf(mail)).toEqual([true, { "product-news": true }]);
    expect((await topicEvents(mail.project)).length).toBe(2);
    expect((await get(mail.subscribe)).body).toContain("You are subscribed");
    await post(mail.unsubscribe, oneClick);
    expect((await get(mail.subscribe)).body).toContain("Subscribe?");
  });
});

describe("the page with all choices", () => {
  it("lists the topics with their state, and joins and leaves each", async () => {
    const mail = await mailed();
    await newTopic(mail.project, { name: "Offers", defaultSubscribed: false, description: "Now & then" });
    const gone = await newTopic(mail.project, { name: "Gone" });
    await mail.project.api.delete(`/topics/${gone.id}`);
    const { body } = await get(mail.manage);
    expect(body).toContain("Unsubscribe from Product news");
    expect(body).toContain("Subscribe to Offers");
    expect(body).toContain("Now &amp; then");
    expect(body).not.toContain("Gone");
    const left = await post(mail.manage, "action=leave&topic=product-news");
    expect([left.status, left.body]).toEqual([200, expect.stringContaining("Your choice is saved.")]);
    expect(left.body).toContain("Subscribe to Product news");
    await post(mail.manage, "action=leave&topic=product-news");
    await post(mail.manage, "action=join&topic=offers");
    expect(await stateOf(mail)).toEqual([true, { "product-news": false, offers: true }]);
    expect(await topicEvents(mail.project)).toEqual([
      ["left", { topic: "product-news" }],
      ["joined", { topic: "offers" }],
    ]);
  });

  it("still unsubscribes from everything, which overrules all topics, and says so", async () => {
    const mail = await mailed();
    expect((await get(mail.manage)).body).not.toContain("none of these");
    const { body } = await post(mail.manage, "action=unsubscribe");
    expect(body).toContain("While you are unsubscribed or have paused, you get none of these.");
    await post(mail.manage, "action=join&topic=product-news");
    expect(await stateOf(mail)).toEqual([false, { "product-news": true }]);
    expect(await sendStatus(mail)).toBe("SUPPRESSED");
  });

  it.each(["action=leave", "action=leave&topic=nope", "action=join&topic=theirs", "action=join&topic=constructor"])(
    "changes nothing by %s, and says so",
    async (choice) => {
      const mail = await mailed();
      await newTopic(await newProject(), { name: "Theirs" });
      const { status, body } = await post(mail.manage, choice);
      expect([status, body]).toEqual([422, expect.stringContaining("Nothing was changed")]);
      expect(await topicEvents(mail.project)).toEqual([]);
    },
  );

  it("has no topics where the project has none", async () => {
    const mail = await mailed();
    await mail.project.api.delete(`/templates/${mail.template}`);
    await mail.project.api.delete(`/topics/${mail.topic.id}`);
    expect((await get(mail.manage)).body).not.toContain("Topics");
    await chooseTopics(mail.project, mail.contact, {});
  });
});
