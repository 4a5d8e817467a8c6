import { describe, expect, it } from "vitest";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { newTemplate } from "../support/template";
import { accepts, World } from "../support/world";

const minuteMs = 60_000;

async function send(world: World, project: TestProject, mails: number, template?: string): Promise<void> {
  const { ctx } = await world.context(project);
  const to = Array.from({ length: mails }, (_, index) => `r${index}@example.com`);
  const content = template ? { template } : { from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
  await sendEmails(ctx, SendEmail.parse({ to, ...content }));
}

async function statuses(project: TestProject): Promise<Record<string, number>> {
  const { results } = await project.db
    .prepare("SELECT status, count(*) AS n FROM emails WHERE project_id = ? GROUP BY status")
    .bind(project.number)
    .all<{ status: string; n: number }>();
  return Object.fromEntries(results.map(({ status, n }) => [status, n]));
}

const threw = async () => {
  throw new Error("The network is gone");
};
const unavailable = () => ({ kind: "unavailable" as const, reason: "503" });
const blocked = () => ({ kind: "blocked" as const, reason: "401" });

describe.each([
  ["gives no answer", threw],
  ["answers 503", unavailable],
  ["refuses the account", blocked],
] as const)("an hour in which the provider %s", (what, answer) => {
  it("costs some calls, and nothing for the mail that waits; then all of it leaves at full pace", async (test) => {
    const project = await newProject();
    const world = new World();
    world.answer = answer;
    const mails = 600;
    for (let sent = 0; sent < mails; sent += 300) await send(world, project, 300);
    await world.drain();
    await world.pass(1);
    const before = { rows: world.rowsWritten, calls: world.calls.length };
    let messages = 0;
    for (let minute = 1; minute < 60; minute++) {
      world.now += minuteMs;
      await world.sweep();
      messages += world.queue.length;
      await world.drain();
    }
    const cost = { rows: world.rowsWritten - before.rows, calls: world.calls.length - before.calls, messages };
    const lost = (await statuses(project)).UNKNOWN ?? 0;
    test.annotate(`${what}: ${JSON.stringify(cost)}, ${lost} UNKNOWN of ${mails}`);
    // One probe for each pause, and what a probe writes. The mail itself could be a million.
    expect(cost.calls).toBeLessThanOrEqual(10);
    expect(cost.rows).toBeLessThanOrEqual(10 * 12);
    expect(cost.messages).toBeLessThanOrEqual(2 * 60);
    expect(lost).toBeLessThanOrEqual(what === "gives no answer" ? 5 + 10 : 0);

    world.answer = accepts;
    const healed = world.now;
    for (let minute = 0; minute < 15 && ((await statuses(project)).QUEUED ?? 0) > 0; minute++) await world.pass(1);
    expect(await statuses(project)).toEqual({ SENT: mails - lost, ...(lost > 0 && { UNKNOWN: lost }) });
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(world.taken.length);
    // The longest pause, and no more than a few minutes of sweeps.
    expect(world.now - healed).toBeLessThanOrEqual(12 * minuteMs);
  });
});

describe.each([
  ["recognises no repeated call", 0],
  ["recognises a repeated call for a day", 24 * 60 * minuteMs],
] as const)("an hour without an answer of a provider that takes a hundred mails a call and %s", (_, windowMs) => {
  it.each([
    ["transactional", "TRANSACTIONAL"],
    ["campaign", "HEADLESS"],
  ] as const)("costs three calls, and then one mail for each probe of the %s lane", async (_, type) => {
    const project = await newProject();
    const world = new World();
    Object.assign(world, { answer: threw, mailsPerCall: 100, idempotencyWindowMs: windowMs });
    const { id } = await newTemplate(project, { type });
    await send(world, project, 300, id);
    await world.drain();
    // These were accepted later than the others may be tried again, so they come behind them.
    world.now += 20_000;
    await send(world, project, 200, id);
    await world.drain();
    const before = { calls: world.calls.length, rows: world.rowsWritten };
    expect(world.calls.map(({ emailIds }) => emailIds.length)).toEqual([100, 100, 100]);
    await world.pass(60);
    const probes = world.calls.slice(before.calls).map(({ emailIds }) => emailIds);
    expect(probes.length).toBeGreaterThanOrEqual(5);
    expect(probes.map((emailIds) => emailIds.length)).toEqual(probes.map(() => 1));
    // Each is a mail of its own, so that none uses up its tries.
    expect(new Set(probes.flat()).size).toBe(probes.length);
    const rows = await emailRows(project);
    expect(rows.filter(({ attempts }) => attempts === 1)).toHaveLength(300 + probes.length);
    expect(rows.filter(({ attempts, status }) => attempts === 0 && status === "QUEUED")).toHaveLength(
      200 - probes.length,
    );
    expect(world.rowsWritten - before.rows).toBeLessThanOrEqual(probes.length * 20);
    const lost = windowMs === 0 ? 300 + probes.length : 0;
    expect((await statuses(project)).UNKNOWN ?? 0).toBe(lost);

    world.answer = accepts;
    await world.pass(15);
    expect(await statuses(project)).toEqual({ SENT: 500 - lost, ...(lost > 0 && { UNKNOWN: lost }) });
  });
});

it("holds up one lane, and not the other", async () => {
  const project = await newProject();
  const world = new World();
  world.answer = async ({ type }) => {
    if (type === "TRANSACTIONAL") throw new Error("The network is gone");
    return accepts();
  };
  await send(world, project, 20);
  await world.drain();
  const { body } = await project.api.post("/templates", {
    ...{ name: "News", subject: "News", body: "News", type: "HEADLESS", from: `hi@${project.domain}` },
  });
  const other = await newProject();
  const { ctx } = await world.context(project);
  await sendEmails(ctx, SendEmail.parse({ to: "ada@example.com", template: body.id }));
  await world.drain();
  await world.pass(2);
  expect(world.taken.map(({ type }) => type)).toEqual(["HEADLESS"]);
  // Another project's transactional mail waits too: the account is one.
  await send(world, other, 1);
  await world.drain();
  expect(await statuses(other)).toEqual({ QUEUED: 1 });
});
