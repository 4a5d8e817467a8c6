import { describe, expect, it } from "vitest";
import { idSql } from "../support/counts";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { newSegment } from "../support/segment";
import { newTemplate, soundTemplate } from "../support/template";
import { chooseTopics, newTopic, topicEvents } from "../support/topic";

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";
const long = (length: number) => "x".repeat(length);

async function newContact(project: TestProject, email = "ada@example.com"): Promise<string> {
  return (await project.api.post("/contacts", { email })).body.id;
}

/** Topics number 1..count, straight into the table, the first `deleted` of them deleted. */
async function addTopics(project: TestProject, count: number, deleted: number): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO topics (project_id, id, name, slug, default_subscribed, deleted_at, created_at, updated_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      SELECT ?1, ${idSql("i")}, 'News', iif(i = 1, 'news', 'news-' || i), true, iif(i <= ?3, 1, NULL), i, i FROM n`,
    )
    .bind(project.id, count, deleted)
    .run();
}

describe("POST /topics", () => {
  it("makes a topic, whose slug is made of its name", async () => {
    const project = await newProject();
    const { status, body } = await project.api.post("/topics", { name: "Product News!", description: "Monthly" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(uuid),
      name: "Product News!",
      slug: "product-news",
      description: "Monthly",
      defaultSubscribed: true,
      createdAt: expect.stringMatching(isoTime),
      updatedAt: body.createdAt,
    });
    expect((await project.api.get(`/topics/${body.id}`)).body).toEqual(body);
    expect((await newTopic(project, { name: "Offers", defaultSubscribed: false })) as unknown).toMatchObject({
      defaultSubscribed: false,
      description: null,
    });
  });

  it("gives every topic a slug of its own, also when they are made at once, and after a deletion", async () => {
    const project = await newProject();
    const made = await Promise.all(Array.from({ length: 8 }, () => newTopic(project, { name: "News" })));
    const numbers = ["news", ...Array.from({ length: 7 }, (_, i) => `news-${i + 2}`)];
    expect(made.map(({ slug }) => slug).toSorted()).toEqual(numbers.toSorted());
    for (const { id } of made) expect((await project.api.delete(`/topics/${id}`)).status).toBe(204);
    expect((await newTopic(project, { name: "News" })).slug).toBe("news-9");
    expect((await newTopic(project, { name: "!!!" })).slug).toBe("topic");
    expect((await newTopic(await newProject(), { name: "News" })).slug).toBe("news");
  });

  it("takes no slug, and says so", async () => {
    const project = await newProject();
    const answer = await project.api.post("/topics", { name: "News", slug: "mine" });
    expectInvalid(answer, "slug", "custom");
    expect(answer.body.error.message).toContain("the slug is made from the name");
    expect((await project.api.get("/topics")).body.data).toEqual([]);
  });

  it.each<[fields: Record<string, unknown>, field: string, code: string]>([
    [{}, "name", "required"],
    [{ name: "" }, "name", "too_small"],
    [{ name: " \n" }, "name", "too_small"],
    [{ name: long(101) }, "name", "too_big"],
    [{ name: 42 }, "name", "invalid_type"],
    [{ name: "News", description: long(501) }, "description", "too_big"],
    [{ name: "News", defaultSubscribed: "no" }, "defaultSubscribed", "invalid_type"],
  ])("refuses %j", async (fields, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.post("/topics", fields), field, code);
    expect((await project.api.get("/topics")).body.total).toBe(0);
  });

  it("makes 50 topics and no more, also when calls come at once; a deleted one makes room", async () => {
    const project = await newProject();
    await addTopics(project, 45, 0);
    const answers = await Promise.all(Array.from({ length: 10 }, () => project.api.post("/topics", { name: "News" })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(201), ...Array(5).fill(409)]);
    const refused = answers.find(({ status }) => status === 409);
    expectRefusal(refused ?? { status: 0, headers: new Headers(), body: {} }, 409, "CONFLICT", {
      details: { limit: 50 },
    });
    const { body: list } = await project.api.get("/topics?limit=100");
    expect([list.total, list.data.length]).toEqual([50, 50]);
    await project.api.delete(`/topics/${list.data[0].id}`);
    expect((await project.api.post("/topics", { name: "News" })).status).toBe(201);
  });

  it("makes 1,000 topics in all, deleted ones included, so that nobody's rows grow without end", async () => {
    const project = await newProject();
    await addTopics(project, 999, 999);
    expect((await newTopic(project)).slug).toBe("news-1000");
    const answer = await project.api.post("/topics", { name: "Other" });
    expectRefusal(answer, 409, "CONFLICT", { details: { limit: 1_000 } });
  });
});

describe("GET /topics", () => {
  it("lists them by cursor, newest first, without deleted ones and those of others", async () => {
    const [project, other] = [await newProject(), await newProject()];
    await newTopic(other);
    const made = [];
    for (const name of ["One", "Two", "Three", "Four"]) made.push(await newTopic(project, { name }));
    await project.api.delete(`/topics/${made[3]?.id}`);
    const { body: first } = await project.api.get("/topics?limit=2");
    expect(first).toEqual({ data: [made[2], made[1]], cursor: expect.stringMatching(/./), hasMore: true, total: 3 });
    const { body: second } = await project.api.get(`/topics?limit=2&cursor=${first.cursor}`);
    expect(second).toEqual({ data: [made[0]], cursor: "", hasMore: false, total: 0 });
    expectRefusal(await project.api.get("/topics?cursor=nope"), 400, "BAD_REQUEST");
    expectInvalid(await project.api.get("/topics?limit=0"), "limit", "too_small");
  });
});

describe("PATCH /topics/{id}", () => {
  it("changes only what is sent, and never the slug", async () => {
    const project = await newProject();
    const before = await newTopic(project, { name: "News", description: "Monthly" });
    const { status, body } = await project.api.patch(`/topics/${before.id}`, { name: "Offers" });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, name: "Offers", updatedAt: expect.stringMatching(isoTime) });
    const { body: cleared } = await project.api.patch(`/topics/${before.id}`, { description: null });
    expect(cleared).toMatchObject({ name: "Offers", description: null, slug: "news" });
    expect((await project.api.patch(`/topics/${before.id}`, {})).body).toEqual(cleared);
  });

  it("loses nothing when calls come at once", async () => {
    const project = await newProject();
    const { id } = await newTopic(project);
    const changes = [{ name: "Offers" }, { description: "Weekly" }, { defaultSubscribed: false }];
    const answers = await Promise.all(changes.map((change) => project.api.patch(`/topics/${id}`, change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await project.api.get(`/topics/${id}`)).body).toMatchObject(Object.assign({}, ...changes));
  });

  it.each<[fields: Record<string, unknown>, field: string, code: string]>([
    [{ name: "" }, "name", "too_small"],
    [{ name: null }, "name", "invalid_type"],
    [{ defaultSubscribed: null }, "defaultSubscribed", "invalid_type"],
    [{ description: long(501) }, "description", "too_big"],
  ])("refuses %j", async (fields, field, code) => {
    const project = await newProject();
    const before = await newTopic(project);
    expectInvalid(await project.api.patch(`/topics/${before.id}`, fields), field, code);
    expect((await project.api.get(`/topics/${before.id}`)).body).toEqual(before);
  });
});

describe("DELETE /topics/{id}", () => {
  it("deletes what nothing uses: then it is nowhere", async () => {
    const project = await newProject();
    const { id, slug } = await newTopic(project);
    const contact = await newContact(project);
    expect((await project.api.delete(`/topics/${id}`)).status).toBe(204);
    for (const answer of [
      await project.api.get(`/topics/${id}`),
      await project.api.patch(`/topics/${id}`, { name: "Offers" }),
      await project.api.patch(`/topics/${id}`, {}),
      await project.api.delete(`/topics/${id}`),
      await project.api.post("/templates", { ...soundTemplate(project), topicId: id }),
    ]) {
      expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", { details: { resource: "topic", id } });
    }
    expect((await project.api.get(`/contacts/${contact}/topics`)).body).toEqual({ topics: {} });
    expectInvalid(await chooseTopics(project, contact, { [slug]: false }), `topics.${slug}`, "custom");
  });

  it("is a 409 while a template, an open campaign or a segment uses it, and names them", async () => {
    const project = await newProject();
    const { id, slug } = await newTopic(project);
    const template = await newTemplate(project, { name: "Letter", topicId: id });
    const filters = [{ field: `topic.${slug}`, operator: "equals", value: true }];
    const segment = await newSegment(project, { name: "Readers", condition: { logic: "AND", groups: [{ filters }] } });
    const addCampaign = (name: string, status: string) =>
      project.db
        .prepare(
          `INSERT INTO campaigns (project_id, id, name, status, audience_type, topic_id, type, subject, from_email, search_text,
            created_at, updated_at) SELECT ?1, ?2, ?2, ?3, 'ALL', topic_id, 'MARKETING', '', '', '', 0, 0 FROM templates
          WHERE project_id = ?1`,
        )
        .bind(project.id, name, status)
        .run();
    const open = ["DRAFT", "SCHEDULED", "SENDING"].map((status) => `${status.padEnd(22, "0").slice(0, 21)}0`);
    for (const [index, status] of ["DRAFT", "SCHEDULED", "SENDING"].entries())
      await addCampaign(open[index] ?? "", status);
    await addCampaign("0SENT00000000000000000", "SENT");
    const answer = await project.api.delete(`/topics/${id}`);
    expectRefusal(answer, 409, "CONFLICT", {
      details: {
        templates: [{ id: template.id, name: "Letter" }],
        campaigns: [...open].toSorted().map((name) => ({ id: expect.any(String), name })),
        segments: [{ id: segment.id, name: "Readers" }],
        workflows: [],
      },
    });
    await project.api.patch(`/templates/${template.id}`, { topicId: null });
    expect((await project.api.delete(`/topics/${id}`)).status).toBe(409);
    await project.api.delete(`/segments/${segment.id}`);
    expect((await project.api.delete(`/topics/${id}`)).status).toBe(409);
    await project.db
      .prepare("UPDATE campaigns SET status = 'CANCELLED' WHERE project_id = ? AND status <> 'SENT'")
      .bind(project.id)
      .run();
    expect((await project.api.delete(`/topics/${id}`)).status).toBe(204);
  });

  it("and its first use at once: one of the two wins, and no template is of a topic that is gone", async () => {
    const project = await newProject();
    for (let round = 0; round < 5; round++) {
      const { id } = await newTopic(project);
      const [gone, made] = await Promise.all([
        project.api.delete(`/topics/${id}`),
        project.api.post("/templates", { ...soundTemplate(project), topicId: id }),
      ]);
      expect([`${gone.status} ${made.status}`]).toEqual([expect.stringMatching(/^(204 404|409 201)$/)]);
    }
  });
});

describe("a topic of another project", () => {
  it("is a 404 wherever it is named, and stays as it is", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const theirs = await newTopic(other, { name: "Theirs" });
    const template = await newTemplate(project);
    for (const answer of [
      await project.api.get(`/topics/${theirs.id}`),
      await project.api.patch(`/topics/${theirs.id}`, { name: "Ours" }),
      await project.api.delete(`/topics/${theirs.id}`),
      await project.api.post("/templates", { ...soundTemplate(project), topicId: theirs.id }),
      await project.api.patch(`/templates/${template.id}`, { topicId: theirs.id, subject: "Other" }),
    ]) {
      expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", { details: { resource: "topic", id: theirs.id } });
    }
    expect((await other.api.get(`/topics/${theirs.id}`)).body).toEqual(theirs);
    expect((await project.api.get(`/templates/${template.id}`)).body).toEqual(template);
  });

  it("is unknown to our contacts, as ours are to theirs", async () => {
    const [project, other] = [await newProject(), await newProject()];
    await newTopic(other, { name: "Theirs" });
    const [ours, theirs] = [await newContact(project), await newContact(other)];
    expectInvalid(await chooseTopics(project, ours, { theirs: false }), "topics.theirs", "custom");
    for (const answer of [
      await project.api.get(`/contacts/${theirs}/topics`),
      await chooseTopics(project, theirs, {}),
      await chooseTopics(project, nowhere, {}),
    ]) {
      expectRefusal(answer, 404, "CONTACT_NOT_FOUND", { details: { resource: "contact", id: expect.any(String) } });
    }
    expect((await other.api.get(`/contacts/${theirs}/topics`)).body).toEqual({ topics: { theirs: true } });
  });
});

describe("a template's topicId", () => {
  it("is null, or the topic it was given on creation or later; a copy has it too", async () => {
    const project = await newProject();
    const { id } = await newTopic(project);
    const template = await newTemplate(project);
    expect(template.topicId).toBeNull();
    const { body: changed } = await project.api.patch(`/templates/${template.id}`, { topicId: id });
    expect(changed).toEqual({ ...template, topicId: id, version: 2, updatedAt: expect.any(String) });
    expect((await project.api.post(`/templates/${template.id}/duplicate`)).body.topicId).toBe(id);
    expect((await project.api.get("/templates")).body.data.map((one: { topicId: string }) => one.topicId)).toEqual([
      id,
      id,
    ]);
    const { body: again } = await project.api.patch(`/templates/${template.id}`, { subject: "Other" });
    expect(again).toMatchObject({ subject: "Other", topicId: id });
    expect((await project.api.patch(`/templates/${template.id}`, { topicId: null })).body.topicId).toBeNull();
    expect(await newTemplate(project, { topicId: id, type: null })).toMatchObject({ topicId: id, type: "MARKETING" });
  });

  it.each(["TRANSACTIONAL", "HEADLESS"])("is refused on a %s one, whichever came first", async (type) => {
    const project = await newProject();
    const { id: topicId } = await newTopic(project);
    expectInvalid(
      await project.api.post("/templates", { ...soundTemplate(project), type, topicId }),
      "topicId",
      "custom",
    );
    const plain = await newTemplate(project, { type });
    expectInvalid(await project.api.patch(`/templates/${plain.id}`, { topicId }), "topicId", "custom");
    expect((await project.api.patch(`/templates/${plain.id}`, { topicId, type: "MARKETING" })).status).toBe(200);
    expectInvalid(await project.api.patch(`/templates/${plain.id}`, { type }), "type", "custom");
    expect((await project.api.get(`/templates/${plain.id}`)).body).toMatchObject({ type: "MARKETING", topicId });
    const { body } = await project.api.patch(`/templates/${plain.id}`, { type, topicId: null });
    expect(body).toMatchObject({ type, topicId: null });
  });

  it.each([[42], [""], [{}]])("is refused as %j", async (topicId) => {
    const project = await newProject();
    const answer = await project.api.post("/templates", { ...soundTemplate(project), topicId });
    expectInvalid(answer, "topicId", topicId === "" ? "too_small" : "invalid_type");
    expect((await project.api.get("/templates")).body.total).toBe(0);
  });

  it("that no project has is a 404, whatever it looks like, with no effect", async () => {
    const project = await newProject();
    for (const topicId of [nowhere, "nope"]) {
      const answer = await project.api.post("/templates", { ...soundTemplate(project), topicId });
      expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", {
        details: { resource: "topic", id: expect.any(String) },
      });
    }
    expect((await project.api.get("/templates")).body.total).toBe(0);
  });
});

describe("/contacts/{id}/topics", () => {
  it("shows the choices, and the defaults where there is none", async () => {
    const project = await newProject();
    const id = await newContact(project);
    expect((await project.api.get(`/contacts/${id}/topics`)).body).toEqual({ topics: {} });
    await newTopic(project, { name: "News" });
    const offers = await newTopic(project, { name: "Offers", defaultSubscribed: false });
    expect((await project.api.get(`/contacts/${id}/topics`)).body).toEqual({ topics: { news: true, offers: false } });
    await project.api.patch(`/topics/${offers.id}`, { defaultSubscribed: true });
    expect((await project.api.get(`/contacts/${id}/topics`)).body).toEqual({ topics: { news: true, offers: true } });
    expect(await topicEvents(project)).toEqual([]);
  });

  it("changes those that are named, with one event for each that really changes", async () => {
    const project = await newProject();
    await newTopic(project, { name: "News" });
    await newTopic(project, { name: "Offers", defaultSubscribed: false });
    await newTopic(project, { name: "constructor" });
    const id = await newContact(project);
    const answer = await chooseTopics(project, id, { news: false, offers: true });
    expect([answer.status, answer.body]).toEqual([200, { topics: { news: false, offers: true, constructor: true } }]);
    const both = [
      ["left", { topic: "news" }],
      ["joined", { topic: "offers" }],
    ];
    expect(await topicEvents(project)).toEqual(both);
    await chooseTopics(project, id, { news: false, offers: true, constructor: true });
    await chooseTopics(project, id, {});
    expect(await topicEvents(project)).toEqual(both);
    await chooseTopics(project, id, { news: true, constructor: false });
    expect(await topicEvents(project)).toEqual([
      ...both,
      ["joined", { topic: "news" }],
      ["left", { topic: "constructor" }],
    ]);
    const { body: events } = await project.api.get(`/events/contact/${id}?limit=1`);
    expect(events.data).toMatchObject([
      {
        name: "contact.topic_left",
        contactId: id,
        contactEmail: "ada@example.com",
        source: "SYSTEM",
        data: { topic: "constructor" },
      },
    ]);
  });

  it("keeps a choice that was the default when the default changes", async () => {
    const project = await newProject();
    const { id: topicId } = await newTopic(project);
    const [ada, bob] = [await newContact(project), await newContact(project, "bob@example.com")];
    await chooseTopics(project, ada, { news: true });
    await project.api.patch(`/topics/${topicId}`, { defaultSubscribed: false });
    expect((await project.api.get(`/contacts/${ada}/topics`)).body).toEqual({ topics: { news: true } });
    expect((await project.api.get(`/contacts/${bob}/topics`)).body).toEqual({ topics: { news: false } });
    await chooseTopics(project, ada, { news: false });
    await chooseTopics(project, bob, { news: false });
    expect(await topicEvents(project)).toEqual([["left", { topic: "news" }]]);
  });

  it("records one event of each flip when the same comes 16 times at once", async () => {
    const project = await newProject();
    await newTopic(project);
    const id = await newContact(project);
    for (const isIn of [false, true, false]) {
      const answers = await Promise.all(Array.from({ length: 16 }, () => chooseTopics(project, id, { news: isIn })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    expect((await topicEvents(project)).map((event) => (event as string[])[0])).toEqual(["left", "joined", "left"]);
  });

  it("alternates when both come at once: joining and leaving never come twice in a row", async () => {
    const project = await newProject();
    await newTopic(project);
    const id = await newContact(project);
    await Promise.all(Array.from({ length: 24 }, (_, i) => chooseTopics(project, id, { news: i % 2 === 0 })));
    const names = (await topicEvents(project)).map((event) => (event as string[])[0]);
    expect(names).toEqual(names.map((_, i) => (i % 2 === 0 ? "left" : "joined")));
    const { body } = await project.api.get(`/contacts/${id}/topics`);
    expect(body.topics.news).toBe(names.length % 2 === 0);
  });

  it.each<[body: unknown, field: string, code: string]>([
    [{}, "topics", "required"],
    [{ topics: null }, "topics", "invalid_type"],
    [{ topics: ["news"] }, "topics", "invalid_type"],
    [{ topics: { news: "no" } }, "topics.news", "invalid_type"],
    [{ topics: { news: false, nope: false } }, "topics.nope", "custom"],
    [{ topics: { News: false } }, "topics.News", "custom"],
    [{ topics: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`t${i}`, true])) }, "topics", "too_big"],
  ])("refuses %j, without an effect", async (body, field, code) => {
    const project = await newProject();
    await newTopic(project);
    const id = await newContact(project);
    expectInvalid(await call("PUT", `/contacts/${id}/topics`, body, bearer(project.keys.secret)), field, code);
    expect((await project.api.get(`/contacts/${id}/topics`)).body).toEqual({ topics: { news: true } });
    expect(await topicEvents(project)).toEqual([]);
  });

  it("leaves the contact's own subscription as it is", async () => {
    const project = await newProject();
    await newTopic(project);
    const id = await newContact(project);
    const { body: before } = await project.api.get(`/contacts/${id}`);
    await chooseTopics(project, id, { news: false });
    expect((await project.api.get(`/contacts/${id}`)).body).toEqual(before);
  });

  it("is refused in a disabled project, and read there", async () => {
    const project = await newProject();
    await newTopic(project);
    const id = await newContact(project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expectRefusal(await chooseTopics(project, id, { news: false }), 403, "PROJECT_DISABLED");
    expect((await project.api.get(`/contacts/${id}/topics`)).body).toEqual({ topics: { news: true } });
  });
});

describe("what is kept of a person", () => {
  it("is in the export, also about a topic that is gone, and goes with the person and with the project", async () => {
    const project = await newProject();
    const [news, offers] = [await newTopic(project), await newTopic(project, { name: "Offers" })];
    await newTopic(project, { name: "Never chosen", defaultSubscribed: false });
    const gone = await newTopic(project, { name: "Gone" });
    const id = await newContact(project);
    await chooseTopics(project, id, { news: false, offers: true, gone: false });
    await project.api.delete(`/topics/${gone.id}`);
    const chosenAt = expect.stringMatching(isoTime);
    expect((await project.api.get(`/contacts/${id}/export`)).body.topics).toEqual([
      { id: news.id, name: "News", slug: "news", subscribed: false, chosenAt },
      { id: offers.id, name: "Offers", slug: "offers", subscribed: true, chosenAt },
      { id: expect.any(String), name: "Never chosen", slug: "never-chosen", subscribed: false, chosenAt: null },
      { id: gone.id, name: "Gone", slug: "gone", subscribed: false, chosenAt },
    ]);
    const rows = () =>
      project.db.prepare("SELECT count(*) AS n FROM contact_topics WHERE project_id = ?").bind(project.id).first("n");
    expect(await rows()).toBe(3);
    expect((await project.api.delete(`/contacts/${id}`)).status).toBe(204);
    expect(await rows()).toBe(0);
  });
});

describe("names of topic events", () => {
  it.each(["contact.topic_joined", "contact.topic_left", "contact.confirmed", "email.received", "webhook.disabled"])(
    "%s is the service's own",
    async (event) => {
      const project = await newProject();
      const answer = await project.api.post("/events/track", { email: "ada@example.com", event });
      expectInvalid(answer, "event", "reserved_event");
      expectInvalid(await project.api.delete(`/events/${event}`), "eventName", "reserved_event");
      const events = [event];
      const hook = await project.api.post("/webhooks", { url: "https://example.com/hook", events });
      expect([hook.status, hook.body.events]).toEqual([201, events]);
    },
  );
});
