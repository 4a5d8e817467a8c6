import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { type Cpu, openCpu } from "../../src/core/cpu";
import { newId, publicId, readId } from "../../src/core/ids";
import { Budget } from "../../src/core/templating/budget";
import { parseTemplate, renderTemplate } from "../../src/core/templating/render";
import type { EmailRow } from "../../src/db/tables";
import { workOn } from "../../src/engine/jobs/work";
import { composeRound } from "../../src/engine/mail/deliver/compose";
import { type Delivery, readDelivery } from "../../src/engine/mail/deliver/delivery";
import { forgetProjects } from "../../src/engine/projects/cache";
import { openDeaths } from "../../src/engine/workflows/shard/deaths";
import { startPreflight } from "../../src/features/campaigns/preflight/start";
import { preflightStep } from "../../src/features/campaigns/preflight/step";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import type { Context } from "../../src/platform/context";
import { handleMessage } from "../../src/queue";
import { addContacts, newCampaign } from "../support/campaign";
import { shardOfTest } from "../support/database";
import { admin, newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { StillClock } from "../support/still-clock";
import { jobOf, newTestClock, startMove } from "../support/test-clock";
import { addressOf, executionsOf, newWorkflow, type TestWorkflow } from "../support/workflow";
import { shardStub, World } from "../support/world";

/** A template that works as hard as many turns of a loop do. */
const working = (turns: number) => `<p>{% for n in (1..${turns}) %}{% endfor %}{{ email }}</p>`;

/** What such a template takes of a mail's budget. */
function unitsOf(body: string): number {
  const budget = new Budget();
  renderTemplate(parseTemplate(body, "html"), {}, budget);
  return budget.spent;
}

const people = (count: number) => Array.from({ length: count }, (_, n) => `r${String(n).padStart(3, "0")}@example.com`);

/** Accepts a mail for so many people, without delivering it. */
async function send(world: World, project: TestProject, count: number, body: string): Promise<void> {
  const { ctx } = await world.context(project);
  const mail = { to: people(count), from: `hello@${project.domain}`, subject: "Hello", body };
  await sendEmails(ctx, SendEmail.parse(mail));
}

/** What the invocation has computed, and whether that is too much. */
function countingCpu(cpu = openCpu()): Cpu & { units: number } {
  const counting = {
    units: 0,
    spend: (units: number) => {
      counting.units += units;
      cpu.spend(units);
    },
    isSpent: () => cpu.isSpent(),
  };
  return counting;
}

describe("while the clock stands still", () => {
  /** Composes a round, and tells how many mails were begun between two turns of somebody else, at most. */
  async function mostBetweenTurns(ctx: Context, delivery: Delivery): Promise<number> {
    const begun = new Set<EmailRow>();
    const round = delivery.emails.map((email): EmailRow => {
      const seen: EmailRow = { ...email };
      return Object.defineProperty(seen, "contactId", {
        get: () => {
          begun.add(seen);
          return email.contactId;
        },
      });
    });
    let isOver = false;
    const turns = [0];
    const others = async () => {
      for (; !isOver; turns.push(begun.size)) await new Promise((resolve) => setTimeout(resolve, 0));
    };
    using _ = new StillClock();
    const neighbour = others();
    const { next } = await composeRound(ctx, delivery, { kind: "single", emails: round, repeat: null });
    isOver = true;
    await neighbour;
    expect(next).toHaveLength(round.length);
    return Math.max(...turns.slice(1).map((mails, index) => mails - (turns[index] ?? 0)));
  }

  it.each([
    ["ordinary mail, 25 of them", "<p>{{ email }}</p>", 25],
    ["hostile mail, each of them", working(8_000), 1],
  ])("a round of a hundred lets others in after half a million units: of %s", async (_, body, most) => {
    const [world, project] = [new World(), await newProject()];
    await send(world, project, 100, body);
    const { ctx } = await world.context(project);
    const ids = (await emailRows(project)).map(({ id }) => readId(id));
    const delivery = await readDelivery(ctx, ids, { isAgain: false });
    expect(await mostBetweenTurns(ctx, delivery)).toBeLessThanOrEqual(most);
    expect(unitsOf(working(8_000))).toBeGreaterThan(500_000);
  });

  it("a pre-flight's step ends after a second of work", async () => {
    const [world, project] = [new World(), await newProject()];
    const body = working(40_000);
    const units = unitsOf(body);
    await addContacts(project, 100);
    const { id } = await newCampaign(project, { body });
    const { ctx } = await world.context(project);
    const jobId = await startPreflight({ ...ctx, origin: "https://petrel.example" }, readId(id));
    const job = { type: "campaigns.preflight" as const, projectId: project.number, jobId };
    using _ = new StillClock();
    await workOn(ctx, job, preflightStep, { stepsPerRun: 2 });
    const { recipients } = (await project.api.get(`/jobs/${publicId(jobId)}`)).body.result;
    expect(recipients).toBeGreaterThan(1);
    expect(recipients).toBeLessThanOrEqual(Math.ceil(100_000_000 / units));
    world.queue = [];
  });
});

describe("an invocation has so much CPU", () => {
  it("a delivery ends with the round that spends it, and a drainer goes on", async () => {
    const [world, project] = [new World(), await newProject()];
    const body = working(8_000);
    await send(world, project, 40, body);
    const [first] = world.queue.splice(0);
    if (!first) throw new Error("Nothing was queued");
    const cpu = countingCpu(openCpu(7 * unitsOf(body)));
    await handleMessage({ ...world.process().platform, cpu }, first.queued.message);
    expect(world.taken).toHaveLength(7);
    for (let runs = 0; world.queue.length > 0 && runs < 20; runs++) {
      const [next] = world.queue.splice(0, 1);
      const each = countingCpu(openCpu(7 * unitsOf(body)));
      if (next) await handleMessage({ ...world.process().platform, cpu: each }, next.queued.message);
      expect(each.units).toBeLessThan(8 * (unitsOf(body) + 150_000));
    }
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(Array(40).fill("SENT"));
    expect(new Set(world.taken.map(({ to }) => to.email)).size).toBe(40);
    expect(world.taken).toHaveLength(40);
  });

  it("a shared call has no more mails than a second composes", async () => {
    const [world, project] = [new World(), await newProject()];
    world.mailsPerCall = 100;
    const body = working(110_000);
    await send(world, project, 30, body);
    await world.drain();
    const most = Math.ceil(100_000_000 / unitsOf(body));
    expect(world.calls.length).toBeGreaterThanOrEqual(30 / most);
    for (const { emailIds } of world.calls) expect(emailIds.length).toBeLessThanOrEqual(most);
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(Array(30).fill("SENT"));
  });

  it("a job's run ends with the step that spends it, and another run goes on", async () => {
    const [world, project] = [new World(), await newProject()];
    await addContacts(project, 30);
    const { id } = await newCampaign(project);
    const { ctx } = await world.context(project);
    const jobId = await startPreflight({ ...ctx, origin: "https://petrel.example" }, readId(id));
    const job = { type: "campaigns.preflight" as const, projectId: project.number, jobId };
    world.queue = [];
    const found = async () => (await project.api.get(`/jobs/${publicId(jobId)}`)).body;
    await workOn({ ...ctx, cpu: openCpu(200_000) }, job, preflightStep, { stepsPerRun: 25 });
    expect((await found()).result.recipients).toBeLessThan(15);
    expect(world.queue.map(({ queued }) => queued.message)).toEqual([job]);
    await world.drain();
    expect(await found()).toMatchObject({ status: "completed", result: { recipients: 30 } });
  });

  it("an advance of a test clock ends with its run, and the next one goes on at the same instant", async () => {
    const clock = await newTestClock();
    const { project, world } = clock;
    const body = working(8_000);
    await send(world, project, 20, body);
    world.queue = [];
    const jobId = await startMove(clock, { advance: "1h" });
    let runs = 0;
    for (; world.queue.length > 0 && runs < 40; runs++) {
      const [next] = world.queue.splice(0, 1);
      const cpu = openCpu(4 * unitsOf(body));
      if (next) await handleMessage({ ...world.process().platform, cpu }, next.queued.message);
    }
    expect(await jobOf(clock, jobId)).toMatchObject({ status: "completed" });
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(Array(20).fill("DELIVERED"));
    expect(runs).toBeGreaterThan(1);
  });

  it("a shard ends its rounds when it is spent, and its alarm goes on", async () => {
    const [world, project] = [new World(), await newProject()];
    const data = { text: working(8_000) };
    const workflow = await newWorkflow(project, {
      steps: { first: ["UPDATE_CONTACT", { data }], second: ["UPDATE_CONTACT", { data }], exit: ["EXIT", {}] },
      ways: [
        ["TRIGGER", "first"],
        ["first", "second"],
        ["second", "exit"],
      ],
    });
    const contactId = newId();
    await project.db
      .prepare(
        `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
          VALUES (?, ?, 'ada@example.com', 1, '{}', 0, 0)`,
      )
      .bind(project.number, publicId(contactId))
      .run();
    const address = addressOf(project, contactId);
    // The test rings the alarm: by the real clock it is not due.
    world.now += 3_600_000;
    world.shardPlatform = () => ({ ...world.process().platform, cpu: openCpu(500_000) });
    const shard = world.process().platform.workflowShards.of(address);
    await shard.startMany(address, {
      ...{ workflowId: workflow.id, allowReentry: false, contactIds: [contactId], tick: 1 },
    });
    const status = async () => (await executionsOf(world, project, contactId)).map((one) => one.status);
    expect(await status()).toEqual(["RUNNING"]);
    expect(await world.ring(address)).toBe(true);
    expect(await status()).toEqual(["EXITED"]);
  });
});

/** Contacts of one shard, that a schedule starts. */
async function startInShard(
  world: World,
  project: TestProject,
  { id: workflowId }: TestWorkflow,
  { shard, people: count }: { shard: number; people: number },
) {
  const contactIds = Array.from({ length: count }, () => newId());
  await project.db
    .prepare(
      `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
        SELECT ?, value, 'p' || key || '@example.com', 1, '{}', 0, 0 FROM json_each(?)`,
    )
    .bind(project.number, JSON.stringify(contactIds))
    .run();
  const address = { project: project.number, shard };
  const start = () =>
    world
      .process()
      .platform.workflowShards.of(address)
      .startMany(address, { workflowId, allowReentry: false, contactIds, tick: 1 });
  return { address, contactIds, start };
}

const updating = (project: TestProject, data: object) =>
  newWorkflow(project, { steps: { note: ["UPDATE_CONTACT", { data }] }, ways: [["TRIGGER", "note"]] });

describe("a shard full of hostile executions", () => {
  it("lets the shards of others compute after the work of one mail, not after that of a hundred executions", async () => {
    const [world, hostile, neighbour] = [new World(), await newProject(), await newProject()];
    world.now += 3_600_000;
    const cpu = countingCpu();
    world.shardPlatform = () => ({ ...world.process().platform, cpu });
    const theirs = await updating(hostile, { text: working(70_000) });
    const crowd = await startInShard(world, hostile, theirs, { shard: 0, people: 20 });
    const one = await startInShard(world, neighbour, await updating(neighbour, { n: 1 }), { shard: 1, people: 1 });
    const all = crowd.start();
    while (cpu.units === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    const before = cpu.units;
    await one.start();
    const felt = cpu.units - before;
    await all;
    expect(cpu.units).toBeGreaterThan(20 * 5_000_000);
    expect(felt).toBeLessThanOrEqual(3 * 10_000_000);
    const count = await hostile.db
      .prepare("SELECT count(*) AS n FROM workflow_executions WHERE project_id = ? AND status = 'COMPLETED'")
      .bind(hostile.number)
      .first<number>("n");
    expect(count).toBe(20);
  });
});

describe("a shard that dies at a step", () => {
  it("does those that it died at one by one, and fails the one that it dies at a third time, as two may be deployments", async () => {
    const [world, project] = [new World(), await newProject()];
    world.now += 3_600_000;
    const workflow = await updating(project, { n: 1 });
    const { address, start } = await startInShard(world, project, workflow, { shard: 0, people: 3 });
    world.outShard = shardOfTest();
    await start();
    const step = workflow.steps.note;
    await runInDurableObject(shardStub(address), (_, { storage: { sql, kv } }) => {
      const ids = sql.exec("SELECT id FROM executions ORDER BY id").toArray();
      const [first = "", second = ""] = ids.map(({ id }) => `${id}:${step}`);
      // What an object leaves that dies at two of them, and the next ones that die at each alone: the first one twice.
      openDeaths(kv).begin([first, second]);
      openDeaths(kv).begin([second]);
      openDeaths(kv).begin([first]);
      openDeaths(kv).begin([first]);
    });
    await evictDurableObject(shardStub(address));
    world.outShard = null;
    world.now += 3_600_000;
    await world.ring(address);
    const ended = await runInDurableObject(shardStub(address), (_, { storage }) =>
      storage.sql.exec("SELECT status, error FROM executions ORDER BY status, id").toArray(),
    );
    expect(ended).toEqual([
      { status: "COMPLETED", error: null },
      { status: "COMPLETED", error: null },
      { status: "FAILED", error: expect.stringContaining("broke off three times") },
    ]);
    const left = await runInDurableObject(shardStub(address), (_, { storage }) => storage.kv.get("underWay") ?? null);
    expect(left).toBeNull();
  });
});

describe("one budget is for all that is rendered", () => {
  /** Together ten times what one budget has. */
  const strings = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, `{% for n in (1..1000) %}{% endfor %}${n}`]));

  it.each([
    ["UPDATE_CONTACT", { data: strings(60) }],
    ["WEBHOOK", { url: "https://example.com/", method: "POST", headers: strings(45), body: strings(780) }],
  ] as const)("of a step, however many strings its config has: %s", async (type, config) => {
    const [world, project] = [new World(), await newProject()];
    const costly = JSON.parse(JSON.stringify(config).replaceAll("1..1000", "1..20000"));
    const workflow = await newWorkflow(project, { steps: { work: [type, costly] }, ways: [["TRIGGER", "work"]] });
    const cpu = countingCpu();
    world.shardPlatform = () => ({ ...world.process().platform, cpu });
    const { contactIds, start } = await startInShard(world, project, workflow, { shard: 3, people: 1 });
    world.now += 3_600_000;
    await start();
    const [run] = await project.db
      .prepare("SELECT status, contact_id FROM workflow_executions WHERE project_id = ?")
      .bind(project.number)
      .all<{ status: string }>()
      .then(({ results }) => results);
    expect([run?.status, contactIds.length]).toEqual(["FAILED", 1]);
    expect(cpu.units).toBeLessThan(15_000_000);
  });

  it("of a simulation, however many steps it takes", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id: contactId } = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    const data = { text: "{% for n in (1..50000) %}{% endfor %}" };
    const workflow = await newWorkflow(project, {
      steps: {
        one: ["UPDATE_CONTACT", { data }],
        two: ["UPDATE_CONTACT", { data }],
        three: ["UPDATE_CONTACT", { data }],
      },
      ways: [
        ["TRIGGER", "one"],
        ["one", "two"],
        ["two", "three"],
      ],
    });
    world.queue = [];
    const simulate = () => project.api.post(`/workflows/${publicId(workflow.id)}/simulate`, { contactId });
    const { status, body } = await simulate();
    expect([status, body.status]).toEqual([200, "FAILED"]);
    expect(body.path.map((one: { outcome: string }) => one.outcome)).not.toEqual([]);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    forgetProjects();
    expect((await simulate()).status).toBe(200);
  });

  it("of a mail: its subject has what its body leaves", async () => {
    const [world, project] = [new World(), await newProject()];
    const loop = "{% for n in (1..70000) %}{% endfor %}";
    expect(unitsOf(loop)).toBeLessThan(10_000_000);
    const { ctx } = await world.context(project);
    const mail = { to: people(1), from: `hello@${project.domain}`, subject: `Hello${loop}`, body: `<p>${loop}</p>` };
    await sendEmails(ctx, SendEmail.parse(mail));
    await world.drain();
    expect(await emailRows(project)).toMatchObject([
      { status: "FAILED", error: expect.stringContaining("too much work for one email") },
    ]);
  });
});
