import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Report } from "../../src/core/mail/status";
import { writeTag } from "../../src/core/mail/tag";
import { judgeReputation } from "../../src/engine/mail/report/reputation";
import { forgetProjects } from "../../src/engine/projects/cache";
import { takeReport } from "../../src/features/hooks/take-report";
import { updateProject } from "../../src/features/projects/update";
import { newCampaign } from "../support/campaign";
import { sendAs } from "../support/person";
import { expectBounded } from "../support/plan";
import { admin, newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { newTemplate } from "../support/template";
import { accepts, World } from "../support/world";

const hard: Report = { kind: "bounced", bounceType: "hard", reason: "550 No such mailbox" };
const soft: Report = { kind: "bounced", bounceType: "soft", reason: "452 Mailbox full" };
const complaint: Report = { kind: "complained" };

interface Sender {
  project: TestProject;
  world: World;
}

/** A report takes some calls of the database, so that most tests have a brake for which nine bounces are as good as 81. */
const early = { BRAKE_BOUNCE_PERCENT: "0.8" };
const paused = "9 of the last 1000 emails bounced, more than 0.8 %.";

async function newSender(shard?: string, settings: Sender["world"]["settings"] = early): Promise<Sender> {
  const [project, world] = [await newProject({}, shard), new World()];
  Object.assign(world, { mailsPerCall: 500, settings });
  return { project, world };
}

let counter = 0;

/** So many mails that the provider accepts, a second later than those before. Returns their ids. */
async function send({ project, world }: Sender, count: number, domain = "example.com"): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const length = Math.min(500, count - ids.length);
    const to = Array.from({ length }, () => `u${++counter}@${domain}`);
    ids.push(...(await sendAs(world, project, { to, from: `hi@${project.domain}`, subject: "Hi", body: "Hi" })));
    world.now += 1_000;
    await world.drain();
  }
  return ids;
}

async function report({ project, world }: Sender, ids: string[], said: Report): Promise<void> {
  for (const emailId of ids) {
    const tag = writeTag({ projectId: project.id, emailId });
    world.now += 1;
    await takeReport(world.process().platform, "double", { tag, providerMessageId: "m-1", report: said });
  }
}

async function pauseOf({ project }: Sender): Promise<{ reason: string; at: string } | null> {
  return (await admin.get(`/admin/projects/${project.id}`)).body.sendingPaused;
}

async function lift({ project, world }: Sender): Promise<void> {
  await updateProject(world.process().platform, project.id, { sendingPaused: null });
}

/** As the brake does it. */
async function pause(project: TestProject): Promise<void> {
  await env.DB.prepare("UPDATE projects SET sending_paused_reason = 'Too bad.', sending_paused_at = 1 WHERE number = ?")
    .bind(project.number)
    .run();
  forgetProjects();
}

describe("the reputation brake", () => {
  it.each([
    ["bounces", hard, 80, "81 of the last 1000 emails bounced, more than 8 %."],
    ["complaints", complaint, 3, "4 of the last 1000 emails drew complaints, more than 0.3 %."],
  ] as const)(
    "pauses a project whose last 1,000 mails had too many %s, and says so loudly",
    async (_, said, most, reason) => {
      const sender = await newSender(undefined, {});
      const ids = await send(sender, 1_000);
      await report(sender, ids.slice(0, most), said);
      expect(await pauseOf(sender)).toBeNull();
      await report(sender, ids.slice(most, most + 1), said);
      expect(await pauseOf(sender)).toEqual({ reason, at: new Date(sender.world.now).toISOString() });
      expect(sender.world.logged).toEqual([
        "The marketing email of a project is paused, until an operator sets its sendingPaused to null",
      ]);
    },
  );

  it("takes effect at once where the report came to", async () => {
    const sender = await newSender(undefined, {});
    const { project } = sender;
    const { id: template } = await newTemplate(project, { type: "MARKETING" });
    const ids = await send(sender, 1_000);
    await report(sender, ids.slice(0, 80), hard);
    const { id: draft } = await newCampaign(project);
    const { brakes } = (await project.api.get(`/campaigns/${draft}/progress`)).body;
    const rates = { bounceRate: 8, maxBounceRate: 8, complaintRate: 0, maxComplaintRate: 0.3 };
    expect(brakes).toEqual({ canary: null, project: { emails: 1_000, ...rates } });
    expect((await project.api.send({ template })).status).toBe(200);
    await report(sender, ids.slice(80, 81), hard);
    const refused = await project.api.send({ template });
    expect([refused.status, refused.body.error.code]).toEqual([403, "SENDING_PAUSED"]);
    expect((await project.api.send()).status).toBe(200);
  });

  it("counts what providers say in their answer, and sends the rest of the call", async () => {
    const sender = await newSender();
    // The embedded provider alone reports in its answer, and takes one mail a call.
    sender.world.mailsPerCall = 1;
    sender.world.answer = () => ({ ...accepts(), reports: [hard] }) as ReturnType<typeof accepts>;
    await send(sender, 1_000);
    expect((await pauseOf(sender))?.reason).toBe("1000 of the last 1000 emails bounced, more than 0.8 %.");
    expect(sender.world.taken).toHaveLength(1_000);
  }, 60_000);

  it("judges nobody by 999 mails, and the next one by the report after it", async () => {
    const sender = await newSender();
    const ids = await send(sender, 999);
    await report(sender, ids.slice(0, 10), hard);
    expect(await pauseOf(sender)).toBeNull();
    await send(sender, 1);
    await report(sender, ids.slice(10, 11), hard);
    expect((await pauseOf(sender))?.reason).toBe("11 of the last 1000 emails bounced, more than 0.8 %.");
  });

  it("judges when a hundred mails are full, without waiting for a report", async () => {
    const sender = await newSender();
    const ids = await send(sender, 900);
    await report(sender, ids.slice(0, 10), hard);
    await send(sender, 100);
    expect((await pauseOf(sender))?.reason).toBe("10 of the last 1000 emails bounced, more than 0.8 %.");
  });

  it("counts no mail to the simulator's addresses, and no report of it", async () => {
    const sender = await newSender();
    const ids = await send(sender, 999);
    const simulated = [
      ...(await send(sender, 150, "simulator.test")),
      ...(await send(sender, 150, "deep.simulator.test")),
    ];
    await report(sender, ids.slice(0, 8), hard);
    await report(sender, simulated.slice(140, 160), hard);
    expect(await pauseOf(sender)).toBeNull();
    await send(sender, 1, "notsimulator.test");
    await report(sender, simulated.slice(200, 202), hard);
    expect(await pauseOf(sender)).toBeNull();
    await report(sender, ids.slice(8, 9), hard);
    expect((await pauseOf(sender))?.reason).toBe(paused);
  });

  it("counts no soft bounce, and a repeated report once", async () => {
    const sender = await newSender();
    const ids = await send(sender, 1_000);
    await report(sender, ids.slice(0, 20), soft);
    await report(sender, ids.slice(20, 28), hard);
    await report(sender, ids.slice(20, 28), hard);
    expect(await pauseOf(sender)).toBeNull();
  });

  it("counts each of many reports that come at once", async () => {
    const sender = await newSender(undefined, {});
    const ids = await send(sender, 1_000);
    await Promise.all(ids.slice(0, 80).map((id) => report(sender, [id], hard)));
    expect(await pauseOf(sender)).toBeNull();
    await Promise.all(ids.slice(0, 81).map((id) => report(sender, [id], hard)));
    expect((await pauseOf(sender))?.reason).toBe("81 of the last 1000 emails bounced, more than 8 %.");
  });

  it("counts a late report where its mail was sent: 20 of 4,000 are 0.5 %", async () => {
    const sender = await newSender();
    const ids = await send(sender, 4_000);
    const bounced = ids.filter((_, index) => index % 200 === 0);
    expect(bounced).toHaveLength(20);
    await report(sender, bounced, hard);
    expect(await pauseOf(sender)).toBeNull();
    const recent = ids.filter((_, index) => index >= 3_000 && index % 200 !== 0);
    await report(sender, recent.slice(0, 3), hard);
    expect(await pauseOf(sender)).toBeNull();
    await report(sender, recent.slice(3, 4), hard);
    expect((await pauseOf(sender))?.reason).toBe(paused);
  });

  it("counts each project alone", async () => {
    const [bad, good] = [await newSender(), await newSender()];
    const [ids, others] = [await send(bad, 1_000), await send(good, 1_000)];
    await report(bad, ids.slice(0, 8), hard);
    await report(good, others.slice(0, 8), hard);
    await report(bad, ids.slice(8, 9), hard);
    expect(await pauseOf(bad)).not.toBeNull();
    expect(await pauseOf(good)).toBeNull();
  });

  it("has a report come again whose judgement failed", async () => {
    const sender = await newSender("DB_01");
    const ids = await send(sender, 1_000);
    await report(sender, ids.slice(0, 8), hard);
    sender.world.outShard = "DB";
    await expect(report(sender, ids.slice(8, 9), hard)).rejects.toThrow(/update "projects"/);
    sender.world.outShard = null;
    expect(await pauseOf(sender)).toBeNull();
    await report(sender, ids.slice(8, 9), hard);
    expect((await pauseOf(sender))?.reason).toBe(paused);
  });

  it("delivers mail while nobody can be paused", async () => {
    const sender = await newSender("DB_01");
    const ids = await send(sender, 900);
    await report(sender, ids.slice(0, 10), hard);
    const { project, world } = sender;
    const to = Array.from({ length: 100 }, (_, n) => `late-${n}@example.com`);
    await sendAs(world, project, { to, from: `hi@${project.domain}`, subject: "Hi", body: "Hi" });
    world.outShard = "DB";
    await world.drain();
    expect(world.taken).toHaveLength(1_000);
    expect(world.logged).toEqual(["The reputation of a project could not be judged"]);
  });

  it("counts anew after the project's old events were forgotten, and with them their count", async () => {
    const sender = await newSender();
    const { db, number } = sender.project;
    await report(sender, (await send(sender, 1_000)).slice(0, 8), hard);
    await db.batch(
      ["events", "event_days", "event_names"].map((table) =>
        db.prepare(`DELETE FROM ${table} WHERE project_id = ? AND name = 'email.sent'`).bind(number),
      ),
    );
    const ids = await send(sender, 1_000);
    await report(sender, ids.slice(500, 510), hard);
    expect(await pauseOf(sender)).toBeNull();
    await send(sender, 500);
    expect((await pauseOf(sender))?.reason).toBe("10 of the last 1000 emails bounced, more than 0.8 %.");
  });

  it("can be switched off by settings", async () => {
    const sender = await newSender();
    sender.world.settings = { BRAKE_BOUNCE_PERCENT: "0", BRAKE_COMPLAINT_PERCENT: "50" };
    const ids = await send(sender, 1_000);
    await report(sender, ids.slice(0, 90), hard);
    await report(sender, ids.slice(90, 94), complaint);
    expect(await pauseOf(sender)).toBeNull();
    sender.world.settings = { BRAKE_BOUNCE_PERCENT: "9", BRAKE_COMPLAINT_PERCENT: "50" };
    await report(sender, ids.slice(110, 111), hard);
    expect((await pauseOf(sender))?.reason).toBe("91 of the last 1000 emails bounced, more than 9 %.");
  });

  it("keeps few blocks, and reads nothing else", async () => {
    const sender = await newSender();
    sender.world.mailsPerCall = 100;
    const ids = await send(sender, 2_500);
    await report(sender, ids.slice(0, 2), hard);
    const kept = sender.project.db.prepare("SELECT count(*) FROM sending_blocks WHERE project_id = ?");
    expect(await kept.bind(sender.project.number).first("count(*)")).toBeLessThanOrEqual(20);
    const statements = sender.world.statements.filter(({ sql }) => sql.includes("sending_blocks"));
    expect(statements.length).toBeGreaterThan(25);
    await expectBounded(statements);
  });
});

describe("a pause that is lifted", () => {
  it("begins the count anew, with the next mail", async () => {
    const sender = await newSender();
    const ids = await send(sender, 1_050);
    await report(sender, ids.slice(0, 10), hard);
    expect(await pauseOf(sender)).not.toBeNull();
    await lift(sender);
    expect(await pauseOf(sender)).toBeNull();
    await report(sender, ids.slice(10, 40), hard);
    expect(await pauseOf(sender)).toBeNull();

    const further = await send(sender, 999);
    await report(sender, further.slice(0, 9), hard);
    await report(sender, ids.slice(40, 42), hard);
    expect(await pauseOf(sender)).toBeNull();
    await send(sender, 1);
    await report(sender, ids.slice(42, 43), hard);
    expect((await pauseOf(sender))?.reason).toBe(paused);
  });

  it("is not paused again by whoever had read the project before", async () => {
    const sender = await newSender();
    const { ctx: before } = await sender.world.context(sender.project);
    const ids = await send(sender, 1_000);
    await report(sender, ids.slice(0, 9), hard);
    await lift(sender);
    await judgeReputation(before);
    expect(await pauseOf(sender)).toBeNull();
  });

  it("was one: to lift none leaves the count as it is", async () => {
    const sender = await newSender();
    const ids = await send(sender, 1_000);
    await report(sender, ids.slice(0, 8), hard);
    await lift(sender);
    await report(sender, ids.slice(8, 9), hard);
    expect(await pauseOf(sender)).not.toBeNull();
  });
});

describe("marketing mail that is queued while its project is paused", () => {
  async function queued({ project, world }: Sender, mail: Record<string, unknown> = {}): Promise<string> {
    const { id: template } = await newTemplate(project, { type: "MARKETING", ...mail });
    const { ctx } = await world.context(project);
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: true });
    const withLinks = { ...world, context: async () => ({ ctx: { ...ctx, origin: "https://petrel.example" } }) };
    const [id = ""] = await sendAs(withLinks as unknown as World, project, { to: "ada@example.com", template });
    return id;
  }
  const statuses = async (project: TestProject) =>
    (await emailRows(project)).map(({ status, error }) => [status, error]);
  const waiting = ["QUEUED", "Waits, because the marketing email of this project is paused"];

  it("waits without a write, and goes out once within two minutes of the lift", async () => {
    const sender = await newSender();
    const { project, world } = sender;
    await queued(sender);
    await pause(project);
    await world.drain();
    expect(await statuses(project)).toEqual([waiting]);
    expect(world.taken).toEqual([]);

    const before = world.rowsWritten;
    await world.pass(30);
    expect(world.rowsWritten - before).toBe(0);
    expect(await statuses(project)).toEqual([waiting]);

    await lift(sender);
    await world.pass(2);
    expect(await statuses(project)).toEqual([["SENT", null]]);
    expect(world.taken).toHaveLength(1);
  });

  it("can be cancelled", async () => {
    const sender = await newSender();
    const id = await queued(sender);
    await pause(sender.project);
    await sender.world.drain();
    expect((await sender.project.api.delete(`/emails/${id}`)).status).toBe(200);
    await lift(sender);
    await sender.world.pass(2);
    expect(sender.world.taken).toEqual([]);
  });

  it("waits when it was scheduled before", async () => {
    const sender = await newSender();
    const { project, world } = sender;
    await queued(sender);
    await project.db
      .prepare("UPDATE emails SET scheduled_at = ?1, next_attempt_at = ?1, due_at = ?1 WHERE project_id = ?2")
      .bind(world.now + 3_600_000, project.number)
      .run();
    await pause(project);
    await world.pass(65);
    expect(await statuses(project)).toEqual([waiting]);
    await lift(sender);
    await world.pass(2);
    expect(await statuses(project)).toEqual([["SENT", null]]);
  });

  it.each(["TRANSACTIONAL", "HEADLESS"])("does not hold up %s mail", async (type) => {
    const sender = await newSender();
    const { project, world } = sender;
    await queued(sender);
    await queued(sender, { type });
    await pause(project);
    await world.drain();
    expect((await statuses(project)).sort()).toEqual([waiting, ["SENT", null]]);
    expect(world.taken.map((mail) => mail.type)).toEqual([type]);
  });

  it("waits from the next round of a delivery that has begun", async () => {
    const sender = await newSender();
    const { project, world } = sender;
    world.mailsPerCall = 1;
    const to = Array.from({ length: 40 }, (_, n) => `r${n}@example.com`);
    for (const email of to) await project.api.post("/contacts", { email, subscribed: true });
    const { id: template } = await newTemplate(project, { type: "MARKETING" });
    const { ctx } = await world.context(project);
    const withLinks = { ...world, context: async () => ({ ctx: { ...ctx, origin: "https://petrel.example" } }) };
    await sendAs(withLinks as unknown as World, project, { to, template });
    world.answer = async () => {
      await pause(project);
      return accepts();
    };
    await world.drain();
    expect(world.taken).toHaveLength(25);
    const all = await statuses(project);
    expect(all.filter(([status]) => status === "SENT")).toHaveLength(25);
    expect(all.filter(([status]) => status === "QUEUED")).toHaveLength(15);
    await lift(sender);
    world.answer = accepts;
    await world.pass(2);
    expect(world.taken).toHaveLength(40);
  });

  it("goes on when it may be out already, because its call is repeated", async () => {
    const sender = await newSender();
    const { project, world } = sender;
    world.idempotencyWindowMs = 24 * 3_600_000;
    await queued(sender);
    world.answer = () => {
      throw new Error("No answer");
    };
    await world.drain();
    await pause(project);
    world.answer = accepts;
    await world.pass(10);
    expect(await statuses(project)).toEqual([["SENT", null]]);
  });
});
