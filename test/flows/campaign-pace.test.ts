import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { pauseCampaign } from "../../src/features/campaigns/pause";
import { resumeCampaign } from "../../src/features/campaigns/resume";
import { sendCampaign } from "../../src/features/campaigns/send";
import { addContacts, newCampaign } from "../support/campaign";
import type { Death } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { sample } from "../support/sample";
import { move, newTestClock } from "../support/test-clock";
import { accepts, World } from "../support/world";

/** What a turn that comes late may make up for: a quarter of a second's mails. */
const mostInSecond = (perSecond: number) => Math.max(1, Math.floor(1.25 * perSecond));

interface Scene {
  world: World;
  project: TestProject;
  /** When each mail was handed over, in milliseconds since the beginning. */
  times: number[];
  /** The messages that were queued, by type. */
  queued: string[];
  started: number;
}

async function scene(sendRatePerSecond: number | null, people: number): Promise<Scene> {
  const [world, project] = [new World(), await newProject({ sendRatePerSecond })];
  await addContacts(project, people);
  const [times, queued, started]: [number[], string[], number] = [[], [], world.now];
  world.answer = () => {
    times.push(world.now - started);
    return accepts();
  };
  const push = world.queue.push.bind(world.queue);
  world.queue.push = (...items) => {
    queued.push(...items.map(({ queued }) => queued.message.type));
    return push(...items);
  };
  return { world, project, times, queued, started };
}

async function send({ world, project }: Scene, fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = await newCampaign(project, fields);
  const { ctx } = await world.context(project);
  await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
  return id;
}

const minute = 60_000;

/** Lets seconds pass: each message is worked on when it is due, and cron ticks every minute. */
async function play({ world, started }: Scene, seconds: number): Promise<void> {
  const end = started + seconds * 1_000;
  for (;;) {
    await world.drain();
    const tick = started + minute * (1 + Math.floor((world.now - started) / minute));
    const next = Math.min(tick, ...world.queue.map(({ due }) => due));
    if (next > end) break;
    world.now = Math.max(world.now, next);
    if (next === tick) await world.sweep();
  }
  world.now = Math.max(world.now, end);
}

/** The most mails of any second, wherever it begins. */
function busiestSecond(times: number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

function expectOnce({ world }: Scene, mails: number): void {
  expect(world.taken).toHaveLength(mails);
  expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(mails);
}

async function campaign({ project }: Scene, id: string) {
  const { body } = await project.api.get(`/campaigns/${id}`);
  return body;
}

describe("a campaign of a project with a pace", () => {
  it("keeps to it, and is through in time", async () => {
    const here = await scene(10, 100);
    const id = await send(here);
    await play(here, 12);
    expectOnce(here, 100);
    expect(busiestSecond(here.times)).toBeLessThanOrEqual(mostInSecond(10));
    expect(Math.max(...here.times)).toBeGreaterThanOrEqual(8_500);
    expect(Math.max(...here.times)).toBeLessThanOrEqual(10_500);
    await play(here, 20);
    expect(await campaign(here, id)).toMatchObject({ status: "SENT", sentCount: 100 });
  });

  it("is as fast as before without one", async () => {
    const here = await scene(null, 100);
    await send(here);
    await play(here, 2);
    expectOnce(here, 100);
    expect(Math.max(...here.times)).toBeLessThan(1_000);
  });

  it.each([1, 3, 150, 400])("keeps to %i a second over several pages", async (perSecond) => {
    const mails = Math.min(800, perSecond * 30);
    const here = await scene(perSecond, mails);
    const id = await send(here);
    await play(here, (1.15 * mails) / perSecond + 3);
    expectOnce(here, mails);
    expect(busiestSecond(here.times)).toBeLessThanOrEqual(mostInSecond(perSecond));
    await play(here, (1.15 * mails) / perSecond + 65);
    expect((await campaign(here, id)).status).toBe("SENT");
  });

  it("shares it with the project's other campaigns", async () => {
    const here = await scene(10, 50);
    const ids = [await send(here), await send(here)];
    await play(here, 13);
    expectOnce(here, 100);
    expect(busiestSecond(here.times)).toBeLessThanOrEqual(mostInSecond(10));
    await play(here, 70);
    for (const id of ids) expect((await campaign(here, id)).status).toBe("SENT");
  });

  it("does not slow another project, nor its own other mail", async () => {
    const here = await scene(2, 40);
    const other = await newProject();
    await addContacts(other, 40);
    await send(here);
    await send({ ...here, project: other });
    await here.world.drain();
    const { ctx } = await here.world.context(here.project);
    expect(ctx.project.sendRatePerSecond).toBe(2);
    await play(here, 25);
    const toOther = here.world.taken.flatMap(({ from }, n) =>
      from.email.endsWith(other.domain) ? [here.times[n] ?? Number.NaN] : [],
    );
    expect(toOther).toHaveLength(40);
    expect(Math.max(...toOther)).toBeLessThan(2_500);
    expectOnce(here, 80);
  });

  it("stops at once when it is paused, and goes on at its pace", async () => {
    const here = await scene(10, 100);
    const id = await send(here);
    here.world.answer = async () => {
      here.times.push(here.world.now - here.started);
      if (here.times.length === 50) await pauseCampaign((await here.world.context(here.project)).ctx, readId(id));
      return accepts();
    };
    await play(here, 30);
    const paused = here.world.taken.length;
    // The rest of its round was handed over already.
    expect(paused).toBeGreaterThanOrEqual(50);
    expect(paused).toBeLessThanOrEqual(60);
    const resumedAt = here.world.now - here.started;
    await resumeCampaign((await here.world.context(here.project)).ctx, readId(id));
    await play(here, 40);
    expectOnce(here, 100);
    const after = here.times.slice(paused);
    expect(after[0]).toBeLessThan(resumedAt + 1_500);
    expect(Math.max(...after)).toBeLessThan(resumedAt + 6_500);
    expect(busiestSecond(here.times)).toBeLessThanOrEqual(mostInSecond(10));
    await play(here, 100);
    expect((await campaign(here, id)).status).toBe("SENT");
  });

  it("does not catch up after the provider was away", async () => {
    const here = await scene(5, 100);
    await send(here);
    const took = here.world.answer;
    here.world.answer = (message) => {
      const at = here.world.now - here.started;
      return at > 4_000 && at < 5 * minute ? { kind: "unavailable", reason: "down" } : took(message);
    };
    await play(here, 20 * 60);
    expectOnce(here, 100);
    expect(busiestSecond(here.times)).toBeLessThanOrEqual(mostInSecond(5));
  });

  it("keeps to the provider's pace too, where that is slower", async () => {
    const here = await scene(50, 60);
    here.world.paceRule = { perSecond: 4, transactionalShare: 0 };
    await send(here);
    await play(here, 20);
    expectOnce(here, 60);
    expect(Math.max(...here.times)).toBeGreaterThan(12_000);
  });

  it("is found again when every message was lost, and when the account's object forgot it", async () => {
    const here = await scene(1, 120);
    const id = await send(here);
    await play(here, 30);
    here.world.queue.length = 0;
    here.world.account = new World().account;
    await play(here, 5 * 60);
    expectOnce(here, 120);
    expect(busiestSecond(here.times)).toBeLessThanOrEqual(mostInSecond(1));
    expect((await campaign(here, id)).status).toBe("SENT");
  });

  it("does not wait on a clock of its own, which stands still", async () => {
    const clock = await newTestClock({ sendRatePerSecond: 1 });
    const { project, world } = clock;
    await addContacts(project, 20);
    const { id } = await newCampaign(project);
    const { ctx } = await world.context(project);
    await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
    await move(clock, { advance: "1m" });
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(Array(20).fill("DELIVERED"));
  });

  it("needs few messages, however slow it is", async () => {
    const here = await scene(1, 300);
    await send(here);
    await play(here, 60);
    const before = here.queued.length;
    await play(here, 180);
    const perMinute = (here.queued.length - before) / 2;
    expect(here.times.filter((at) => at >= minute && at < 3 * minute).length).toBeGreaterThan(100);
    expect(perMinute).toBeLessThanOrEqual(12);
  });

  it("needs few messages with fifty campaigns", async () => {
    const here = await scene(1, 12);
    for (let n = 0; n < 50; n++) await send(here);
    await play(here, 60);
    const before = here.queued.length;
    await play(here, 120);
    expect(here.queued.length - before).toBeLessThanOrEqual(120);
    expect(busiestSecond(here.times)).toBeLessThanOrEqual(1);
  });
});

describe("a paced run killed at any step", () => {
  const deaths: Death[] = Array.from({ length: 24 }, (_, n) => n + 1).flatMap((atStep) => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);
  const cases = deaths.map((death) => [`${death.when} step ${death.atStep}`, death] as const);

  it.each(sample(cases))("%s of the drainer: nobody is left out, nobody gets two", async (_, death) => {
    const here = await scene(4, 12);
    const id = await send(here);
    // The campaign's own message calls for the drainer.
    await here.world.runAndDie({ atStep: 1_000, when: "before" });
    const isDrainer = ({ queued }: World["queue"][number]) => queued.message.type === "mail.drain";
    here.world.queue.sort((a, b) => Number(isDrainer(b)) - Number(isDrainer(a)));
    expect(here.world.queue[0]?.queued.message.type).toBe("mail.drain");
    await here.world.runAndDie(death);
    await play(here, 10 * 60);
    const rows = await emailRows(here.project);
    expect(new Set(rows.map(({ to_email }) => to_email)).size).toBe(12);
    expect(rows).toHaveLength(12);
    for (const row of rows) {
      const copies = here.world.taken.filter(({ emailId }) => emailId === row.id).length;
      if (row.status === "SENT") expect(copies).toBe(1);
      else expect([row.status, copies <= 1]).toEqual(["UNKNOWN", true]);
    }
    expect(await campaign(here, id)).toMatchObject({ status: "SENT", totalRecipients: 12 });
    expect(busiestSecond(here.times)).toBeLessThanOrEqual(mostInSecond(4));
  });
});
