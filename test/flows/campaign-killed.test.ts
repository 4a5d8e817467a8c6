import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import type { MessageOf } from "../../src/core/messages";
import { cancelCampaign } from "../../src/features/campaigns/cancel";
import { pauseCampaign } from "../../src/features/campaigns/pause";
import { resumeCampaign } from "../../src/features/campaigns/resume";
import { sendCampaign } from "../../src/features/campaigns/send";
import { handleMessage } from "../../src/queue";
import { addContacts, newCampaign } from "../support/campaign";
import { type Death, wasKilled } from "../support/killable";
import { recounted, storedCounts } from "../support/ledger";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { sample } from "../support/sample";
import { World } from "../support/world";

/** More steps than a run takes: the last deaths never come, and must change nothing. */
const deaths: Death[] = Array.from({ length: 16 }, (_, n) => n + 1).flatMap((atStep) => [
  { atStep, when: "before" },
  { atStep, when: "after" },
]);
const name = ({ atStep, when }: Death) => `${when} step ${atStep}`;
const cases = deaths.map((death) => [name(death), death] as const);

async function scene(fields: Record<string, unknown> = {}, people = 6) {
  const [world, project] = [new World(), await newProject()];
  await addContacts(project, people);
  const { id } = await newCampaign(project, fields);
  return { world, project, id };
}

async function send(world: World, project: TestProject, id: string, death?: Death): Promise<boolean> {
  const { ctx } = await world.context(project, death);
  return sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {}).then(
    () => true,
    (error: unknown) => {
      if (wasKilled(error)) return false;
      throw error;
    },
  );
}

function run({ number }: TestProject, id: string): MessageOf<"campaigns.run"> {
  return { type: "campaigns.run", projectId: number, campaignId: readId(id) };
}

/** Each recipient has one row in one final state, the provider saw nobody twice, and the counters are what a recount finds. */
async function expectWhole(world: World, project: TestProject, id: string, { people, status }: Wanted): Promise<void> {
  const rows = await emailRows(project);
  expect(new Set(rows.map(({ to_email }) => to_email)).size).toBe(people);
  expect(rows).toHaveLength(people);
  for (const row of rows) {
    const copies = world.taken.filter(({ emailId }) => emailId === row.id).length;
    expect(copies).toBeLessThanOrEqual(1);
    if (row.status === "SENT") expect(copies).toBe(1);
    else if (status === "CANCELLED" && row.status === "CANCELLED") expect(copies).toBe(0);
    else expect(row.status).toBe("UNKNOWN");
  }
  const { body } = await project.api.get(`/campaigns/${id}`);
  expect(body).toMatchObject({ status, totalRecipients: people });
  const campaign = { id: readId(id), pages: [], emailIds: [] };
  expect(await storedCounts(world, project, campaign)).toEqual(await recounted(project, campaign));
}

interface Wanted {
  people: number;
  status: "SENT" | "CANCELLED";
}

describe("a call to send killed at any step", () => {
  it.each(sample(cases.slice(0, 14)))("%s: all or nothing", async (_, death) => {
    const { world, project, id } = await scene();
    await send(world, project, id, death);
    const { body } = await project.api.get(`/campaigns/${id}`);
    await world.pass(4);
    if (body.status === "SENDING") await expectWhole(world, project, id, { people: 6, status: "SENT" });
    else {
      expect([body.status, (await emailRows(project)).length, world.taken.length]).toEqual(["DRAFT", 0, 0]);
      expect(await send(world, project, id)).toBe(true);
      await world.pass(4);
      await expectWhole(world, project, id, { people: 6, status: "SENT" });
    }
  });
});

describe("a run killed at any step", () => {
  it.each(sample(cases))("%s: nobody is left out, nobody gets two", async (_, death) => {
    const { world, project, id } = await scene();
    await send(world, project, id);
    await world.runAndDie(death);
    await world.pass(5);
    await expectWhole(world, project, id, { people: 6, status: "SENT" });
  });

  it.each(sample(cases.slice(0, 20)))("%s, with variants and a canary", async (_, death) => {
    const variants = ["a", "b"].map((name) => ({ name, weight: 1 }));
    const { world, project, id } = await scene({ variants, canary: { percent: 20, holdMinutes: 1 } }, 12);
    world.answer = () => ({ kind: "accepted", providerMessageId: "m", reports: [{ kind: "delivered" }] as never });
    await send(world, project, id);
    await world.runAndDie(death);
    await world.pass(8);
    const { body } = await project.api.get(`/campaigns/${id}`);
    expect(body).toMatchObject({ status: "SENT", totalRecipients: 12, sentCount: 12, heldReason: null });
    expect(new Set(world.taken.map(({ to }) => to.email)).size).toBe(12);
    expect(world.taken).toHaveLength(12);
  });

  it.each(sample(cases.slice(0, 16)))("%s, while it cancels", async (_, death) => {
    const { world, project, id } = await scene();
    await send(world, project, id);
    let answered = 0;
    world.answer = async () => {
      answered += 1;
      if (answered === 2) await cancelCampaign((await world.context(project)).ctx, readId(id));
      return { kind: "accepted", providerMessageId: "m", reports: [] };
    };
    await world.drain();
    world.queue.unshift({
      queued: { message: run(project, id) },
      due: world.now,
    });
    await world.runAndDie(death);
    await world.pass(5);
    await expectWhole(world, project, id, { people: 6, status: "CANCELLED" });
  });
});

describe("a release of several pages killed at any step", () => {
  const people = 1_100;

  it.each(sample(cases.slice(6, 12)))("%s: what is out goes out, and the rest follows", async (_, death) => {
    const { world, project, id } = await scene({}, people);
    world.mailsPerCall = 500;
    await send(world, project, id);
    // The ledger is written, and all of its pages are taken back.
    await handleMessage(world.process().platform, run(project, id));
    await pauseCampaign((await world.context(project)).ctx, readId(id));
    await resumeCampaign((await world.context(project)).ctx, readId(id));
    world.queue = [{ queued: { message: run(project, id) }, due: world.now }];
    await world.runAndDie(death);
    await world.pass(5);
    await expectWhole(world, project, id, { people, status: "SENT" });
  });
});

describe("messages", () => {
  it("may all come twice", async () => {
    const { world, project, id } = await scene({}, 30);
    await send(world, project, id);
    for (let turn = 0; turn < 200 && world.queue.length > 0; turn++) {
      const [first] = world.queue;
      if (first) world.queue.splice(1, 0, { ...first });
      world.now = Math.max(world.now, first?.due ?? 0);
      const before = world.queue.length;
      await world.drain();
      if (world.queue.length === before) break;
    }
    await world.pass(4);
    await expectWhole(world, project, id, { people: 30, status: "SENT" });
  });

  it("may all be lost", async () => {
    const { world, project, id } = await scene({}, 10);
    await send(world, project, id);
    for (let minute = 0; minute < 20; minute++) {
      world.queue.length = 0;
      await world.pass(1);
    }
    await expectWhole(world, project, id, { people: 10, status: "SENT" });
  });
});
