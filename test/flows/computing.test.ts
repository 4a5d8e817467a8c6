import { describe, expect, it } from "vitest";
import { type Cpu, openCpu } from "../../src/core/cpu";
import { newId, publicId, readId } from "../../src/core/ids";
import { Budget } from "../../src/core/templating/budget";
import { parseTemplate, renderTemplate } from "../../src/core/templating/render";
import type { EmailRow } from "../../src/db/tables";
import { workOn } from "../../src/engine/jobs/work";
import { composeRound } from "../../src/engine/mail/compose";
import { type Delivery, readDelivery } from "../../src/engine/mail/delivery";
import { startPreflight } from "../../src/features/campaigns/preflight/start";
import { preflightStep } from "../../src/features/campaigns/preflight/step";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import type { Context } from "../../src/platform/context";
import { handleMessage } from "../../src/queue";
import { addContacts, newCampaign } from "../support/campaign";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { StillClock } from "../support/still-clock";
import { jobOf, newTestClock, startMove } from "../support/test-clock";
import { addressOf, executionsOf, newWorkflow } from "../support/workflow";
import { World } from "../support/world";

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
    const { ready } = await composeRound(ctx, delivery, round);
    isOver = true;
    await neighbour;
    expect(ready).toHaveLength(round.length);
    return Math.max(...turns.slice(1).map((mails, place) => mails - (turns[place] ?? 0)));
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

describe("one budget is for all that is rendered", () => {
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
