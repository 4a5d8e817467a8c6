import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { newAccount } from "../../src/core/mail/account";
import { redelivered } from "../../src/core/messages";
import { forgetProjects } from "../../src/engine/projects/cache";
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
import { sample } from "../support/sample";
import { newTemplate } from "../support/template";
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
async function deliver({ world, project }: { world: World; project: TestProject }, maxMinutes = 12): Promise<void> {
  await world.drain().catch(() => {});
  world.fault = null;
  const later = async (minutes: number) => {
    await world.pass(minutes, minutes).catch(() => {});
    await world.drain().catch(() => {});
  };
  for (let minutes = 0; minutes < maxMinutes && !(await isAtRest(world, project)); minutes++) await later(1);
  // Nothing comes after the end.
  await later(maxMinutes);
}

async function isAtRest(world: World, project: TestProject): Promise<boolean> {
  const isOpen = ({ status }: { status: string }) => !["SENT", "FAILED", "SUPPRESSED"].includes(status);
  return world.queue.length === 0 && !(await emailRows(project)).some(isOpen);
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
function faultAt(index: number, faults: FaultName[], isMeant: (trip: Trip) => boolean): DatabaseFault {
  let seen = 0;
  return new DatabaseFault(faults, (trip) => isMeant(trip) && ++seen >= index);
}

describe.each(providers)("a delivery by $name", (provider) => {
  const places = [1, 2, 3, 4, 5, 6];

  it.each(sample(faultNames.flatMap((fault) => places.map((index) => ({ fault, place: index })))))(
    "sends each mail once when trip $place has one fault: $fault",
    async ({ fault, place }) => {
      const { project, world } = await scene(provider);
      world.fault = faultAt(place, [fault], anyTrip);
      await deliver({ world, project });
      await expectAllSentOnce(world, project);
    },
  );

  it.each(sample(faultNames.flatMap((fault) => [1, 2, 3].map((index) => ({ fault, place: index })))))(
    "sends each mail once when every write from the write $place on has the fault: $fault",
    async ({ fault, place }) => {
      const { project, world } = await scene(provider);
      world.fault = faultAt(place, staying(fault), isWrite);
      await deliver({ world, project });
      await expectAllSentOnce(world, project);
    },
  );

  it("sends each mail once when its hand-over is committed and every trip after it fails", async () => {
    const { project, world } = await scene(provider);
    world.fault = faultAt(1, ["answer lost", ...staying("connection lost")], isWrite);
    await deliver({ world, project });
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
    await deliver({ world, project });
    await expectAllSentOnce(world, project);
  });

  it("is SENT only when they have theirs, also where they were given up meanwhile", async () => {
    const { project, world, id, kept } = await lostHandOver();
    await world.pass(6).catch(() => {});
    world.queue.push(...kept);
    await deliver({ world, project });
    await expectAllSentOnce(world, project);
    const { body } = await project.api.get(`/campaigns/${id}`);
    expect(body).toMatchObject({ status: "SENT", sentCount: recipients.length });
  });

  it("reaches nobody when it was cancelled meanwhile", async () => {
    const { project, world, id, kept } = await lostHandOver();
    await cancelCampaign((await world.context(project)).ctx, readId(id));
    await world.pass(3).catch(() => {});
    world.queue.push(...kept);
    await deliver({ world, project });
    expect(world.taken).toEqual([]);
    const rows = await emailRows(project);
    expect(rows.map(({ status }) => status)).toEqual(recipients.map(() => "CANCELLED"));
  });
});

describe.each([
  { name: "one mail a call", mailsPerCall: 1 },
  { name: "ten mails a call", mailsPerCall: 10 },
])("a delivery of several rounds whose first hand-over is partial, with $name", ({ mailsPerCall }) => {
  const many = Array.from({ length: 30 }, (_, index) => `person-${String(index).padStart(2, "0")}@example.com`);

  /** One of the first round is refused, because its address was suppressed after the mail had been accepted. */
  async function play(index: number, faults: FaultName[]) {
    const [project, world] = [await newProject(), new World()];
    Object.assign(world, { mailsPerCall });
    const { ctx } = await world.context(project);
    const call = { to: many, from: `hello@${project.domain}`, subject: "Hello", body: "<p>Hi</p>" };
    await sendEmails(ctx, SendEmail.parse(call));
    await project.api.post("/suppressions", { email: many[1] });
    let trips = 0;
    world.fault = new DatabaseFault(faults, () => ++trips >= index);
    await deliver({ world, project }, 4);
    return { project, world, trips };
  }

  async function expectOthersSentOnce({ project, world }: Awaited<ReturnType<typeof play>>, what: string) {
    const rows = await emailRows(project);
    const ended = rows.map(({ to_email, status }) => [to_email, status]);
    expect(ended, what).toEqual(many.map((to) => [to, to === many[1] ? "SUPPRESSED" : "SENT"]));
    expect(world.taken.map(({ to }) => to.email).sort(), what).toEqual(many.filter((to) => to !== many[1]));
  }

  it.each([1, 3])(
    "sends each mail once when %d trips in a row fail, reads among them, from each trip on",
    async (times) => {
      const good = await play(1, []);
      await expectOthersSentOnce(good, "no fault");
      for (let index = 1; index <= good.trips; index++) {
        const faults = Array.from({ length: times }, (): FaultName => "connection lost");
        await expectOthersSentOnce(await play(index, faults), `from trip ${index}`);
      }
    },
  );
});

describe("while the queue is away with the database", () => {
  /** The hand-over is committed and its answer lost; then neither answers for so long. */
  async function play(seconds: number) {
    const { project, world } = await scene({ name: "SES", idempotencyWindowMs: 0, mailsPerCall: 1 });
    const begunAt = world.now;
    const lost = faultAt(1, ["answer lost", ...staying("connection lost")], isWrite);
    world.fault = {
      meet: (trip, make) => {
        if (world.now - begunAt < seconds * 1_000) {
          world.outage = "queue";
          return lost.meet(trip, make);
        }
        world.outage = null;
        return make();
      },
    };
    await world.drain().catch(() => {});
    world.outage = null;
    return { project, world, waited: world.now - begunAt };
  }

  it("writes down that it made no call as soon as the database is back, for half a minute", async () => {
    const { project, world, waited } = await play(25);
    expect(waited).toBeGreaterThan(25_000);
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(recipients.map(() => "QUEUED"));
    await deliver({ world, project });
    await expectAllSentOnce(world, project);
  });

  it("logs which mail it could not write down when it gives up", async () => {
    const { project, world, waited } = await play(600);
    expect(waited).toBeGreaterThan(31_000);
    expect(waited).toBeLessThan(40_000);
    expect(world.logged).toContain("The outcome of some mail was lost: neither the database nor the queue answers");
    const ids = (await emailRows(project)).map(({ id }) => id);
    const index = world.logged.findIndex((message) => message.includes("was lost: neither"));
    expect(world.loggedDetails[index]).toMatchObject({ results: [], uncalled: ids, noted: [] });
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
    expect(await mostAbandonments(project)).toBe(0);
  });

  it("is not abandoned when nothing can be read after its row has noted a try, also MARKETING mail", async () => {
    const [project, world] = [await newProject(), new World()];
    world.settings = { PUBLIC_URL: "https://petrel.example" };
    const { id: template } = await newTemplate(project, { type: "MARKETING" });
    for (const email of recipients) await project.api.post("/contacts", { email });
    const { ctx } = await world.context(project);
    await sendEmails(ctx, SendEmail.parse({ to: recipients, template }));
    const first = [...world.queue];
    for (let times = 0; times < 2; times++) {
      comeAgain(world, first);
      let reads = 0;
      let hasNoted = false;
      world.fault = {
        meet: async (trip, make) => {
          // By now the cached project is too old, and whether its mail is paused is read again.
          if (hasNoted && !trip.writes) {
            reads += 1;
            throw new Error("D1_ERROR: Network connection lost.");
          }
          const made = await make();
          if (trip.sql.some((text) => text.includes("abandonments = abandonments + 1"))) {
            hasNoted = true;
            world.now += 31_000;
          }
          return made;
        },
      };
      await world.drain().catch(() => {});
      expect(reads).toBeGreaterThan(0);
      world.fault = null;
      expect(await mostAbandonments(project)).toBe(0);
    }
    await deliver({ world, project });
    await expectAllSentOnce(world, project);
  });

  it("is not abandoned when its files are out of reach and the database fails at the next mail", async () => {
    const [project, world] = [await newProject(), new World()];
    const { ctx } = await world.context(project);
    const call = { to: recipients, from: `hello@${project.domain}`, subject: "Hello" };
    await sendEmails(ctx, SendEmail.parse({ ...call, body: `<p>${"long ".repeat(20_000)}</p>` }));
    const first = [...world.queue];
    for (let times = 0; times < 2; times++) {
      comeAgain(world, first);
      world.outage = "files";
      // The first mail is noted and cannot be composed; the note of the second one fails.
      world.fault = faultAt(2, staying("overloaded"), isWrite);
      await world.drain().catch(() => {});
      [world.fault, world.outage] = [null, null];
      // What the consumer left to the queue, without the mail itself.
      world.queue = world.queue.filter(({ queued }) => queued.message.type === "mail.settle");
      await world.drain();
      expect(await mostAbandonments(project)).toBe(0);
    }
    await deliver({ world, project });
    await expectAllSentOnce(world, project);
  });

  it("is not abandoned when it is held as often as its message comes", async () => {
    const [project, world] = [await newProject(), new World()];
    world.settings = { PUBLIC_URL: "https://petrel.example" };
    const { id: template } = await newTemplate(project, { type: "MARKETING" });
    for (const email of recipients) await project.api.post("/contacts", { email });
    const { ctx } = await world.context(project);
    await sendEmails(ctx, SendEmail.parse({ to: recipients, template }));
    const first = [...world.queue];
    for (let times = 0; times < 3; times++) {
      await setPaused(project, "Too many complaints");
      comeAgain(world, first);
      await world.drain();
      expect(await mostAbandonments(project)).toBe(0);
      await setPaused(project, null);
      await project.db
        .prepare("UPDATE emails SET next_attempt_at = ?, due_at = ? WHERE project_id = ?")
        .bind(world.now, world.now, project.number)
        .run();
    }
    await deliver({ world, project });
    await expectAllSentOnce(world, project);
  });
});

/** These messages alone come once more, as after the death of a consumer, to an account that nobody waits for. */
function comeAgain(world: World, messages: World["queue"]): void {
  world.account = newAccount();
  world.queue = messages.map(({ queued }) => ({
    queued: { ...queued, message: redelivered(queued.message) },
    due: world.now,
  }));
}

async function setPaused({ number }: TestProject, reason: string | null): Promise<void> {
  const pause =
    "UPDATE projects SET sending_paused_reason = ?1, sending_paused_at = iif(?1 IS NULL, NULL, 1) WHERE number = ?2";
  await env.DB.prepare(pause).bind(reason, number).run();
  forgetProjects();
}

async function mostAbandonments(project: TestProject): Promise<number | null> {
  return project.db
    .prepare("SELECT max(abandonments) AS most FROM emails WHERE project_id = ?")
    .bind(project.number)
    .first<number>("most");
}
