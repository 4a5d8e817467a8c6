import { sql } from "drizzle-orm";
import { describe, expect, it, type TestContext } from "vitest";
import { asId, type Id, newId, publicId, readId, textOf } from "../../src/core/ids";
import type { JsonObject } from "../../src/core/json";
import { writeTag } from "../../src/core/mail/tag";
import { openBatch } from "../../src/db/batch";
import { insertEmailEvents } from "../../src/engine/events/email-events";
import { upsertContact } from "../../src/features/contacts/upsert";
import { trackEvent } from "../../src/features/events/track";
import { takeReport } from "../../src/features/hooks/take-report";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { idSql } from "../support/counts";
import { databaseOf, shardOfTest } from "../support/database";
import { deliverEmails } from "../support/deliver-emails";
import { newCampaign, storedCounts } from "../support/ledger";
import { sendAs } from "../support/person";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { newTemplate } from "../support/template";
import { World } from "../support/world";

// Rows written are what D1 charges for, and the only thing that a single database has too few of. D1 counts a row of an
// index like one of a table.

/** `npm run bench -- rows` shows these as a table. */
interface Measured {
  rows?: number;
  bytes?: number;
  bound: number;
}

declare module "vitest" {
  interface TaskMeta {
    measured?: Measured;
  }
}

/** The figure is kept for the bench before it is judged. */
function expectAtMost({ task }: TestContext, measured: Measured): void {
  task.meta.measured = measured;
  const { rows = 0, bytes = 0, bound } = measured;
  expect(rows + bytes).toBeGreaterThan(0);
  expect(rows + bytes).toBeLessThanOrEqual(bound);
}

async function writtenBy(world: World, act: () => Promise<unknown>): Promise<number> {
  const before = world.rowsWritten;
  await act();
  return world.rowsWritten - before;
}

/** What a database grows by, in bytes. It grows by pages of 4 KB, so that `act` does its work some hundred times. */
async function storedBy(act: () => Promise<unknown>): Promise<number> {
  const size = async () => (await databaseOf(shardOfTest()).prepare("SELECT 1").run()).meta.size_after;
  const before = await size();
  await act();
  return (await size()) - before;
}

async function knownContact(): Promise<{ project: TestProject; world: World }> {
  const [project, world] = [await newProject(), new World()];
  await track(world, project, "ada@example.com", { firstName: "Ada", plan: "free" });
  return { project, world };
}

async function track(
  world: World,
  project: TestProject,
  email: string,
  data: JsonObject = {},
  event = "purchase",
): Promise<void> {
  const { ctx } = await world.context(project);
  await trackEvent(ctx, { email, event, data }, "POST /v1/track");
}

describe("POST /v1/track writes", () => {
  it("for a known contact no more than its event", async (test) => {
    const { project, world } = await knownContact();
    const again = { firstName: "Ada", plan: "free" };
    const rows = await writtenBy(world, () => track(world, project, "ada@example.com", again));
    // The event, its two indexes, and the count of its name.
    expect(rows).toBe(4);
    expectAtMost(test, { rows, bound: 6 });
  });

  it("for a known contact whose data changes", async (test) => {
    const { project, world } = await knownContact();
    const rows = await writtenBy(world, () => track(world, project, "ada@example.com", { plan: "pro" }));
    expectAtMost(test, { rows, bound: 8 });
  });

  it("for a new contact", async (test) => {
    const { project, world } = await knownContact();
    const data = { firstName: "Grace", plan: "free" };
    const rows = await writtenBy(world, () => track(world, project, "grace@example.com", data));
    expectAtMost(test, { rows, bound: 11 });
  });

  it("for a new contact with an event of a new name", async (test) => {
    const { project, world } = await knownContact();
    const rows = await writtenBy(world, () => track(world, project, "grace@example.com", {}, "signup"));
    expectAtMost(test, { rows, bound: 11 });
  });
});

describe("POST /v1/track stores", () => {
  it("an event of a known contact", async (test) => {
    const { project, world } = await knownContact();
    const bytes = await storedBy(async () => {
      for (let n = 0; n < 200; n++) await track(world, project, "ada@example.com");
    });
    expectAtMost(test, { bytes: bytes / 200, bound: 300 });
  });

  it("a new contact with its event", async (test) => {
    const { project, world } = await knownContact();
    const data = { firstName: "Augusta", plan: "professional", city: "Copenhagen" };
    const bytes = await storedBy(async () => {
      for (let n = 0; n < 200; n++) await track(world, project, `recipient-${n}@example.com`, data);
    });
    expectAtMost(test, { bytes: bytes / 200, bound: 800 });
  });
});

describe("POST /contacts writes", () => {
  it("for a contact that stays as it is nothing", async () => {
    const { project, world } = await knownContact();
    const { ctx } = await world.context(project);
    const same = { email: "ada@example.com", data: { plan: "free" } };
    expect(await writtenBy(world, () => upsertContact(ctx, same))).toBe(0);
  });
});

/** Emails that were sent, to as many contacts. */
async function sentEmails(count: number): Promise<{ project: TestProject; world: World; ids: string[] }> {
  const [project, world] = [await newProject(), new World()];
  const to = Array.from({ length: count }, (_, n) => `u${n}@example.com`);
  const from = `hi@${project.domain}`;
  const ids: string[] = [];
  for (let turn = 0; turn < 2; turn++) {
    ids.splice(0, ids.length, ...(await sendAs(world, project, { to, from, subject: "Hi", body: "Hi" })));
    await world.drain();
  }
  return { project, world, ids };
}

describe("an email's event writes", () => {
  it.for([
    ["alone", 1, 5],
    ["in a batch of ten", 10, 4],
  ] as const)("%s", async ([, count, bound], test) => {
    const { project, world, ids } = await sentEmails(count);
    const { ctx } = await world.context(project);
    const items = ids.map((id) => ({
      projectId: project.number,
      emailId: readId(id),
      event: "email.sent",
      eventData: {},
    }));
    const batch = openBatch(ctx);
    batch.add(insertEmailEvents(ctx, { items: JSON.stringify(items), where: sql`true` }));
    const rows = (await writtenBy(world, () => batch.commit())) / count;
    expectAtMost(test, { rows, bound });
  });
});

describe("a mail writes", () => {
  it("from a template, accepted, sent and delivered, to a known contact", async (test) => {
    const { project, world, ids } = await sentEmails(1);
    const { id: template } = await newTemplate(project, { type: "TRANSACTIONAL" });
    const report = async (emailId: string) => {
      const tag = writeTag({ projectId: project.id, emailId });
      const { platform } = world.process();
      await takeReport(platform, "double", { tag, providerMessageId: "m-1", report: { kind: "delivered" } });
    };
    // Once before, so that the names of its events are known.
    await report(ids[0] ?? "");
    const rows = await writtenBy(world, async () => {
      const [id = ""] = await sendAs(world, project, { to: "u0@example.com", template });
      await world.drain();
      await report(id);
    });
    expect((await emailRows(project)).map(({ status }) => status).toSorted()).toEqual([
      "DELIVERED",
      "DELIVERED",
      "SENT",
    ]);
    // One of them is the index that says whether a version of a template is in use.
    expectAtMost(test, { rows, bound: 17 });
  });
});

describe("a hundred reports of a campaign write", () => {
  it("six rows each, with their events, and with the campaign's counters", async (test) => {
    const [project, world] = [await newProject(), new World()];
    const campaign = await newCampaign(project, { recipients: 100, status: "SENT" });
    const rows = await writtenBy(world, async () => {
      for (const emailId of campaign.emailIds) {
        const tag = writeTag({ projectId: project.id, emailId: publicId(emailId) });
        const { platform } = world.process();
        await takeReport(platform, "double", { tag, providerMessageId: "m-1", report: { kind: "delivered" } });
      }
      world.now += 60_000;
      await world.sweep();
      await world.drain();
    });
    expect((await storedCounts(world, project, campaign))[""]).toMatchObject({ sent: 100, delivered: 100 });
    expectAtMost(test, { rows, bound: 600 });
  });
});

describe("a mail stores", () => {
  it("from a template, with the event of its sending", async (test) => {
    const { project, world } = await knownContact();
    const { id: template } = await newTemplate(project, { type: "TRANSACTIONAL" });
    const bytes = await storedBy(async () => {
      for (let n = 0; n < 100; n++) await sendAs(world, project, { to: "ada@example.com", template });
      await world.drain();
    });
    expectAtMost(test, { bytes: bytes / 100, bound: 1_200 });
  });
});

describe("a recipient of a campaign", () => {
  /** An audience of so many, whose data is larger than what the mail reads of it, and the content of a mail to them. */
  async function audienceOf(recipients: number): Promise<{ project: TestProject; world: World }> {
    const [project, world] = [await newProject(), new World()];
    const { id: template } = await newTemplate(project, {
      subject: "News for {{ firstName }} this very week",
      body: "<p>Hi {{ firstName }}, your {{ plan }} plan in {{ city }}</p>",
    });
    const data = { firstName: "Augusta", plan: "professional", city: "Copenhagen", notes: "n".repeat(2_000) };
    await project.db
      .prepare(
        `INSERT INTO contacts (project_id, id, email, subscribed, source, data, created_at, updated_at)
          SELECT ?1, ${idSql(`${world.now} + value`)}, 'recipient-' || value || '@example.com', 1, 'API', ?2, 0, 0
          FROM json_each(?3)`,
      )
      .bind(project.number, JSON.stringify(data), JSON.stringify(Array.from({ length: recipients }, (_, n) => n)))
      .run();
    const { ctx } = await world.context(project);
    const mail = SendEmail.parse({ to: "recipient-0@example.com", template });
    // Unsubscribe links lead to where the call came to.
    await sendEmails({ ...ctx, origin: "https://petrel.example" }, mail);
    await world.drain();
    return { project, world };
  }

  /** One row of the ledger for each contact, as a campaign writes them. Returns what that wrote. */
  async function freeze(project: TestProject, world: World): Promise<{ rows: number; ids: Id[] }> {
    const { meta } = await project.db
      .prepare(
        `INSERT INTO emails (project_id, id, content_id, contact_id, campaign_id, to_email, source, priority, status, next_attempt_at,
            due_at, created_at)
          SELECT project_id, ${idSql(`${world.now} + row_number() OVER (ORDER BY id)`)},
            (SELECT id FROM email_contents WHERE project_id = ?1), id, ?2, email, 'CAMPAIGN', 2, 'QUEUED', ?3, ?3, ?3
          FROM contacts WHERE project_id = ?1 ORDER BY id`,
      )
      .bind(project.number, textOf(newId()), world.now)
      .run();
    const { results } = await databaseOf(shardOfTest())
      .prepare("SELECT id FROM emails WHERE project_id = ? AND source = 'CAMPAIGN' ORDER BY id")
      .bind(project.number)
      .all<{ id: string }>();
    return { rows: meta.rows_written, ids: results.map(({ id }) => asId(id)) };
  }

  async function deliverAll(project: TestProject, world: World, ids: Id[]): Promise<void> {
    const { ctx } = await world.context(project);
    for (let first = 0; first < ids.length; first += 25) {
      await deliverEmails(ctx, 2, ids.slice(first, first + 25));
    }
    expect((await emailRows(project)).filter(({ status }) => status === "SENT")).toHaveLength(ids.length + 1);
  }

  it("writes from the ledger to SENT", async (test) => {
    const { project, world } = await audienceOf(25);
    const { rows, ids } = await freeze(project, world);
    const delivered = await writtenBy(world, () => deliverAll(project, world, ids));
    expectAtMost(test, { rows: (rows + delivered) / ids.length, bound: 10 });
  });

  it("stores at SENT, with the event of it", async (test) => {
    const { project, world } = await audienceOf(500);
    const bytes = await storedBy(async () => {
      const { ids } = await freeze(project, world);
      await deliverAll(project, world, ids);
    });
    expectAtMost(test, { bytes: bytes / 500, bound: 800 });
  });
});
