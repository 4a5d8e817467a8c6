import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newId, publicId, readId } from "../../src/core/ids";
import { lookUpUnknown } from "../../src/engine/mail/deliver/look-up-unknown";
import { sendCampaign } from "../../src/features/campaigns/send";
import { retryEmail } from "../../src/features/emails/retry";
import { takeReport } from "../../src/features/hooks/take-report";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { addContacts, newCampaign } from "../support/campaign";
import type { Death } from "../support/killable";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { postmarkDouble, sesDouble } from "../support/provider-doubles";
import { emailRows, eventCounts } from "../support/rows";
import { sample } from "../support/sample";
import { accepts, World, withMailer } from "../support/world";

const minuteMs = 60_000;
const people = (count: number) => Array.from({ length: count }, (_, index) => `r${index}@example.com`);

interface Scene {
  world: World;
  project: TestProject;
}

// A sweep is over all projects: what a test leaves uncertain is none of the next one's.
afterEach(async () => {
  for (const { db } of scenes.splice(0)) {
    await db.prepare("UPDATE emails SET look_up_at = NULL WHERE look_up_at IS NOT NULL").run();
  }
});
const scenes: TestProject[] = [];

const threw = async () => {
  throw new Error("The network is gone");
};

async function open(): Promise<Scene> {
  const scene = { world: new World(), project: await newProject() };
  scenes.push(scene.project);
  return scene;
}

/** A call of several mails that got no answer, and a provider that can be asked about it. */
async function lost(mails: number, lookUp: World["lookUp"] = () => ({})): Promise<Scene> {
  const { world, project } = await open();
  Object.assign(world, { mailsPerCall: 100, lookUp, answer: threw });
  const { ctx } = await world.context(project);
  const mail = { to: people(mails), from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
  await sendEmails(ctx, SendEmail.parse(mail));
  await world.drain();
  expect(await statuses(project)).toEqual({ UNKNOWN: mails });
  world.answer = accepts;
  return { world, project };
}

async function statuses(project: TestProject): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of await emailRows(project)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** What the provider says when it has all of these emails. */
const has = (ids: string[]) => () => Object.fromEntries(ids.map((id, index) => [publicId(readId(id)), `pm-${index}`]));

async function records({ api }: TestProject) {
  return (await api.get("/emails")).body.data as {
    id: string;
    status: string;
    settledBy: string | null;
    providerMessageId: string | null;
  }[];
}

const idsOf = async (project: TestProject) => (await emailRows(project)).map(({ id }) => id);

const reportOf = ({ world, project }: Scene, id: string) =>
  takeReport(world.process().platform, "double", {
    ...{ tag: `${project.id}_${publicId(readId(id))}`, providerMessageId: "pm-r", id: null },
    report: { kind: "delivered" },
  });

describe("mail whose outcome is unknown, at a provider that can be asked", () => {
  it("is SENT once the provider has it: one question for all mails of a call, and one event each", async () => {
    const { world, project } = await lost(20);
    world.lookUp = has(await idsOf(project));
    await world.pass(1);
    expect(world.lookedUp).toEqual([]);
    await world.pass(90, 5);
    expect(world.lookedUp).toEqual([world.calls[0]?.key]);
    expect(world.calls).toHaveLength(1);
    const found = await records(project);
    expect(new Set(found.map(({ status, settledBy }) => `${status} ${settledBy}`))).toEqual(new Set(["SENT lookup"]));
    expect(new Set(found.map(({ providerMessageId }) => providerMessageId)).size).toBe(20);
    expect(await eventCounts(project)).toEqual({ "email.sent": 20 });
  });

  it("is sent in its own row after three answers without it, the last an hour after the call", async () => {
    const { world, project } = await lost(3);
    const before = await idsOf(project);
    await world.pass(58, 2);
    expect(world.lookedUp).toHaveLength(2);
    expect(await statuses(project)).toEqual({ UNKNOWN: 3 });
    await world.pass(5);
    expect(world.lookedUp).toHaveLength(3);
    expect(world.taken).toHaveLength(3);
    expect((await records(project)).map(({ status, settledBy }) => [status, settledBy])).toEqual(
      Array(3).fill(["SENT", "lookup"]),
    );
    expect(await idsOf(project)).toEqual(before);
    expect(await eventCounts(project)).toEqual({ "email.sent": 3 });
    await world.pass(90, 5);
    expect(world.taken).toHaveLength(3);
    expect(world.lookedUp).toHaveLength(3);
  });

  it("is told apart within a call: what is there is SENT, and the rest goes again", async () => {
    const { world, project } = await lost(3);
    const [first = ""] = await idsOf(project);
    world.lookUp = has([first]);
    await world.pass(66, 3);
    expect(await statuses(project)).toEqual({ SENT: 3 });
    expect(world.taken.map(({ emailId }) => emailId)).not.toContain(publicId(readId(first)));
    expect(world.taken).toHaveLength(2);
  });

  it("is UNKNOWN anew when its second call gets no answer either, and is asked for again", async () => {
    const { world, project } = await lost(1);
    world.answer = threw;
    await world.pass(63, 3);
    expect(world.calls).toHaveLength(2);
    expect((await records(project)).map(({ status, settledBy }) => [status, settledBy])).toEqual([["UNKNOWN", null]]);
    world.answer = accepts;
    await world.pass(70, 5);
    expect(await statuses(project)).toEqual({ SENT: 1 });
    expect(world.taken).toHaveLength(1);
  });

  it("uses up no try while the provider cannot be asked, and is not asked for after a day", async () => {
    const { world, project } = await lost(2);
    world.lookUp = () => {
      throw new Error("Out of reach");
    };
    const rows = world.rowsWritten;
    const passes = async (minutes: number, step: number) => {
      for (let passed = 0; passed < minutes; passed += step) {
        world.now += step * minuteMs;
        await lookUpUnknown(world.process().platform);
      }
    };
    await passes(64, 4);
    await passes(24 * 60 - 64, 16);
    expect(await statuses(project)).toEqual({ UNKNOWN: 2 });
    // 4, 8, 16 … 1,024 minutes after the call. Each writes two rows, and an entry of the index for each.
    expect(world.lookedUp).toHaveLength(9);
    expect(world.rowsWritten - rows).toBeLessThanOrEqual(9 * 2 * 3);
    world.lookUp = () => ({});
    await passes(120, 8);
    expect(world.lookedUp).toHaveLength(9);
    expect(await statuses(project)).toEqual({ UNKNOWN: 2 });
  });

  it("stays UNKNOWN when it is surely not there, and its content is gone", async () => {
    const { world, project } = await lost(1);
    await project.db.prepare("UPDATE emails SET is_forgotten = 1 WHERE project_id = ?").bind(project.number).run();
    await world.pass(70, 5);
    expect(await statuses(project)).toEqual({ UNKNOWN: 1 });
    expect(world.lookedUp).toHaveLength(3);
  });

  it("asks about ten calls in a tick, and about no more after one without an answer", async () => {
    const { world, project } = await lost(1);
    const copy = (await project.db
      .prepare("SELECT * FROM emails WHERE project_id = ?")
      .bind(project.number)
      .first()) as Record<string, unknown>;
    for (let index = 0; index < 24; index++) {
      const row = { ...copy, id: newId(), round: newId() };
      const names = Object.keys(row);
      await project.db
        .prepare(`INSERT INTO emails (${names.join()}) VALUES (${names.map(() => "?").join()})`)
        .bind(...Object.values(row))
        .run();
    }
    world.now += 3 * minuteMs;
    await lookUpUnknown(world.process().platform);
    expect(world.lookedUp).toHaveLength(10);
    world.lookUp = () => {
      throw new Error("Out of reach");
    };
    await lookUpUnknown(world.process().platform);
    expect(world.lookedUp).toHaveLength(11);
  });

  it("writes nothing for mail that is answered", async () => {
    const written = async (lookUp: World["lookUp"]) => {
      const { world, project } = await open();
      Object.assign(world, { mailsPerCall: 100, lookUp });
      const { ctx } = await world.context(project);
      const mail = { to: people(5), from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
      await sendEmails(ctx, SendEmail.parse(mail));
      await world.drain();
      expect(await statuses(project)).toEqual({ SENT: 5 });
      return world.rowsWritten;
    };
    expect(await written(() => ({}))).toBe(await written(null));
  });

  it("is not asked for at a provider that has no search", async () => {
    const { world, project } = await lost(1, null);
    await world.pass(90, 5);
    expect((await records(project)).map(({ status, settledBy }) => [status, settledBy])).toEqual([["UNKNOWN", null]]);
  });
});

describe("while the provider is asked", () => {
  it("a report may come: it settles the mail, once", async () => {
    const scene = await lost(1);
    const { world, project } = scene;
    const ids = await idsOf(project);
    await reportOf(scene, ids[0] ?? "");
    expect(await records(project)).toMatchObject([{ status: "DELIVERED", settledBy: "report" }]);
    world.lookUp = has(ids);
    await world.pass(70, 5);
    expect(world.lookedUp).toEqual([]);
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "email.delivered": 1 });
  });

  it.each(["found", "absent"])("a report may come between the question and its answer: %s", async (answer) => {
    const scene = await lost(1);
    const { world, project } = scene;
    const ids = await idsOf(project);
    await world.pass(50, 10);
    await project.db.prepare("UPDATE emails SET look_ups = 2 WHERE project_id = ?").bind(project.number).run();
    world.now += 20 * minuteMs;
    const { platform } = world.process();
    const mailer = {
      ...platform.mailer,
      lookUp: async () => {
        await reportOf(scene, ids[0] ?? "");
        return new Map(answer === "found" ? Object.entries(has(ids)()) : []);
      },
    };
    await lookUpUnknown(withMailer(platform, mailer));
    await world.pass(5);
    expect(await records(project)).toMatchObject([{ status: "DELIVERED", settledBy: "report" }]);
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "email.delivered": 1 });
    expect(world.taken).toEqual([]);
  });

  it("a report of the first call that comes after the mail is queued again keeps it from going twice", async () => {
    const scene = await lost(1);
    const { world, project } = scene;
    world.answer = () => ({ kind: "unavailable", reason: "503" });
    await world.pass(62, 2);
    expect(await statuses(project)).toEqual({ QUEUED: 1 });
    const [id = ""] = await idsOf(project);
    await reportOf(scene, id);
    world.answer = accepts;
    await world.pass(30, 5);
    expect(world.taken).toEqual([]);
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "email.delivered": 1 });
  });

  it("a person may send it again: it goes once, and the answer changes nothing", async () => {
    const { world, project } = await lost(1);
    const [id = ""] = await idsOf(project);
    const { platform } = world.process();
    world.now += 3 * minuteMs;
    const mailer = {
      ...platform.mailer,
      lookUp: async () => {
        await retryEmail((await world.context(project)).ctx, readId(id));
        return new Map([[publicId(readId(id)), "pm-1"]]);
      },
    };
    await lookUpUnknown({ ...withMailer(platform, mailer), now: new Date(world.now) });
    await world.pass(70, 5);
    expect(await records(project)).toMatchObject([{ status: "SENT", settledBy: "person", providerMessageId: "m-1" }]);
    expect(world.taken).toHaveLength(1);
    expect(await eventCounts(project)).toEqual({ "email.sent": 1 });
  });

  const deaths: Death[] = Array.from({ length: 4 }, (_, index) => [
    { atStep: index + 1, when: "before" as const },
    { atStep: index + 1, when: "after" as const },
  ]).flat();

  it.each(sample(deaths.map((death) => [`${death.when} step ${death.atStep}`, death] as const)))(
    "the sweep may be killed %s, and may run twice: found mail is SENT once, and absent mail goes once",
    async (_, death) => {
      const { world, project } = await lost(2);
      const [first = ""] = await idsOf(project);
      await world.pass(55, 5);
      world.lookUp = has([first]);
      world.now += 10 * minuteMs;
      await lookUpUnknown(world.process(death).platform).catch(() => {});
      await Promise.all([1, 2].map(() => lookUpUnknown(world.process().platform)));
      await world.pass(5);
      expect(await statuses(project)).toEqual({ SENT: 2 });
      expect(world.taken).toHaveLength(1);
      expect(await eventCounts(project)).toEqual({ "email.sent": 2 });
    },
  );
});

describe("a campaign", () => {
  async function campaign(): Promise<Scene & { id: string }> {
    const { world, project } = await open();
    Object.assign(world, { mailsPerCall: 100, lookUp: () => ({}), answer: threw });
    await addContacts(project, 6);
    const { id } = await newCampaign(project, { type: "HEADLESS" });
    world.now += 1_000;
    await sendCampaign({ ...(await world.context(project)).ctx, origin: "https://petrel.example" }, readId(id), {});
    await world.drain();
    await world.pass(1);
    expect(await statuses(project)).toEqual({ UNKNOWN: 6 });
    world.answer = accepts;
    return { world, project, id };
  }

  const stats = async ({ project, id }: Scene & { id: string }) =>
    (await project.api.get(`/campaigns/${id}/stats`)).body;

  it("counts what is settled: found mail is sent, absent mail is sent later, none is unknown", async () => {
    const scene = await campaign();
    const { world, project } = scene;
    expect(await stats(scene)).toMatchObject({ unknownCount: 6, sentCount: 0 });
    world.lookUp = has((await idsOf(project)).slice(0, 4));
    await world.pass(5);
    expect(await stats(scene)).toMatchObject({ unknownCount: 2, sentCount: 4 });
    await world.pass(70, 5);
    expect(await stats(scene)).toMatchObject({ unknownCount: 0, sentCount: 6 });
    expect(world.taken).toHaveLength(2);
  });

  it("that was cancelled meanwhile sends nothing again", async () => {
    const scene = await campaign();
    const { world, project, id } = scene;
    await project.db
      .prepare("UPDATE campaigns SET status = 'CANCELLED', updated_at = ? WHERE project_id = ? AND id = ?")
      .bind(world.now, project.number, readId(id))
      .run();
    await world.pass(76, 4);
    expect(await statuses(project)).toEqual({ CANCELLED: 6 });
    expect(world.taken).toEqual([]);
    expect(await stats(scene)).toMatchObject({ unknownCount: 0 });
  });
});

describe("on the wire", () => {
  let outside: Outside;
  beforeEach(() => {
    outside = new Outside();
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  async function wire(mails: number, settings: Record<string, string> = {}) {
    const provider = postmarkDouble(outside);
    provider.manner = "cut after accepting";
    const { world, project } = await open();
    world.settings = { ...provider.settings, ...settings };
    const { ctx } = await world.context(project);
    const mail = { to: people(mails), from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
    await sendEmails(ctx, SendEmail.parse(mail));
    await world.drain();
    expect(await statuses(project)).toEqual({ UNKNOWN: mails });
    const [call] = provider.taken;
    const sent: { Metadata: Record<string, string> }[] = Array.isArray(call?.json) ? call.json : [call?.json];
    const searches = () => outside.callsTo(provider.host).filter(({ method }) => method === "GET");
    const answer = (body: unknown, status = 200) => outside.play(provider.host, () => Response.json(body, { status }));
    return { world, project, sent, searches, answer };
  }

  const listOf = (sent: { Metadata: Record<string, string> }[]) => ({
    TotalCount: sent.length,
    Messages: sent.map(({ Metadata }, index) => ({ MessageID: `pm-${index}`, Status: "Sent", Metadata })),
  });

  it.each([1, 4])("postmark is searched for the call's own metadata, in each stream: %i mails", async (mails) => {
    const { world, project, sent, searches, answer } = await wire(mails, { POSTMARK_BROADCAST_STREAM: "news" });
    const call = sent[0]?.Metadata["petrel-call"];
    expect(new Set(sent.map(({ Metadata }) => Metadata["petrel-call"]))).toEqual(new Set([call]));
    answer(listOf(sent));
    await world.pass(3);
    expect(searches().map(({ url }) => [url.pathname, Object.fromEntries(url.searchParams)])).toEqual(
      ["outbound", "news"].map((messagestream) => [
        "/messages/outbound",
        { count: "500", offset: "0", messagestream, "metadata_petrel-call": call },
      ]),
    );
    expect(searches()[0]?.headers.get("X-Postmark-Server-Token")).toBeTruthy();
    expect(new Set((await records(project)).map(({ status, settledBy }) => `${status} ${settledBy}`))).toEqual(
      new Set(["SENT lookup"]),
    );
  });

  it.each([
    ["an error", { ErrorCode: 100, Message: "Maintenance" }, 503],
    ["a refusal", { ErrorCode: 10, Message: "No" }, 401],
    ["another shape", { Message: "OK" }, 200],
    ["fewer messages than it counts", { TotalCount: 2, Messages: [] }, 200],
    ["messages of other calls", listOf([{ Metadata: { petrel: "a", "petrel-call": "another" } }]), 200],
  ])("postmark that answers with %s has said nothing of the mail", async (_, body, status) => {
    const { world, project, searches, answer } = await wire(2);
    answer(body, status);
    await world.pass(70, 5);
    expect(searches().length).toBeGreaterThan(3);
    expect(await statuses(project)).toEqual({ UNKNOWN: 2 });
    const { results } = await project.db
      .prepare("SELECT look_ups FROM emails WHERE project_id = ?")
      .bind(project.number)
      .all();
    expect(results).toEqual([{ look_ups: 0 }, { look_ups: 0 }]);
  });

  it("ses is never asked", async () => {
    const provider = sesDouble(outside);
    provider.manner = "cut after accepting";
    const { world, project } = await open();
    world.settings = provider.settings;
    const { ctx } = await world.context(project);
    await sendEmails(ctx, SendEmail.parse({ to: people(1), from: `hi@${project.domain}`, subject: "Hi", body: "Hi" }));
    await world.drain();
    await world.pass(70, 5);
    expect(outside.callsTo(provider.host)).toHaveLength(1);
    expect(await statuses(project)).toEqual({ UNKNOWN: 1 });
  });
});
