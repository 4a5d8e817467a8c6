import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { cancelCampaign } from "../../src/features/campaigns/cancel";
import { sendCampaign } from "../../src/features/campaigns/send";
import { upsertContact } from "../../src/features/contacts/upsert";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { newCampaign } from "../support/campaign";
import { DatabaseFault, type FaultName, faultNames, staying } from "../support/database-fault";
import type { Trip } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { emailRows, eventCounts } from "../support/rows";
import { World } from "../support/world";

const recipients = ["ada@example.com", "bob@example.com", "cyd@example.com"];
const dayMs = 24 * 60 * 60_000;

/** How a provider takes mail: whether it recognises a repeated call, and how many mails a call has. */
const providers = [
  { name: "SES", idempotencyWindowMs: 0, mailsPerCall: 1 },
  { name: "Postmark", idempotencyWindowMs: 0, mailsPerCall: 100 },
  { name: "Resend", idempotencyWindowMs: dayMs, mailsPerCall: 100 },
];

async function scene({ idempotencyWindowMs, mailsPerCall }: (typeof providers)[number]) {
  const [project, world] = [await newProject(), new World()];
  Object.assign(world, { idempotencyWindowMs, mailsPerCall });
  const { ctx } = await world.context(project);
  const call = { to: recipients, from: `hello@${project.domain}`, subject: "Hello", body: "<p>{{ email }}</p>" };
  await sendEmails(ctx, SendEmail.parse(call));
  return { project, world };
}

/** The first message, whose consumer lives on after an error, and what comes after it while time passes. */
async function deliver(world: World): Promise<void> {
  await world.drain().catch(() => {});
  world.fault = null;
  for (let minutes = 0; minutes < 12; minutes++) {
    await world.pass(1).catch(() => {});
    await world.drain().catch(() => {});
  }
}

async function expectAllSentOnce(world: World, project: TestProject): Promise<void> {
  const rows = await emailRows(project);
  expect(rows.map(({ to_email, status }) => [to_email, status])).toEqual(recipients.map((to) => [to, "SENT"]));
  for (const { id } of rows) expect(world.taken.filter(({ emailId }) => emailId === id)).toHaveLength(1);
  expect(await eventCounts(project)).toMatchObject({ "email.sent": recipients.length });
}

const isWrite = ({ writes }: Trip) => writes;
const anyTrip = () => true;

/** The n-th of the trips that the condition names fails, and then each for as long as the faults last. */
function faultAt(place: number, faults: FaultName[], isMeant: (trip: Trip) => boolean): DatabaseFault {
  let seen = 0;
  return new DatabaseFault(faults, (trip) => isMeant(trip) && ++seen >= place);
}

describe.each(providers)("a delivery by $name", (provider) => {
  const places = [1, 2, 3, 4, 5, 6];

  it.each(faultNames.flatMap((fault) => places.map((place) => ({ fault, place }))))(
    "sends each mail once when trip $place has one fault: $fault",
    async ({ fault, place }) => {
      const { project, world } = await scene(provider);
      world.fault = faultAt(place, [fault], anyTrip);
      await deliver(world);
      await expectAllSentOnce(world, project);
    },
  );

  it.each(faultNames.flatMap((fault) => [1, 2, 3].map((place) => ({ fault, place }))))(
    "sends each mail once when every write from the write $place on has the fault: $fault",
    async ({ fault, place }) => {
      const { project, world } = await scene(provider);
      world.fault = faultAt(place, staying(fault), isWrite);
      await deliver(world);
      await expectAllSentOnce(world, project);
    },
  );

  it("sends each mail once when its hand-over is committed and every trip after it fails", async () => {
    const { project, world } = await scene(provider);
    world.fault = faultAt(1, ["answer lost", ...staying("connection lost")], isWrite);
    await deliver(world);
    await expectAllSentOnce(world, project);
  });

  it("sends each mail once when a sweep has given it up before the database lets its consumer speak", async () => {
    const { project, world } = await scene(provider);
    world.fault = faultAt(1, ["answer lost", ...staying("connection lost")], isWrite);
    await world.drain().catch(() => {});
    world.fault = null;
    const kept = world.queue.filter(({ queued }) => queued.message.type === "mail.settle");
    expect(kept).toHaveLength(1);
    world.queue = [];
    await world.pass(5);
    world.queue.push(...kept);
    await world.drain();
    await world.pass(5);
    await expectAllSentOnce(world, project);
  });
});

describe("a campaign whose hand-over was committed and not called for", () => {
  async function lostHandOver() {
    const [project, world] = [await newProject(), new World()];
    const { ctx } = await world.context(project);
    for (const email of recipients) await upsertContact(ctx, { email });
    const { id } = await newCampaign(project);
    world.now += 1_000;
    await sendCampaign({ ...(await world.context(project)).ctx, origin: "https://petrel.example" }, readId(id), {});
    const isHandOver = ({ sql }: Trip) => sql.some((text) => text.includes("SET status = 'SENDING', round"));
    let hasBegun = false;
    world.fault = new DatabaseFault(["answer lost", ...staying("connection lost")], (trip) => {
      hasBegun ||= isHandOver(trip);
      return hasBegun && trip.writes;
    });
    await world.drain().catch(() => {});
    expect(hasBegun).toBe(true);
    world.fault = null;
    const kept = world.queue.filter(({ queued }) => queued.message.type === "mail.settle");
    world.queue = world.queue.filter((one) => !kept.includes(one));
    return { project, world, id, kept };
  }

  it("reaches everybody once", async () => {
    const { project, world, kept } = await lostHandOver();
    world.queue.push(...kept);
    await deliver(world);
    await expectAllSentOnce(world, project);
  });

  it("is SENT only when they have theirs, also where they were given up meanwhile", async () => {
    const { project, world, id, kept } = await lostHandOver();
    await world.pass(6).catch(() => {});
    world.queue.push(...kept);
    await deliver(world);
    await expectAllSentOnce(world, project);
    const { body } = await project.api.get(`/campaigns/${id}`);
    expect(body).toMatchObject({ status: "SENT", sentCount: recipients.length });
  });

  it("reaches nobody when it was cancelled meanwhile", async () => {
    const { project, world, id, kept } = await lostHandOver();
    await cancelCampaign((await world.context(project)).ctx, readId(id));
    await world.pass(3).catch(() => {});
    world.queue.push(...kept);
    await deliver(world);
    expect(world.taken).toEqual([]);
    const rows = await emailRows(project);
    expect(rows.map(({ status }) => status)).toEqual(recipients.map(() => "CANCELLED"));
  });
});

describe("healthy mail", () => {
  it("never becomes FAILED by hiccups of the database, however often its message comes again", async () => {
    const { project, world } = await scene({ name: "SES", idempotencyWindowMs: 0, mailsPerCall: 1 });
    for (let times = 0; times < 6; times++) {
      const faults: FaultName[] = ["connection lost", "connection lost", "connection lost"];
      world.fault = faultAt(times % 2 === 0 ? 2 : 1, faults, isWrite);
      await world.drain().catch(() => {});
      world.now += 60_000;
    }
    world.fault = null;
    await world.pass(10).catch(() => {});
    await expectAllSentOnce(world, project);
  });

  it("has no death noted by a consumer that lived, also while the database is away", async () => {
    const { project, world } = await scene({ name: "SES", idempotencyWindowMs: 0, mailsPerCall: 1 });
    for (let times = 0; times < 4; times++) {
      // The message comes again, so the row notes a try; then the hand-over and all that would take the note back fail.
      world.queue = world.queue.map((one) => ({ ...one, due: world.now }));
      world.fault = faultAt(2, staying("connection lost"), isWrite);
      await world.drain().catch(() => {});
      world.fault = null;
      await world.drain().catch(() => {});
    }
    await world.pass(10).catch(() => {});
    await expectAllSentOnce(world, project);
    const noted = await project.db
      .prepare("SELECT max(abandonments) AS most FROM emails WHERE project_id = ?")
      .bind(project.number)
      .first<number>("most");
    expect(noted).toBe(0);
  });
});
