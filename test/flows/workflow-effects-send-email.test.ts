import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { asId, publicId } from "../../src/core/ids";
import type { SendEmailConfig } from "../../src/core/workflows/steps/send-email";
import { forgetContents } from "../../src/engine/mail/forget/contents";
import { forgetProjects } from "../../src/engine/projects/cache";
import type { Arrival, Scope } from "../../src/engine/workflows/steps/arrival";
import { sendEmail } from "../../src/engine/workflows/steps/send-email";
import { arrivalAt, eventOf, newStep } from "../support/arrivals";
import { type Death, wasKilled } from "../support/killable";
import { admin, newProject, type TestProject } from "../support/project";
import { emailRows, eventCounts } from "../support/rows";
import { newContact } from "../support/segment";
import { newTemplate } from "../support/template";
import { chooseTopics, newTopic } from "../support/topic";
import { World } from "../support/world";

const origin = "https://petrel.example";

async function send(world: World, project: TestProject, arrivals: Arrival<"SEND_EMAIL">[], death?: Death) {
  const { ctx, process } = await world.context(project, death);
  return { outcomes: await sendEmail.run({ ...ctx, origin }, arrivals), process };
}

async function stepOf(project: TestProject, template: Record<string, unknown> = {}, config: SendEmailConfig = {}) {
  const { id } = await newTemplate(project, template);
  return newStep("SEND_EMAIL", config, id);
}

async function setUp(template: Record<string, unknown> = {}, contact: Record<string, unknown> = {}) {
  const [project, world] = [await newProject(), new World()];
  const { id } = await newContact(project, "ada@example.com", { data: { firstName: "Ada", plan: "pro" }, ...contact });
  const step = await stepOf(project, template);
  return { project, world, contactId: id, step, arrive: (scope: Partial<Scope> = {}) => arrivalAt(step, id, scope) };
}

describe("a SEND_EMAIL step", () => {
  it("mails the contact once, with the values of its run, and tells which email that is", async () => {
    const { project, world, contactId, arrive } = await setUp({
      subject: "{{ firstName }}, {{ event.item }} of {{ event.name }}",
      body: "<p>{{ plan }} {{ event.data.name }} {{ event.source }} {{ steps.Check.statusCode }} {{ coupon }} {{ data.plan }}</p>",
    });
    const scope = {
      event: eventOf({ item: "a book", name: "its own" }, { name: "purchase" }),
      steps: { Check: { statusCode: 200 } },
      context: { coupon: "SPRING", plan: "of the run" },
    };
    const arrival = arrive(scope);
    const { outcomes, process } = await send(world, project, [arrival]);
    const [row] = await emailRows(project);
    expect(outcomes).toEqual([{ kind: "done", output: { emailId: row?.id } }]);
    // The first one looks up whether the project may send.
    expect(process.steps).toEqual(["query", "batch", "enqueue"]);
    await world.drain();
    expect(world.taken).toHaveLength(1);
    expect(world.taken[0]).toMatchObject({ subject: "Ada, a book of its own", to: { email: "ada@example.com" } });
    expect(world.taken[0]?.html).toContain("of the run its own API 200 SPRING pro");
    const { body } = await project.api.get(`/emails/${row?.id}`);
    const email = body.data ?? body;
    expect(email).toMatchObject({
      source: "WORKFLOW",
      contactId,
      workflowExecutionId: publicId(arrival.executionId),
      status: "SENT",
    });
    const content = (await project.api.get(`/emails/${row?.id}/content`)).body;
    expect(JSON.stringify(content)).toContain("of the run its own API 200 SPRING pro");
    expect(await causesOf(project)).toEqual([["workflow-1"]]);
    // A repeat long after.
    expect((await send(world, project, [arrival])).outcomes).toEqual(outcomes);
    await world.drain();
    expect([world.taken.length, await contents(project)]).toEqual([1, [{ recipients: 1 }]]);
  });

  it("mails each of a hundred runs once, in one batch and with one content, wherever it dies and whoever does it too", async () => {
    const { project, world, step, contactId } = await setUp();
    const arrivals = Array.from({ length: 100 }, (_, n) => arrivalAt(step, contactId, { event: eventOf({ n }) }));
    const deaths = [1, 2, 3].flatMap((atStep): Death[] => [
      { atStep, when: "before" },
      { atStep, when: "after" },
    ]);
    for (const [index, death] of deaths.entries()) {
      const some = arrivals.slice(index * 15, index * 15 + 25);
      await send(world, project, some, death).catch((error) => expect(wasKilled(error)).toBe(true));
    }
    const [one, other] = await Promise.all([send(world, project, arrivals), send(world, project, arrivals)]);
    expect(one.outcomes).toEqual(other.outcomes);
    expect(new Set(one.outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(100);
    world.now += 5 * 60_000;
    await world.sweep();
    await world.drain();
    expect(world.taken).toHaveLength(100);
    expect((await emailRows(project)).every(({ status }) => status === "SENT")).toBe(true);
    const left = await contents(project);
    expect(left.reduce((sum, { recipients }) => sum + recipients, 0)).toBe(100);
    expect(left.every(({ recipients }) => recipients > 0)).toBe(true);
    expect(await usage(project)).toBe(100);
  });

  it.each(["MARKETING", "HEADLESS"])("passes over those who do not get %s mail, and mails the others", async (type) => {
    const [project, world] = [await newProject(), new World()];
    const topic = await newTopic(project, { defaultSubscribed: true });
    const hasTopics = type === "MARKETING";
    const step = await stepOf(project, { type, ...(hasTopics && { topicId: topic.id }) });
    const people = [];
    for (const name of ["in", "left", "out"]) {
      people.push(await newContact(project, `${name}@example.com`, { subscribed: name !== "out" }));
    }
    await chooseTopics(project, people[1].id, { [topic.slug]: false });
    const { outcomes } = await send(
      world,
      project,
      people.map(({ id }) => arrivalAt(step, id)),
    );
    const mailed = { kind: "done", output: { emailId: expect.any(String) } };
    expect(outcomes).toEqual([
      mailed,
      hasTopics ? { kind: "done", skipped: "The contact does not get mail of this topic" } : mailed,
      { kind: "done", skipped: "The contact is not subscribed" },
    ]);
    const reached = hasTopics ? ["in@example.com"] : ["in@example.com", "left@example.com"];
    expect((await emailRows(project)).map(({ to_email }) => to_email)).toEqual(reached);
    await world.drain();
    expect(world.taken).toHaveLength(reached.length);
  });

  it("mails the unsubscribed what is TRANSACTIONAL, and nobody who is suppressed", async () => {
    const { project, world, step, arrive } = await setUp({ type: "TRANSACTIONAL" }, { subscribed: false });
    const bob = await newContact(project, "bob@example.com");
    await project.api.post("/suppressions", { email: "bob@example.com" });
    const { outcomes } = await send(world, project, [arrive(), arrivalAt(step, bob.id)]);
    const emailId = expect.any(String);
    expect(outcomes).toEqual([
      { kind: "done", output: { emailId } },
      { kind: "done", output: { emailId }, skipped: "The address is on the suppression list" },
    ]);
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(["QUEUED", "SUPPRESSED"]);
    expect(await usage(project)).toBe(1);
  });

  it("writes down which mails the month had no room for, and counts none of them", async () => {
    const { project, world, arrive } = await setUp();
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: 2 });
    const arrivals = [arrive(), arrive(), arrive()];
    const { outcomes } = await send(world, project, arrivals);
    expect(outcomes.map((one) => one.kind === "done" && one.skipped)).toEqual([
      undefined,
      undefined,
      "Monthly limit reached",
    ]);
    expect((await emailRows(project)).map(({ status }) => status).toSorted()).toEqual(["FAILED", "QUEUED", "QUEUED"]);
    expect(await usage(project)).toBe(2);
    expect((await send(world, project, arrivals)).outcomes).toEqual(outcomes);
  });

  it("fails without template or verified domain, and skips a contact that is gone", async () => {
    const { project, world, step, contactId } = await setUp();
    const reasonsOf = async (steps: (typeof step)[], contact = contactId) =>
      (
        await send(
          world,
          project,
          steps.map((one) => arrivalAt(one, contact)),
        )
      ).outcomes;
    const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";
    expect(await reasonsOf([newStep("SEND_EMAIL", {})])).toEqual([
      { kind: "failed", reason: "The step has no template" },
    ]);
    expect(await reasonsOf([newStep("SEND_EMAIL", { templateId: nowhere })])).toEqual([
      { kind: "failed", reason: "The template no longer exists" },
    ]);
    const other = await newProject();
    const theirs = await stepOf(other);
    expect(await reasonsOf([theirs])).toEqual([{ kind: "failed", reason: "The template no longer exists" }]);
    expect(await reasonsOf([step], nowhere)).toEqual([{ kind: "done", skipped: "The contact was deleted" }]);
    await project.db.prepare("UPDATE domains SET status = 'PENDING' WHERE project_id = ?").bind(project.id).run();
    expect(await reasonsOf([step])).toEqual([
      { kind: "failed", reason: expect.stringContaining(`${project.domain} is not verified`) },
    ]);
    expect([await emailRows(project), await contents(project)]).toEqual([[], []]);
  });

  it("waits while the project's marketing email is paused, and sends what is transactional", async () => {
    const { project, world, step, contactId } = await setUp({ type: "TRANSACTIONAL" });
    const news = await stepOf(project, { type: "MARKETING" });
    await pauseSending(project);
    const { outcomes } = await send(world, project, [arrivalAt(news, contactId)]);
    expect(outcomes).toEqual([
      { kind: "later", at: world.now + 30 * 60_000, reason: expect.stringContaining("paused") },
    ]);
    expect((await send(world, project, [arrivalAt(step, contactId)])).outcomes).toMatchObject([{ kind: "done" }]);
    expect(await emailRows(project)).toHaveLength(1);
  });

  it("sends the version of the template that there was", async () => {
    const { project, world, step, arrive } = await setUp({ subject: "Old {{ event.n }}" });
    await send(world, project, [arrive({ event: eventOf({ n: 1 }) })]);
    await project.api.patch(`/templates/${publicId(asId(String(step.templateId)))}`, { subject: "New {{ event.n }}" });
    await send(world, project, [arrive({ event: eventOf({ n: 2 }) })]);
    await world.drain();
    expect(world.taken.map(({ subject }) => subject).toSorted()).toEqual(["New 2", "Old 1"]);
  });

  it("holds as much as events may have", async () => {
    const { project, world, arrive } = await setUp({ subject: "{{ event.text | size }}" });
    const text = "x".repeat(30_000);
    const arrivals = Array.from({ length: 60 }, () => arrive({ event: eventOf({ text }) }));
    const { outcomes, process } = await send(world, project, arrivals);
    expect(new Set(outcomes.map((one) => JSON.stringify(one))).size).toBe(60);
    expect(process.steps.filter((step) => step === "batch")).toHaveLength(2);
    await world.drain();
    expect(world.taken.map(({ subject }) => subject)).toEqual(Array(60).fill("30000"));
  });

  it("forgets the run's values with the content, and with the person", async () => {
    const { project, world, contactId, arrive } = await setUp({ subject: "{{ event.secret }}" });
    const own = async () =>
      (await project.db.prepare("SELECT own_data FROM emails WHERE project_id = ?").bind(project.id).all()).results;
    const stored = { own_data: '{"event":{"name":"signup","source":"API","data":{"secret":1}}}' };
    await send(world, project, [arrive({ event: eventOf({ secret: 1 }) })]);
    expect(await own()).toEqual([stored]);
    const exported = await project.api.get(`/contacts/${contactId}/export`);
    expect(JSON.stringify(exported.body)).toContain('"subject":"1"');
    await project.api.delete(`/contacts/${contactId}`);
    await world.drain();
    expect(await own()).toEqual([{ own_data: null }]);
  });

  it("forgets the run's values with the content when that is old", async () => {
    const { project, world, arrive } = await setUp({ subject: "{{ event.secret }}" });
    await send(world, project, [arrive({ event: eventOf({ secret: 1 }) })]);
    await world.drain();
    world.now += 400 * 86_400_000;
    await forgetContents(world.process().platform);
    const { results } = await project.db
      .prepare("SELECT own_data, is_forgotten FROM emails WHERE project_id = ?")
      .bind(project.id)
      .all();
    expect(results).toEqual([{ own_data: null, is_forgotten: 1 }]);
  });
});

describe("a SEND_EMAIL step to a custom address", () => {
  const customEmail = "Sales@Example.org";
  const toSales = { recipient: { type: "CUSTOM" as const, customEmail } };

  it("mails that address what it knows of the contact, with the contact's own links", async () => {
    const [project, world] = [await newProject(), new World()];
    const ada = await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    const step = await stepOf(project, { type: "MARKETING", subject: "{{ email }} is {{ plan }}" }, toSales);
    const { outcomes } = await send(world, project, [arrivalAt(step, ada.id)]);
    expect(outcomes).toMatchObject([{ kind: "done" }]);
    await world.drain();
    expect(world.taken[0]).toMatchObject({
      subject: "ada@example.com is pro",
      to: { email: "sales@example.org", written: customEmail },
    });
    const [, url = ""] = /<(https:[^>]*)>/.exec(world.taken[0]?.headers["List-Unsubscribe"] ?? "") ?? [];
    expect(url).toMatch(/^https:\/\/petrel\.example\/unsubscribe\//);
  });

  it("asks whether that address is suppressed, and not the contact's", async () => {
    const [project, world] = [await newProject(), new World()];
    const ada = await newContact(project, "ada@example.com");
    const step = await stepOf(project, {}, toSales);
    await project.api.post("/suppressions", { email: "ada@example.com" });
    expect((await send(world, project, [arrivalAt(step, ada.id)])).outcomes).toEqual([
      { kind: "done", output: { emailId: expect.any(String) } },
    ]);
    await project.api.post("/suppressions", { email: "sales@example.org" });
    // The one that is not sent yet, too.
    await world.drain();
    expect(world.taken).toEqual([]);
    expect((await send(world, project, [arrivalAt(step, ada.id)])).outcomes).toMatchObject([
      { skipped: "The address is on the suppression list" },
    ]);
  });

  it("does not take the contact off for what happens at that address", async () => {
    const [project, world] = [await newProject(), new World()];
    const ada = await newContact(project, "ada@example.com");
    const step = await stepOf(project, {}, toSales);
    await send(world, project, [arrivalAt(step, ada.id)]);
    world.answer = () => ({ kind: "accepted", providerMessageId: "m-1", reports: [{ kind: "complained" }] });
    await world.drain();
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(["COMPLAINED"]);
    expect((await project.api.get(`/contacts/${ada.id}`)).body.subscribed).toBe(true);
    expect((await eventCounts(project))["contact.unsubscribed"]).toBeUndefined();
    const { body } = await project.api.get("/suppressions");
    expect(JSON.stringify(body)).toContain("sales@example.org");
  });
});

async function pauseSending({ number }: TestProject): Promise<void> {
  await env.DB.prepare("UPDATE projects SET sending_paused_reason = 'Too bad.', sending_paused_at = 1 WHERE number = ?")
    .bind(number)
    .run();
  forgetProjects();
}

async function contents(project: TestProject): Promise<{ recipients: number }[]> {
  const { results } = await project.db
    .prepare("SELECT recipients FROM email_contents WHERE project_id = ?")
    .bind(project.id)
    .all<{ recipients: number }>();
  return results;
}

async function causesOf(project: TestProject): Promise<unknown[]> {
  const { results } = await project.db
    .prepare("SELECT causes FROM emails WHERE project_id = ?")
    .bind(project.id)
    .all<{ causes: string }>();
  return results.map(({ causes }) => JSON.parse(causes));
}

async function usage(project: TestProject): Promise<number | null> {
  return project.db
    .prepare("SELECT sum(emails) AS n FROM monthly_usage WHERE project_id = ?")
    .bind(project.id)
    .first<number>("n");
}

it("writes no more rows than an email of a campaign, and one for its effect", async () => {
  const { project, world, step, contactId } = await setUp();
  const arrivals = Array.from({ length: 100 }, () => arrivalAt(step, contactId));
  const { process } = await send(world, project, arrivals);
  // The row, its key, and the indexes of its contact, of what is due and of effects; and the content and usage of all.
  expect(process.rowsWritten / 100).toBeLessThanOrEqual(5.1);
});
