import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import type { Receipt } from "../../src/core/mail/receipt";
import { openBatch } from "../../src/db/batch";
import { Stale } from "../../src/db/fresh";
import { updateErasedEmails } from "../../src/engine/mail/forget/erased-mail";
import { deleteContact } from "../../src/features/contacts/delete";
import { addErasure, tablesOfPeople } from "../../src/features/contacts/erase";
import { takeReport } from "../../src/features/hooks/take-report";
import { blobKinds } from "../../src/platform/blobs";
import { storedId } from "../support/as-seen";
import { deliverEmails } from "../support/deliver-emails";
import { type Death, wasKilled } from "../support/killable";
import { addOlder, allFiles, allTables, personWithEverything, sendAs, sharedFile, tracesOf } from "../support/person";
import { newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { accepts, World, withMailer } from "../support/world";

/** A world in which each call of the file store is a step, at which a process may die. */
class FileWorld extends World {
  override process(death?: Death) {
    const { platform, process } = super.process(death);
    const { blobs } = platform;
    const step = (keys: string[]) => process.step("files", () => blobs.delete(keys));
    return { platform: { ...platform, blobs: { ...blobs, delete: step } }, process };
  }
}

async function rowsOf(project: TestProject, table: string): Promise<Record<string, unknown>[]> {
  return (await project.db.prepare(`SELECT * FROM ${table} WHERE project_id = ? ORDER BY 1`).bind(project.id).all())
    .results;
}

async function erase(world: World, project: TestProject, id: string): Promise<void> {
  await deleteContact((await world.context(project)).ctx, readId(id));
}

/** A contact with one email that is accepted and not yet sent. */
async function personWithMail(world: World, project: TestProject, mail: Record<string, unknown> = {}) {
  const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "For Ada", body: "<p>Ada</p>", ...mail };
  const [emailId = ""] = await sendAs(world, project, call);
  const [row] = (await rowsOf(project, "emails")).filter(({ id }) => id === emailId);
  return { emailId, contactId: String(row?.contact_id) };
}

describe("erasing a contact", () => {
  const elsewhere: Record<string, string> = {
    api_keys: "the project's own",
    trash: "templates, campaigns, segments and workflows, as they were before they were deleted",
    audit_entries: "what was done to settings, keys, people, campaigns and workflows",
    audience_references: "names of fields, events and segments",
    campaign_pages: "ids and numbers",
    campaign_counts: "ids and numbers",
    campaign_left_out: "ids and numbers",
    campaign_links: "the campaign's own content, and numbers",
    campaigns: "what a campaign says to everyone",
    contact_fields: "names of fields",
    d1_migrations: "the schema's own",
    dead_letters: "messages, which carry ids",
    domains: "the project's own",
    event_days: "numbers",
    event_listeners: "names of events",
    cron_runs: "times of the installation",
    database_sizes: "numbers of the installation",
    campaign_runs: "places in lists, and numbers",
    event_names: "numbers",
    execution_counts: "numbers",
    files: "images that mail shows to everyone",
    idempotency_effects: "an answer holds an address until its key expires, after 24 hours",
    jobs: "an import's errors are emptied by the erasure's own job: see erase-rest.ts",
    backups: "numbers and times; the files go after their time",
    captured_rows: "old images of rows while a backup is made, which go with its end",
    moved_keys: "keys of changed rows while a project moves, which go with its end",
    moves: "the stage of a move",
    health_states: "states of the installation",
    monitor_keys: "keys of the installation",
    memberships: "people who use the console, not contacts",
    monthly_usage: "numbers",
    outbox_messages: "go with the files of the emails: see erase-rest.ts",
    passkeys: "people who use the console, not contacts",
    people: "people who use the console, not contacts",
    project_counts: "numbers",
    projects: "the project's own",
    rounds: "ids of emails",
    sending_blocks: "numbers",
    sessions: "people who use the console, not contacts",
    sign_in_links: "people who use the console, not contacts",
    used_challenges: "people who use the console, not contacts",
    segments: "conditions, as somebody wrote them",
    template_versions: "what a template says to everyone",
    templates: "what a template says to everyone",
    topics: "the project's own",
    verified_domains: "the project's own",
    webhooks: "the project's own",
    workflow_effects: "ids and outcomes",
    workflow_hosts: "names of hosts, and numbers",
    workflow_steps: "as somebody wrote them",
    workflow_ticks: "times and a cursor",
    workflow_transitions: "as somebody wrote them",
    workflows: "as somebody wrote them",
  };

  it("knows every table, and what it does to it", async () => {
    expect([...Object.keys(tablesOfPeople), ...Object.keys(elsewhere)].sort()).toEqual(await allTables());
  });

  it("knows every kind of file, and what it does to it", () => {
    const kinds = {
      content: "goes with the last recipient",
      attachment: "goes with the last recipient",
      outbox: "goes with the email it is a copy of",
      template: "stays: it is what a template says to everyone",
      campaign: "stays: it is what a campaign says to everyone",
      file: "stays: it is an image that mail shows to everyone",
      import: "goes when the import is done: see contacts/import",
    };
    expect(Object.keys(kinds).sort()).toEqual([...blobKinds].sort());
  });

  it("leaves nothing of the person in any table or file, and all that counts", async () => {
    const project = await newProject();
    const world = new World();
    const person = await personWithEverything(world, project, "friend@example.com");
    const before = {
      traces: await tracesOf(person.marks),
      emails: await rowsOf(project, "emails"),
      contents: await rowsOf(project, "email_contents"),
      events: await rowsOf(project, "events"),
      names: await rowsOf(project, "event_names"),
      days: await rowsOf(project, "event_days"),
      usage: await rowsOf(project, "monthly_usage"),
      list: (await project.api.get("/emails?limit=100")).body,
    };
    const found = new Set(before.traces.map((trace) => trace.split("/")[0]));
    expect([...found].sort()).toEqual([
      ...["attachment", "contacts", "content", "email_contents", "emails", "events", "outbox", "outbox_messages"],
      "suppressions",
    ]);

    const { ctx, process } = await world.context(project);
    await deleteContact(ctx, readId(person.id));
    expect(process.steps).toEqual(["query", "batch", "enqueue"]);
    await world.drain();

    expect(await tracesOf(person.marks)).toEqual([]);
    const kinds = (await filesOf(project)).map((key) => key.split("/")[0]).sort();
    expect(kinds, "the terms, and a template").toEqual(["attachment", "template"]);
    const [contentOfBoth] = (await rowsOf(project, "email_contents")).filter(({ recipients }) => recipients !== 0);
    expect(contentOfBoth).toMatchObject({ recipients: 1, subject: "To both" });

    const kept = ({
      id,
      content_id,
      contact_id,
      status,
      campaign_id,
      created_at,
      sent_at,
      delivered_at,
      bounced_at,
    }: Record<string, unknown>) => ({
      ...{ id, content_id, contact_id, status, campaign_id, created_at, sent_at, delivered_at, bounced_at },
    });
    expect((await rowsOf(project, "emails")).map(kept)).toEqual(before.emails.map(kept));
    const keptOfContent = ({ id, type, template_id, campaign_id, created_at }: Record<string, unknown>) => ({
      ...{ id, type, template_id, campaign_id, created_at },
    });
    expect((await rowsOf(project, "email_contents")).map(keptOfContent)).toEqual(before.contents.map(keptOfContent));
    expect(await rowsOf(project, "events")).toEqual(
      before.events.map((event) => (event.contact_id === person.id ? { ...event, data: "{}" } : event)),
    );
    expect(await rowsOf(project, "event_names")).toEqual(before.names);
    expect(await rowsOf(project, "event_days")).toEqual(before.days);
    expect(await rowsOf(project, "monthly_usage")).toEqual(before.usage);
    expect(await rowsOf(project, "project_counts")).toMatchObject([{ contacts: 1, subscribed: 0 }]);
    const { body: list } = await project.api.get("/emails?limit=100");
    expect(list.data.map(({ id, from }: Record<string, unknown>) => [id, from])).toEqual(
      before.list.data.map(({ id, from }: Record<string, unknown>) => [id, from]),
    );
    const { email, ...hashed } = (await rowsOf(project, "erased_addresses"))[0] ?? {};
    expect(hashed).toMatchObject({ suppressed_reason: "complaint", opted_out_at: expect.any(Number) });
    expect(await rowsOf(project, "jobs")).toMatchObject([{ status: "completed", errors: "[]", result: null }]);
  });

  it("takes what two recipients shared with the last of them", async () => {
    const project = await newProject();
    const world = new World();
    const to = ["ada@example.com", "bob@example.com", "ada@example.com"];
    const body = `<p>${"long ".repeat(20_000)}</p>`;
    const reply = "case-7@example.com";
    await sendAs(world, project, {
      to,
      from: `hi@${project.domain}`,
      reply,
      subject: "S",
      body,
      attachments: [sharedFile],
    });
    const files = async () => (await filesOf(project)).length;
    const left = async () => (await rowsOf(project, "email_contents")).map(({ recipients }) => recipients);
    const idOf = async (email: string) => (await project.api.get(`/contacts?email=${email}`)).body.data[0].id;
    expect([await left(), await files()]).toEqual([[3], 2]);
    const [ada, bob] = [await idOf("ada@example.com"), await idOf("bob@example.com")];
    await erase(world, project, ada);
    await world.drain();
    expect([await left(), await files()]).toEqual([[1], 2]);
    expect(await rowsOf(project, "email_contents")).toMatchObject([{ reply_to: reply }]);
    await erase(world, project, bob);
    await world.drain();
    expect([await left(), await files()]).toEqual([[0], 0]);
    expect(await rowsOf(project, "email_contents")).toMatchObject([
      { subject: "", body: null, body_key: null, reply_to: null, headers: "{}", attachments: "[]", own_data: "{}" },
    ]);
  });

  it("goes on in bounded steps when there is more than one batch holds", async () => {
    const project = await newProject();
    const world = new World();
    const [many, few] = [
      await personWithMail(world, project),
      await personWithMail(world, project, { to: "bob@example.com" }),
    ];
    await world.drain();
    await addOlder(project, many, 2_300);
    const { ctx } = await world.context(project);
    const batch = openBatch(ctx);
    const ids = [many.contactId, few.contactId, "no", few.contactId].map(readId);
    const { found, announceRest } = await addErasure(ctx, batch, ids);
    expect(found.map(publicId)).toEqual([many.contactId, few.contactId].sort());
    await batch.commit();
    await announceRest();
    const full = (await rowsOf(project, "emails")).filter(({ to_email }) => to_email !== "").length;
    expect(full).toBe(2_302 - 1_000);
    await world.drain();
    expect(
      (await rowsOf(project, "emails")).filter(({ to_email, subject }) => to_email !== "" || subject !== ""),
    ).toEqual([]);
    expect((await rowsOf(project, "events")).filter(({ data }) => data !== "{}")).toEqual([]);
    expect((await rowsOf(project, "email_contents")).map(({ recipients }) => recipients)).toEqual([0, 0]);
    expect(await eventCounts(project)).toEqual({ "email.sent": 2, purchase: 2_300 });
  });

  it("is prepared again when a person has moved to another address meanwhile", async () => {
    const project = await newProject();
    const world = new World();
    const { contactId } = await personWithMail(world, project);
    const { ctx } = await world.context(project);
    const batch = openBatch(ctx);
    await addErasure(ctx, batch, [readId(contactId)]);
    await project.api.patch(`/contacts/${contactId}`, { email: "moved@example.com" });
    await expect(batch.commit()).rejects.toThrow(Stale);
    expect((await project.api.get(`/contacts/${contactId}`)).status).toBe(200);
    await deleteContact(ctx, readId(contactId));
    expect((await project.api.get(`/contacts/${contactId}`)).status).toBe(404);
  });
});

/** Dying after a step leaves the same behind as dying before the next. */
describe("an erasure that is killed", () => {
  it("has happened whole or not at all, and takes the files all the same", async () => {
    const project = await newProject();
    for (const atStep of [1, 2, 3]) {
      const world = new FileWorld();
      const { contactId } = await personWithMail(world, project, { attachments: [sharedFile] });
      const { ctx } = await world.context(project, { atStep, when: "after" });
      await deleteContact(ctx, readId(contactId)).catch((error) => expect(wasKilled(error)).toBe(true));
      const isCommitted = atStep >= 2;
      const rows = (await rowsOf(project, "emails")).filter(({ contact_id }) => contact_id === contactId);
      expect(rows, `step ${atStep}`).toMatchObject([{ to_email: isCommitted ? "" : "ada@example.com" }]);
      expect((await project.api.get(`/contacts/${contactId}`)).status).toBe(isCommitted ? 404 : 200);
      if (!isCommitted) await erase(world, project, contactId);
      await sweepLater(world);
      expect(await filesOf(project)).toEqual([]);
    }
  });

  it("goes on in its job from any step, counts nothing twice, and never names a file that is gone", async () => {
    const project = await newProject();
    const shared = { to: ["ada@example.com", "bob@example.com"], body: `<p>${"long ".repeat(20_000)}</p>` };
    let steps = Number.POSITIVE_INFINITY;
    for (let atStep = 1; atStep <= steps; atStep++) {
      const world = new FileWorld();
      const { contactId } = await personWithMail(world, project, { ...shared, attachments: [sharedFile] });
      await personWithMail(world, project, { body: shared.body, attachments: [sharedFile, sharedFile] });
      await world.drain();
      await erase(world, project, contactId);
      const taken = await world.runAndDie({ atStep, when: "after" });
      if (taken.length < atStep) steps = atStep;
      await expectFilesOf(project);
      await sweepLater(world);
      await expectFilesOf(project);

      const left = (await rowsOf(project, "email_contents")).filter(({ subject }) => subject !== "");
      expect(
        left.map(({ recipients }) => recipients),
        `step ${atStep}`,
      ).toEqual([1]);
      expect(await filesOf(project)).toHaveLength(2);
      await removeRows(project);
    }
    expect(steps).toBe(9);
  });

  it("goes on from page to page", async () => {
    const project = await newProject();
    const world = new FileWorld();
    const person = await personWithMail(world, project, { attachments: [sharedFile] });
    await world.drain();
    await addOlder(project, person, 2_100);
    await erase(world, project, person.contactId);
    for (let atStep = 1; world.queue.length > 0; atStep++) {
      await world.runAndDie({ atStep, when: atStep % 2 ? "after" : "before" });
    }
    expect((await rowsOf(project, "emails")).filter(({ to_email }) => to_email !== "")).toEqual([]);
    expect((await rowsOf(project, "events")).filter(({ data }) => data !== "{}")).toEqual([]);
    expect((await rowsOf(project, "email_contents")).map(({ recipients }) => recipients)).toEqual([0]);
    expect(await filesOf(project)).toEqual([]);
  });
});

/** The sweep finds jobs whose messages were lost. */
async function sweepLater(world: World): Promise<void> {
  world.now += 10 * 60_000;
  await world.sweep();
  await world.drain();
}

describe("mail that is on its way to a person who is erased", () => {
  const reason = "The contact was deleted before the email was sent";
  let people = 0;

  async function stateOf(project: TestProject, emailId: string) {
    const row = (await rowsOf(project, "emails")).find(({ id }) => id === emailId);
    return { status: row?.status, error: row?.error };
  }

  async function waiting() {
    const [project, world] = [await newProject(), new World()];
    const address = `ada.on.her.way.${++people}@example.com`;
    const subject = `For ${address}`;
    return { project, world, address, ...(await personWithMail(world, project, { to: address, subject })) };
  }

  it("is cancelled when it waits in line", async () => {
    const { project, world, address, emailId, contactId } = await waiting();
    await erase(world, project, contactId);
    expect(await stateOf(project, emailId)).toEqual({ status: "CANCELLED", error: reason });
    await sweepLater(world);
    expect([world.taken, await eventCounts(project), await tracesOf([address])]).toEqual([[], {}, []]);
    expectRefusal(await project.api.post(`/emails/${emailId}/retry`), 410, "CONTENT_GONE");
    expectRefusal(await project.api.get(`/emails/${emailId}/content`), 410, "CONTENT_GONE");
    expect((await project.api.get(`/emails/${emailId}`)).body).toMatchObject({
      to: "",
      subject: "",
      status: "CANCELLED",
    });
  });

  it.each([
    ["is cancelled when it waits for its next try", 0, "CANCELLED"],
    ["stays unknown when an earlier try may have sent it", 24 * 3_600_000, "UNKNOWN"],
  ])("%s", async (_, windowMs, status) => {
    const { project, world, address, emailId, contactId } = await waiting();
    world.idempotencyWindowMs = windowMs;
    world.answer = () => ({ kind: windowMs === 0 ? "busy" : "unknown", reason: `550 <${address}>` });
    await world.drain();
    expect(await stateOf(project, emailId)).toEqual({ status: "QUEUED", error: `550 <${address}>` });
    await erase(world, project, contactId);
    world.answer = accepts;
    await sweepLater(world);
    await sweepLater(world);
    expect(await stateOf(project, emailId)).toEqual({ status, error: reason });
    expect([world.taken, await tracesOf([address])]).toEqual([[], []]);
  });

  it.each([1, 1_500])("is not handed over by a consumer that has it in hands already: %i emails", async (emails) => {
    const { project, world, address, emailId, contactId } = await waiting();
    if (emails > 1) await addOlder(project, { emailId, contactId }, emails);
    const { ctx, process } = await world.context(project);
    const step = process.step.bind(process);
    let batches = 0;
    process.step = async (name, effect) => {
      // The first batch reads, the second hands over. Nothing is written between them.
      if (name === "batch" && ++batches === 2) {
        expect(await stateOf(project, emailId)).toEqual({ status: "QUEUED", error: null });
        await erase(world, project, contactId);
      }
      return step(name, effect);
    };
    await deliverEmails(ctx, 0, [readId(emailId)]);
    expect(batches).toBeGreaterThanOrEqual(2);
    expect([world.taken, await stateOf(project, emailId)]).toEqual([[], { status: "CANCELLED", error: reason }]);
    await sweepLater(world);
    expect([world.taken, await tracesOf([address])]).toEqual([[], []]);
  });

  const bounce = (reason: string) => ({ kind: "bounced" as const, bounceType: "hard" as const, reason });
  it.each<[string, (address: string) => Receipt, string, string | null, Record<string, number>]>([
    ["is taken", accepts, "SENT", null, { "email.sent": 1 }],
    [
      "bounces",
      (address) => ({ kind: "accepted", providerMessageId: "m", reports: [bounce(`550 <${address}>`)] }),
      "BOUNCED",
      null,
      { "email.sent": 1, "email.bounced": 1 },
    ],
    ["is put off", (address) => ({ kind: "busy", reason: `450 <${address}>` }), "CANCELLED", reason, {}],
    [
      "is refused",
      (address) => ({ kind: "refused", reason: `550 <${address}>` }),
      "FAILED",
      null,
      { "email.failed": 1 },
    ],
    [
      "hangs",
      (address) => {
        throw new Error(`no answer for ${address}`);
      },
      "UNKNOWN",
      null,
      {},
    ],
  ])("ends as it may when it is being handed over, and brings nothing back: %s", async (_, answer, ...expected) => {
    const { project, world, address, emailId, contactId } = await waiting();
    world.answer = async () => {
      world.answer = accepts;
      await erase(world, project, contactId);
      return answer(address);
    };
    await world.drain();
    await sweepLater(world);
    await sweepLater(world);
    const { status, error } = await stateOf(project, emailId);
    expect([status, error, await eventCounts(project)]).toEqual(expected);
    expect(world.taken.length).toBe(["SENT", "BOUNCED"].includes(String(status)) ? 1 : 0);
    expect(await tracesOf([address])).toEqual([]);
    const { body: events } = await project.api.get(`/events?contactId=${contactId}`);
    expect(events.data).toHaveLength((await rowsOf(project, "events")).length);
    for (const { data } of events.data) expect(data).toMatchObject({ emailId });
    expect(await rowsOf(project, "suppressions")).toEqual([]);
  });

  it("gives its quota back once when it is put off, and its page is erased again", async () => {
    const { project, world, emailId, contactId } = await waiting();
    world.answer = async () => {
      world.answer = accepts;
      await erase(world, project, contactId);
      return { kind: "busy", reason: "450 later" };
    };
    await world.drain();
    expect(await stateOf(project, emailId)).toEqual({ status: "QUEUED", error: null });
    const { ctx } = await world.context(project);
    const used = async () => (await rowsOf(project, "monthly_usage")).map(({ emails }) => emails);
    const batch = openBatch(ctx);
    batch.addAll(updateErasedEmails(ctx, sql`SELECT ${readId(emailId)} AS id`));
    await batch.commit();
    expect(await used()).toEqual([1]);
    await sweepLater(world);
    await sweepLater(world);
    expect(await stateOf(project, emailId)).toEqual({ status: "CANCELLED", error: reason });
    expect(await used()).toEqual([0]);
  });

  it("brings nothing back when a provider reports of it later", async () => {
    const { project, world, address, emailId, contactId } = await waiting();
    await world.drain();
    await erase(world, project, contactId);
    const report = { kind: "complained" as const };
    await takeReport(world.process().platform, "double", {
      tag: `${project.id}.${emailId}`,
      providerMessageId: null,
      report,
    });
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "email.complained": 1 });
    expect(await tracesOf([address])).toEqual([]);
    expect(await rowsOf(project, "suppressions")).toEqual([]);
  });

  it("leaves no copy in the outbox that came while the person was erased", async () => {
    const { project, world, address, emailId, contactId } = await waiting();
    world.settings = { MAIL_PROVIDER: "outbox" };
    const { ctx } = await world.context(project);
    const deliver: typeof ctx.mailer.deliver = async (messages, key) => {
      await erase(world, project, contactId);
      world.queue = world.queue.filter(({ queued }) => queued.message.type === "contacts.erase");
      await world.drain();
      return ctx.mailer.deliver(messages, key);
    };
    await deliverEmails(withMailer(ctx, { ...ctx.mailer, deliver }), 0, [readId(emailId)]);
    expect(await tracesOf([address])).not.toEqual([]);
    await sweepLater(world);
    expect(await tracesOf([address])).toEqual([]);
    expect(await rowsOf(project, "jobs")).toMatchObject([{ status: "completed" }]);
  });
});

async function filesOf(project: TestProject): Promise<string[]> {
  return (await allFiles()).map(({ key }) => key).filter((key) => key.includes(project.id));
}

/** Of every content that is not empty all files are there, and there is no file that none names. */
async function expectFilesOf(project: TestProject): Promise<void> {
  const contents = await rowsOf(project, "email_contents");
  const named = ({ id, body_key, attachments }: Record<string, unknown>) => [
    ...(body_key === null ? [] : [body_key]),
    ...JSON.parse(String(attachments)).map(
      (_: unknown, index: number) => `attachment/${project.id}/${storedId(String(id))}/${index}`,
    ),
  ];
  const files = await filesOf(project);
  expect(files).toEqual(expect.arrayContaining(contents.filter(({ subject }) => subject !== "").flatMap(named)));
  expect(contents.flatMap(named)).toEqual(expect.arrayContaining(files));
}

async function removeRows(project: TestProject): Promise<void> {
  for (const table of ["emails", "email_contents", "events", "contacts"]) {
    await project.db.prepare(`DELETE FROM ${table} WHERE project_id = ?`).bind(project.id).run();
  }
  await env.BLOBS.delete(await filesOf(project));
}
