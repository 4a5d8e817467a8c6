import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readId } from "../../src/core/ids";
import { retryEmail } from "../../src/features/emails/retry";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { framed } from "../support/framed";
import type { Death } from "../support/killable";
import { type Call, Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { type ProviderDouble, postmarkDouble, resendDouble, sesDouble } from "../support/provider-doubles";
import { emailRows } from "../support/rows";
import { accepts, World } from "../support/world";

const dayMs = 24 * 3_600_000;

async function send(world: World, project: TestProject, to: string[], more: Record<string, unknown> = {}) {
  const { ctx } = await world.context(project);
  const mail = { to, from: `hello@${project.domain}`, subject: "Hello", body: "<p>{{ email }}</p>", ...more };
  await sendEmails(ctx, SendEmail.parse(mail));
}

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => `r${String(index).padStart(3, "0")}@example.com`);

async function statuses(project: TestProject): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of await emailRows(project)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe("a provider that takes several mails a call", () => {
  function shared(mailsPerCall: number): World {
    const world = new World();
    world.mailsPerCall = mailsPerCall;
    return world;
  }

  it("gets them together, also of different contents", async () => {
    const project = await newProject();
    const world = shared(100);
    await send(world, project, people(3));
    await send(world, project, ["other@example.com"], { subject: "Another" });
    const emailIds = world.queue.flatMap(({ queued }) => ("emailIds" in queued.message ? queued.message.emailIds : []));
    const message = { type: "mail.deliver" as const, projectId: project.number, priority: 0 as const, emailIds };
    world.queue = [{ queued: { message }, due: 0 }];
    await world.drain();
    expect(world.calls.map((call) => call.emailIds.length)).toEqual([4]);
    expect(new Set(world.taken.map(({ subject }) => subject)).size).toBe(2);
  });

  it("needs few calls where an account takes five a second", async () => {
    const project = await newProject();
    const world = shared(500);
    world.paceRule = { perSecond: 5, transactionalShare: 0 };
    const start = world.now;
    for (let call = 0; call < 10; call++) await send(world, project, people(500));
    for (let second = 0; second < 10; second++) {
      await world.drain();
      world.now += 1_000;
    }
    expect(await statuses(project)).toEqual({ SENT: 5_000 });
    expect(world.calls.length).toBeLessThanOrEqual(15);
    expect(world.now - start).toBeLessThan(60_000);
  });

  it("gets mail that was tried before alone, so that one bad mail costs the others one try", async () => {
    const project = await newProject();
    const world = shared(100);
    const isBad = (address: string) => address === "r001@example.com";
    world.answer = ({ to }) => (isBad(to.email) ? { kind: "busy", reason: "400 A fault of one of them" } : accepts());
    await send(world, project, people(3));
    await world.drain();
    await world.pass(1);
    expect(world.calls.map((call) => call.emailIds.length).slice(0, 2)).toEqual([3, 1]);
    expect(await statuses(project)).toEqual({ SENT: 2, QUEUED: 1 });
  });

  it("gets a call without an answer again as it was: the same key, mails and order, whatever changed since", async () => {
    const project = await newProject();
    const world = shared(100);
    world.idempotencyWindowMs = dayMs;
    let answers = 0;
    world.answer = async () => {
      if (answers++ < 5) throw new Error("No answer");
      return accepts();
    };
    await send(world, project, people(5), { body: "<p>{{ plan }}</p>", data: { plan: "pro" } });
    await world.drain();
    expect(await statuses(project)).toEqual({ QUEUED: 5 });
    // One is reported meanwhile, one leaves, and new mail joins.
    const [first] = await emailRows(project);
    await project.db
      .prepare(
        "UPDATE emails SET status = 'DELIVERED', due_at = NULL WHERE id = (SELECT id FROM emails WHERE project_id = ? ORDER BY to_email LIMIT 1)",
      )
      .bind(project.number)
      .run();
    await project.api.post("/contacts", { email: "r002@example.com", subscribed: false, data: { plan: "free" } });
    await send(world, project, ["new@example.com"]);
    await world.pass(5);
    const [call, ...others] = world.calls.filter(({ emailIds }) => emailIds.length > 1);
    expect(call?.emailIds).toContain(first?.id);
    expect(others).toEqual([call]);
    expect(await statuses(project)).toEqual({ DELIVERED: 1, SENT: 5 });
    const mine = world.taken.filter(({ emailId }) => call?.emailIds.includes(emailId));
    expect(new Set(mine.map(({ html }) => html))).toEqual(new Set([framed("<p>pro</p>")]));
    expect(
      await project.db.prepare("SELECT count(*) AS n FROM rounds WHERE project_id = ?").bind(project.number).first("n"),
    ).toBe(0);
  });

  it("is asked again once for all mails of a call", async () => {
    const project = await newProject();
    const world = shared(100);
    world.idempotencyWindowMs = dayMs;
    let drawn = 0;
    world.random = () => (drawn++ % 10) / 10;
    let answers = 0;
    world.answer = async () => {
      if (answers++ < 40) throw new Error("No answer");
      return accepts();
    };
    await send(world, project, people(20));
    await world.drain();
    for (let second = 0; second < 30; second++) {
      world.now += 1_000;
      await world.drain();
    }
    expect(new Set(world.calls.map(({ key, emailIds }) => `${key} ${emailIds.join()}`)).size).toBe(1);
    expect(world.calls).toHaveLength(3);
    expect(await statuses(project)).toEqual({ SENT: 20 });
  });

  it.each([
    ["got no answer", "next_attempt_at"],
    ["died", "handed_at"],
  ])("keeps a call whose consumer %s until all of its mails have come back", async (what, time) => {
    const project = await newProject();
    const world = shared(100);
    world.idempotencyWindowMs = dayMs;
    let answers = 0;
    world.answer = async () => {
      if (answers++ < 5) throw new Error("No answer");
      return accepts();
    };
    await send(world, project, people(5));
    // The permit, the reading, the hand-over, and the call.
    if (what === "died") await world.runAndDie({ atStep: 4, when: "after" });
    else await world.drain();
    await project.db
      .prepare(
        `UPDATE emails SET ${time} = ${time} + 300000
          WHERE project_id = ? AND to_email IN ('r001@example.com', 'r003@example.com')`,
      )
      .bind(project.number)
      .run();
    await world.pass(12);
    const [call, ...others] = world.calls;
    expect(others).toEqual([call, call]);
    expect(await statuses(project)).toEqual({ SENT: 5 });
  });

  it("is not asked again when a mail of the call is gone: the others are UNKNOWN, and a person decides", async () => {
    const project = await newProject();
    const world = shared(100);
    world.idempotencyWindowMs = dayMs;
    world.answer = () => {
      throw new Error("No answer");
    };
    await send(world, project, people(3));
    await world.drain();
    const contact = (await project.api.get("/contacts?email=r001@example.com")).body.data[0];
    await project.api.delete(`/contacts/${contact.id}`);
    world.answer = accepts;
    await world.pass(5);
    expect(world.calls).toHaveLength(1);
    expect((await statuses(project)).UNKNOWN).toBeGreaterThanOrEqual(2);
  });

  const deaths: Death[] = Array.from({ length: 14 }, (_, index) => [
    { atStep: index + 1, when: "before" as const },
    { atStep: index + 1, when: "after" as const },
  ]).flat();

  it.each(deaths.map((death) => [`${death.when} step ${death.atStep}`, death] as const))(
    "killed %s: every mail is accepted once by its key",
    async (_, death) => {
      const project = await newProject();
      const world = shared(4);
      world.idempotencyWindowMs = dayMs;
      await send(world, project, people(10));
      await world.runAndDie(death);
      await world.pass(4);
      await world.pass(8, 4);
      expect(await statuses(project)).toEqual({ SENT: 10 });
      // A provider takes a key once; what comes again under it must be the very same.
      const byKey = new Map<string, string>();
      for (const { key, emailIds } of world.calls) {
        expect(byKey.get(key) ?? emailIds.join()).toBe(emailIds.join());
        byKey.set(key, emailIds.join());
      }
      const ids = [...byKey.values()].flatMap((joined) => joined.split(","));
      expect(new Set(ids).size).toBe(10);
      expect(ids).toHaveLength(10);
    },
  );

  it("killed within a call, without keys: at most that one call is uncertain", async () => {
    const project = await newProject();
    const world = shared(4);
    await send(world, project, people(10));
    // The permit, the reading, the hand-over, and the call.
    await world.runAndDie({ atStep: 4, when: "after" });
    await world.pass(6);
    expect(await statuses(project)).toEqual({ UNKNOWN: 4, SENT: 6 });
    expect(new Set(world.taken.map(({ emailId }) => emailId)).size).toBe(world.taken.length);
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

  async function scene(open: (outside: Outside) => ProviderDouble, answer: (call: Call) => Response) {
    const { settings, host } = open(outside);
    outside.play(host, answer);
    const world = new World();
    world.settings = settings;
    return { world, project: await newProject(), host };
  }

  it("postmark takes a batch, and each mail has its own answer", async () => {
    const codes = [0, 300, 429, 412, 0];
    const { world, project, host } = await scene(postmarkDouble, ({ json }) =>
      Response.json(
        json.map((_: unknown, index: number) => ({
          ErrorCode: codes[index],
          Message: codes[index] === 0 ? "OK" : "No",
          ...(codes[index] === 0 && { MessageID: `pm-${index}` }),
        })),
      ),
    );
    await send(world, project, people(5));
    await world.drain();
    const [call, ...others] = outside.callsTo(host);
    expect([call?.url.pathname, others]).toEqual(["/email/batch", []]);
    expect(call?.json.map(({ To }: { To: string }) => To)).toEqual(people(5));
    const rows = await emailRows(project);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["SENT", 1],
      ["FAILED", 1],
      ["QUEUED", 0],
      ["QUEUED", 0],
      ["SENT", 1],
    ]);
  });

  it.each([
    ["fewer items than mails", [{ ErrorCode: 0, MessageID: "1" }]],
    ["no items", { Message: "OK" }],
  ])("postmark that answers with %s leaves them UNKNOWN: they are most likely sent", async (_, body) => {
    const { world, project } = await scene(postmarkDouble, () => Response.json(body));
    await send(world, project, people(3));
    await world.drain();
    expect(await statuses(project)).toEqual({ UNKNOWN: 3 });
  });

  it("resend takes a batch under the call's key, and a fault of one mail is that one's alone", async () => {
    const { world, project, host } = await scene(resendDouble, () =>
      Response.json({ data: [{ id: "a" }, { id: "c" }], errors: [{ index: 1, message: "The to field is invalid" }] }),
    );
    await send(world, project, people(3));
    await world.drain();
    const [call, ...others] = outside.callsTo(host);
    expect([call?.url.pathname, others]).toEqual(["/emails/batch", []]);
    expect(call?.headers.get("x-batch-validation")).toBe("permissive");
    expect(call?.headers.get("Idempotency-Key")).toHaveLength(22);
    const rows = await emailRows(project);
    expect(rows.map(({ status, error }) => [status, error])).toEqual([
      ["SENT", null],
      ["FAILED", "The to field is invalid"],
      ["SENT", null],
    ]);
  });

  it("resend gets mail with files one by one", async () => {
    const { world, project, host } = await scene(resendDouble, () => Response.json({ id: "a" }));
    const attachments = [{ filename: "a.txt", contentType: "text/plain", content: "QUJD" }];
    await send(world, project, people(3), { attachments });
    await world.drain();
    expect(outside.callsTo(host).map(({ url }) => url.pathname)).toEqual(Array(3).fill("/emails"));
    expect(new Set(outside.callsTo(host).map(({ headers }) => headers.get("Idempotency-Key"))).size).toBe(3);
    expect(await statuses(project)).toEqual({ SENT: 3 });
  });

  it("ses takes one mail a call", async () => {
    const { world, project, host } = await scene(sesDouble, () => Response.json({ MessageId: "1" }));
    await send(world, project, people(7));
    await world.drain();
    expect(outside.callsTo(host)).toHaveLength(7);
  });

  it("a whole batch that is refused for a fault of one costs the others one try, and then each goes alone", async () => {
    const { world, project, host } = await scene(postmarkDouble, ({ url, json }) => {
      if (url.pathname.endsWith("batch")) return Response.json({ ErrorCode: 402, Message: "Bad" }, { status: 422 });
      if (json.To === "r001@example.com") return Response.json({ ErrorCode: 300, Message: "Bad" }, { status: 422 });
      return Response.json({ ErrorCode: 0, MessageID: "1" });
    });
    await send(world, project, people(3));
    await world.pass(2);
    expect(outside.callsTo(host).filter(({ url }) => url.pathname.endsWith("batch"))).toHaveLength(1);
    expect(await statuses(project)).toEqual({ SENT: 2, FAILED: 1 });
  });

  it("a person's retry has a fresh key and a fresh date", async () => {
    let isRefused = true;
    const { world, project, host } = await scene(resendDouble, () =>
      isRefused
        ? Response.json({ name: "validation_error", message: "No" }, { status: 422 })
        : Response.json({ id: "a" }),
    );
    await send(world, project, people(1));
    await world.drain();
    const [row] = await emailRows(project);
    isRefused = false;
    await retryEmail((await world.context(project)).ctx, readId(String(row?.id)));
    world.now += 120_000;
    await world.pass(2);
    expect(await statuses(project)).toEqual({ SENT: 1 });
    const keys = outside.callsTo(host).map(({ headers }) => headers.get("Idempotency-Key"));
    expect(new Set(keys).size).toBe(2);
  });
});
