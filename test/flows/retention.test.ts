import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newIdAt, readId } from "../../src/core/ids";
import { deadLetters } from "../../src/db/tables";
import { forgetOldEvents } from "../../src/engine/events/forget-old";
import { forgetContents } from "../../src/engine/mail/forget/contents";
import { deleteContact } from "../../src/features/contacts/delete";
import { retryEmail } from "../../src/features/emails/retry";
import { forgetOldMessages } from "../../src/features/outbox/forget-old";
import { control } from "../support/database";
import { type Death, wasKilled } from "../support/killable";
import { sendAs } from "../support/person";
import { newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { newTemplate } from "../support/template";
import { World } from "../support/world";

const dayMs = 86_400_000;
const large = `<p>${"long ".repeat(20_000)}</p>`;
const file = { filename: "a.txt", content: btoa("hello"), contentType: "text/plain" };

/** A world in which a file that is deleted is a step too. */
class FileWorld extends World {
  override process(death?: Death) {
    const { platform, process } = super.process(death);
    const { blobs } = platform;
    const step = (keys: string[]) =>
      keys.length === 0 ? Promise.resolve() : process.step("files", () => blobs.delete(keys));
    return { platform: { ...platform, blobs: { ...blobs, delete: step } }, process };
  }

  /** Lets so many days pass at once, and then the sweeps. A failure is the test's. */
  async passDays(days: number): Promise<void> {
    this.now += days * dayMs;
    await forgetContents(this.process().platform);
    await forgetOldEvents(this.process().platform);
  }
}

async function rowsOf(project: TestProject, table: string): Promise<Record<string, unknown>[]> {
  const rows = project.db.prepare(`SELECT * FROM ${table} WHERE project_id = ? ORDER BY 2`).bind(project.id);
  return (await rows.all()).results;
}

async function filesOf(project: TestProject): Promise<string[]> {
  return (await env.BLOBS.list()).objects.map(({ key }) => key).filter((key) => key.includes(project.id));
}

async function scene(mail: Record<string, unknown> = {}) {
  const [world, project] = [new FileWorld(), await newProject()];
  const sound = {
    to: "ada@example.com",
    from: `hi@${project.domain}`,
    subject: "For {{ name }}",
    body: "<p>{{ name }}</p>",
  };
  const send = (more: Record<string, unknown> = {}) =>
    sendAs(world, project, { ...sound, data: { name: "Ada" }, ...mail, ...more });
  const isKept = async (emailId: string) => {
    const content = await project.api.get(`/emails/${emailId}/content`);
    if (content.status === 410) expectRefusal(content, 410, "CONTENT_GONE");
    else expect(content.status).toBe(200);
    return content.status === 200;
  };
  return { world, project, send, isKept };
}

describe("the content of a mail", () => {
  it.each([
    ["in its row", {}],
    ["in files", { body: large, attachments: [file, file] }],
  ])("goes 90 days after the mail, %s; its record and its events stay", async (_, mail) => {
    const { world, project, send, isKept } = await scene({
      ...mail,
      headers: { "X-Mark": "1" },
      reply: "ada@example.com",
    });
    const [id = ""] = await send();
    await world.drain();
    const record = (await project.api.get(`/emails/${id}`)).body;
    expect(record).toMatchObject({ status: "SENT", subject: "For Ada", to: "ada@example.com" });
    await world.passDays(89);
    expect(await isKept(id)).toBe(true);
    const files = await filesOf(project);
    expect(files).toHaveLength("body" in mail ? 3 : 0);

    await world.passDays(1.1);
    expect(await isKept(id)).toBe(false);
    expect((await project.api.get(`/emails/${id}`)).body).toEqual(record);
    expect((await rowsOf(project, "emails"))[0]).toMatchObject({ contact: null, is_forgotten: 1 });
    expect(await rowsOf(project, "email_contents")).toMatchObject([
      { body: null, body_key: null, headers: "{}", own_data: "{}", attachments: "[]", recipients: 0 },
    ]);
    expect(await filesOf(project)).toEqual([]);
    const [row] = await rowsOf(project, "contacts");
    const exported = await project.api.get(`/contacts/${row?.id}/export`);
    expect(exported.body.emails).toMatchObject([{ id, content: null }]);
  });

  it("is counted from when the mail is final: failed, cancelled, scheduled, or sent again", async () => {
    const { world, project, send, isKept } = await scene();
    const at = (days: number) => new Date(world.now + days * dayMs).toISOString();
    const [scheduled = ""] = await send({ scheduledAt: at(20) });
    const [cancelled = ""] = await send({ scheduledAt: at(20) });
    world.answer = () => ({ kind: "refused", reason: "400 no" });
    const [failed = ""] = await send();
    await world.drain();
    world.answer = () => ({ kind: "accepted", providerMessageId: "m", reports: [] });

    await world.passDays(10);
    await project.api.delete(`/emails/${cancelled}`);
    // The Worker itself lives today.
    await project.db.prepare("UPDATE emails SET ended_at = ? WHERE id = ?").bind(world.now, cancelled).run();
    await world.passDays(10.1);
    await world.pass(2);
    expect((await project.api.get(`/emails/${scheduled}`)).body.status).toBe("SENT");
    await world.passDays(60);
    // On day 80 a person tries the failed one again, and it fails again.
    world.answer = () => ({ kind: "refused", reason: "400 no" });
    await retryEmail((await world.context(project)).ctx, readId(failed));
    await world.drain();
    const kept = async () => [await isKept(failed), await isKept(cancelled), await isKept(scheduled)];
    await world.passDays(15);
    expect(await kept()).toEqual([true, true, true]);
    await world.passDays(6);
    expect(await kept()).toEqual([true, false, true]);
    await world.passDays(10);
    expect(await kept()).toEqual([true, false, false]);
    await world.passDays(60);
    expect(await kept()).toEqual([false, false, false]);
    await expect(retryEmail((await world.context(project)).ctx, readId(failed))).rejects.toThrow("no longer stored");
    expectRefusal(await project.api.post(`/emails/${failed}/retry`), 410, "CONTENT_GONE");
  });

  it("stays as long as the mail waits, also uncertain, and holds up nobody else's", async () => {
    const { world, project, send, isKept } = await scene();
    const [waiting = ""] = await send();
    const [sent = ""] = await send({ to: "bob@example.com" });
    world.queue = [];
    await project.db
      .prepare("UPDATE emails SET uncertain_since = 1, due_at = NULL, next_attempt_at = 9e15 WHERE id = ?")
      .bind(waiting)
      .run();
    await project.db
      .prepare("UPDATE emails SET status = 'SENT', sent_at = created_at, due_at = NULL WHERE id = ?")
      .bind(sent)
      .run();
    await world.passDays(200);
    expect([await isKept(waiting), await isKept(sent)]).toEqual([true, false]);
    await project.db
      .prepare("UPDATE emails SET status = 'UNKNOWN', ended_at = ? WHERE id = ?")
      .bind(world.now, waiting)
      .run();
    await world.passDays(89);
    expect(await isKept(waiting)).toBe(true);
    await world.passDays(2);
    expect(await isKept(waiting)).toBe(false);
  });

  it("goes with the last mail that shares it, and a template's stays", async () => {
    const { world, project, send, isKept } = await scene();
    const template = { subject: "Hi", body: large, type: "TRANSACTIONAL" };
    const { id } = await newTemplate(project, template);
    const [templateFile] = await filesOf(project);
    const both = { to: ["ada@example.com", "bob@example.com"], attachments: [file] };
    const [ofTemplate = ""] = await send({ template: id, body: undefined, subject: undefined });
    const [ada = "", bob = ""] = await send(both);
    await world.drain();
    await project.db
      .prepare("UPDATE emails SET sent_at = sent_at + ? WHERE id = ?")
      .bind(10 * dayMs, bob)
      .run();
    await world.passDays(91);
    expect([await isKept(ofTemplate), await isKept(ada), await isKept(bob)]).toEqual([false, false, true]);
    expect(await filesOf(project)).toHaveLength(2);
    await world.passDays(10);
    expect(await isKept(bob)).toBe(false);
    expect(await filesOf(project)).toEqual([templateFile]);
  });

  it("counts an erased person's mail once, whichever goes first", async () => {
    const { world, project, send, isKept } = await scene({
      to: ["ada@example.com", "bob@example.com", "eve@example.com"],
    });
    const [ada = "", bob = "", eve = ""] = await send();
    await world.drain();
    const contactOf = async (id: string) => readId((await project.api.get(`/emails/${id}`)).body.contactId);
    const erase = async (id: string) => deleteContact((await world.context(project)).ctx, await contactOf(id));
    await erase(ada);
    await project.db
      .prepare("UPDATE emails SET sent_at = sent_at + ? WHERE id = ?")
      .bind(10 * dayMs, eve)
      .run();
    await world.passDays(91);
    const recipients = async () => (await rowsOf(project, "email_contents")).map((row) => row.recipients);
    expect(await recipients()).toEqual([1]);
    await erase(bob);
    expect([await recipients(), await isKept(eve)]).toEqual([[1], true]);
    await world.passDays(10);
    expect([await recipients(), await isKept(eve)]).toEqual([[0], false]);
  });

  it("is forgotten page by page, and a sweep that is killed goes on", async () => {
    const { world, project, send, isKept } = await scene({ body: large, attachments: [file] });
    const ids: string[] = [];
    for (let mail = 0; mail < 3; mail++) ids.push(...(await send()));
    await world.drain();
    // Many more recipients of the first, from before it, so that there are pages.
    await project.db
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
         INSERT INTO emails (project_id, id, content_id, contact_id, campaign_id, to_email, source, status, created_at, sent_at)
         SELECT e.project_id, substr(e.id, 1, 7) || '-' || format('%014d', i), e.content_id, e.contact_id,
           format('%022d', i), e.to_email, e.source, 'SENT', e.created_at, e.sent_at
         FROM n, emails e WHERE e.id = ?`,
      )
      .bind(ids[0])
      .run();
    await project.db
      .prepare("UPDATE email_contents SET recipients = 2101 WHERE id = (SELECT content_id FROM emails WHERE id = ?)")
      .bind(ids[0])
      .run();
    world.now += 91 * dayMs;
    let atStep = 1;
    for (; (await rowsOf(project, "emails")).some(({ is_forgotten }) => !is_forgotten); atStep++) {
      const { platform } = world.process({ atStep, when: atStep % 2 ? "after" : "before" });
      await forgetContents(platform).catch((error) =>
        expect(wasKilled(error) || /Killed|dead/.test(String(error))).toBe(true),
      );
    }
    expect(atStep).toBeGreaterThan(3);
    await world.passDays(0);
    for (const id of ids) expect(await isKept(id)).toBe(false);
    expect((await rowsOf(project, "email_contents")).map(({ recipients }) => recipients)).toEqual([0, 0, 0]);
    expect(await filesOf(project)).toEqual([]);
  });
});

describe("events", () => {
  const names = async ({ api }: TestProject) => (await api.get("/events/stats")).body.data;

  it("go after EVENT_RETENTION_DAYS, and the counts with them", async () => {
    const project = await newProject();
    for (const email of ["ada@example.com", "bob@example.com"]) {
      await project.api.post("/events/track", { email, event: "old" });
      await project.api.post("/events/track", { email, event: "both" });
    }
    const old = (await rowsOf(project, "events")).length;
    const world = new FileWorld();
    // So many that it takes several steps, forty days before.
    await project.db
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
         INSERT INTO events (project_id, id, name, contact_id, source, data)
         SELECT e.project_id, '-A' || format('%020d', i), iif(i % 2, 'many', 'both'), e.contact_id, 'API', '{}'
         FROM n, (SELECT * FROM events WHERE project_id = ? LIMIT 1) e`,
      )
      .bind(project.id)
      .run();
    expect((await rowsOf(project, "events")).length).toBe(old + 1_200);
    world.settings = { EVENT_RETENTION_DAYS: "30" };
    await world.passDays(0);
    expect((await rowsOf(project, "events")).length).toBe(old);
    expect(await names(project)).toMatchObject([
      { name: "both", count: 2, uniqueContacts: 2 },
      { name: "old", count: 2, uniqueContacts: 2 },
    ]);
    expect((await project.api.get("/events/names")).body.names.toSorted()).toEqual(["both", "old"]);
    await world.passDays(31);
    expect([await rowsOf(project, "events"), await names(project), await rowsOf(project, "event_days")]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it("stay for ever without it, and as long as somebody is still to hear of them", async () => {
    const project = await newProject();
    await project.api.post("/events/track", { email: "ada@example.com", event: "waiting" });
    await project.api.post("/events/track", { email: "ada@example.com", event: "waiting" });
    const world = new FileWorld();
    await world.passDays(4_000);
    expect(await rowsOf(project, "events")).toHaveLength(2);
    await project.db
      .prepare("UPDATE events SET next_announce_at = 9e15 WHERE id = (SELECT min(id) FROM events WHERE project_id = ?)")
      .bind(project.id)
      .run();
    world.settings = { EVENT_RETENTION_DAYS: "1" };
    await world.passDays(0);
    expect(await rowsOf(project, "events")).toHaveLength(1);
    expect(await names(project)).toMatchObject([{ name: "waiting", count: 1, uniqueContacts: 1 }]);
  });
});

it("dead letters go after 30 days", async () => {
  const world = new World();
  const { platform } = world.process();
  const letter = (days: number) => ({
    id: newIdAt(world.now - days * dayMs),
    queue: `q${days}`,
    body: "{}",
    createdAt: 1,
  });
  await platform.control.insert(deadLetters).values([letter(29), letter(31), letter(400)]);
  await world.sweep("41 3 * * *");
  const { results } = await control.prepare("SELECT queue FROM dead_letters").all();
  expect(results).toEqual([{ queue: "q29" }]);
});

describe("copies in the embedded outbox", () => {
  it("go with their files after the days that content is kept, in steps, and later ones stay", async () => {
    const { world, project, send } = await scene();
    world.settings = { MAIL_PROVIDER: "outbox" };
    const kept = "SELECT count(*) AS n FROM outbox_messages WHERE project_id = ?";
    const copies = () => env.DB.prepare(kept).bind(project.number).first("n");
    await send();
    await send({ body: `<p>${"x".repeat(20_000)}</p>` });
    await world.drain();
    // As many as two steps take.
    const older = JSON.stringify(Array.from({ length: 600 }, (_, index) => `-${index}`));
    await env.DB.prepare("INSERT INTO outbox_messages SELECT ?, value, '-', 'a@b.test', NULL, 1 FROM json_each(?)")
      .bind(project.number, older)
      .run();
    expect(await copies()).toBe(602);
    const isOutbox = (key: string) => key.startsWith("outbox/");
    expect((await filesOf(project)).filter(isOutbox)).toHaveLength(1);

    world.now += 89 * dayMs;
    await forgetOldMessages(world.process().platform);
    expect(await copies()).toBe(2);
    world.now += 2 * dayMs;
    // One of a later day.
    await env.DB.prepare("INSERT INTO outbox_messages VALUES (?, '~', '-', 'a@b.test', NULL, 1)")
      .bind(project.number)
      .run();
    await forgetOldMessages(world.process().platform);
    expect(await copies()).toBe(1);
    expect((await filesOf(project)).filter(isOutbox)).toEqual([]);
  });
});
