import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readId } from "../../src/core/ids";
import { redelivered } from "../../src/core/messages";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { takeSlot } from "../../src/platform/memory-slots";
import { handleMessage } from "../../src/queue";
import { deliverEmails } from "../support/deliver-emails";
import { framed } from "../support/framed";
import { wasKilled } from "../support/killable";
import { passSeconds } from "../support/pass-seconds";
import { admin, bearer, call, newProject, setDisabled, type TestProject } from "../support/project";
import { emailRows, eventCounts } from "../support/rows";
import { newTemplate } from "../support/template";
import { accepts, World } from "../support/world";

const busy = () => ({ kind: "busy" as const, reason: "429 Slow down" });
const silent = () => {
  throw new Error("The network is gone");
};

async function send(world: World, project: TestProject, fields: Record<string, unknown> = {}): Promise<void> {
  const { ctx } = await world.context(project);
  const sound = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hello", body: "<p>Hello</p>" };
  await sendEmails(ctx, SendEmail.parse({ ...sound, ...fields }));
}

async function onlyEmail(project: TestProject) {
  const rows = await emailRows(project);
  expect(rows).toHaveLength(1);
  return rows[0];
}

describe("trying again", () => {
  it("tries eight times over about an hour while the provider is busy, then gives up with its reason", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = busy;
    const start = world.now;
    await send(world, project);
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "QUEUED", attempts: 1, error: "429 Slow down" });
    while ((await onlyEmail(project))?.status === "QUEUED") await world.pass(1);
    expect(await onlyEmail(project)).toMatchObject({ status: "FAILED", attempts: 8 });
    expect((await onlyEmail(project))?.error).toContain("429 Slow down");
    expect((world.now - start) / 60_000).toBeGreaterThan(45);
    expect((world.now - start) / 60_000).toBeLessThan(90);
    expect(await eventCounts(project)).toEqual({ "email.failed": 1 });
  });

  it("sends the mail as soon as the provider takes it", async () => {
    const project = await newProject();
    const world = new World();
    let calls = 0;
    world.answer = () => (++calls < 3 ? busy() : accepts());
    await send(world, project);
    await world.pass(5);
    expect(await onlyEmail(project)).toMatchObject({ status: "SENT", attempts: 3, error: null });
    expect(world.taken).toHaveLength(1);
  });

  it("fails at once what the provider refuses, and says why", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = () => ({ kind: "refused", reason: "400 No such sender" });
    await send(world, project);
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "FAILED", attempts: 1, error: "400 No such sender" });
    expect(await eventCounts(project)).toEqual({ "email.failed": 1 });
  });

  it("waits as long as the provider asks", async () => {
    const project = await newProject();
    const world = new World();
    let calls = 0;
    world.answer = () => (++calls === 1 ? { ...busy(), retryAfterMs: 10 * 60_000 } : accepts());
    await send(world, project);
    await world.pass(9);
    expect(calls).toBe(1);
    await world.pass(2);
    expect(await onlyEmail(project)).toMatchObject({ status: "SENT", attempts: 2 });
  });

  it("renders the same mail on every try, though the contact changes in between", async () => {
    const project = await newProject();
    const world = new World();
    let calls = 0;
    const bodies: string[] = [];
    world.answer = ({ html }) => {
      bodies.push(html);
      return ++calls < 3 ? busy() : accepts();
    };
    await send(world, project, {
      body: "{{ plan }} {{ code }}",
      data: { plan: "pro", code: { value: 1, persistent: false } },
    });
    await world.drain();
    await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "free" } });
    await world.pass(5);
    expect(bodies).toEqual(Array(3).fill(framed("pro 1")));
  });

  it("renders with the contact as it is when the mail is first taken up", async () => {
    const project = await newProject();
    const world = new World();
    await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "pro" } });
    await send(world, project, { body: "{{ plan }}" });
    await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "free" } });
    await world.drain();
    expect(world.taken.map(({ html }) => html)).toEqual([framed("free")]);
  });
});

describe("an unknown outcome", () => {
  it("is UNKNOWN after a call that threw, and is never sent again by itself", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = silent;
    await send(world, project);
    await world.drain();
    world.answer = accepts;
    await world.pass(4);
    await world.pass(56, 8);
    expect(await onlyEmail(project)).toMatchObject({ status: "UNKNOWN", attempts: 1 });
    expect(world.taken).toHaveLength(0);
    expect(await eventCounts(project)).toEqual({});
  });

  it("is tried again inside the provider's idempotency window, under the same id", async () => {
    const project = await newProject();
    const world = new World();
    world.idempotencyWindowMs = 24 * 3_600_000;
    const ids: string[] = [];
    world.answer = ({ emailId }) => {
      ids.push(emailId);
      return ids.length === 1 ? silent() : accepts();
    };
    await send(world, project);
    await world.pass(5);
    expect(await onlyEmail(project)).toMatchObject({ status: "SENT", attempts: 2 });
    expect(new Set(ids).size).toBe(1);
  });

  it("never becomes FAILED: the mail may be out", async () => {
    const project = await newProject();
    const world = new World();
    world.idempotencyWindowMs = 24 * 3_600_000;
    let calls = 0;
    world.answer = () => (++calls === 1 ? silent() : { kind: "refused", reason: "400 Cannot" });
    await send(world, project);
    await world.pass(5);
    expect(await onlyEmail(project)).toMatchObject({ status: "UNKNOWN" });
  });

  it("is not handed over again once the provider would take it for a new mail", async () => {
    const project = await newProject();
    const world = new World();
    world.idempotencyWindowMs = 10 * 60_000;
    let calls = 0;
    world.answer = () => (++calls === 1 ? silent() : accepts());
    await send(world, project);
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "QUEUED" });
    // The retry's message waits in a backlog until it is too late.
    world.now += 20 * 60_000;
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "UNKNOWN", attempts: 1 });
    expect(calls).toBe(1);
  });

  it("stays unknown when the project is disabled before the retry", async () => {
    const project = await newProject();
    const world = new World();
    world.idempotencyWindowMs = 24 * 3_600_000;
    world.answer = silent;
    await send(world, project);
    await world.drain();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    await world.pass(1);
    expect(await onlyEmail(project)).toMatchObject({ status: "UNKNOWN", error: "The project is disabled" });
    expect(await eventCounts(project)).toEqual({});
  });

  it("says nothing of our insides to the customer", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = silent;
    await send(world, project);
    await world.drain();
    expect((await onlyEmail(project))?.error).toBe(
      "The mail provider did not answer: this email may or may not have been sent",
    );
  });
});

describe("a provider out of reach", () => {
  it("costs a handful of unknowns, not a queue of them, and is probed before mail goes on", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = silent;
    for (let index = 0; index < 20; index++) {
      await send(world, project, { to: `r${index}@example.com` });
    }
    await world.drain();
    const unknown = (await emailRows(project)).filter(({ status }) => status === "UNKNOWN");
    expect(unknown).toHaveLength(3);
    world.answer = accepts;
    await world.pass(3);
    const rows = await emailRows(project);
    expect(rows.filter(({ status }) => status === "SENT")).toHaveLength(17);
    expect(rows.filter(({ attempts }) => attempts > 1)).toHaveLength(0);
  });

  it("does not multiply messages while it lasts", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = silent;
    for (let index = 0; index < 5; index++) await send(world, project, { to: `r${index}@example.com` });
    await world.drain();
    // The same message comes twice, as queues may do.
    world.queue.push(...world.queue.map((message) => ({ ...message })));
    world.answer = accepts;
    await world.pass(5);
    expect(world.queue).toHaveLength(0);
    expect(world.taken).toHaveLength(2);
  });
});

describe("messages", () => {
  it("may come twice, and at once: the mail goes once", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project);
    world.queue.push(...world.queue.map((message) => ({ ...message })));
    await Promise.all([world.drain(), world.drain()]);
    await world.pass(3);
    expect(world.taken).toHaveLength(1);
    expect(await eventCounts(project)).toEqual({ "email.sent": 1 });
  });

  it("may be lost, and those of the sweep too: the next sweep finds the mail, and none of them writes", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project);
    const { rowsWritten } = world;
    for (let minute = 1; minute <= 40; minute++) {
      world.queue = [];
      world.now += 60_000;
      await world.sweep();
      expect(world.queue).toHaveLength(1);
    }
    expect(world.rowsWritten).toBe(rowsWritten);
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "SENT", attempts: 1 });
  });

  it("may not be sent at all: the call is answered all the same, and the sweep sends the mail", async () => {
    const project = await newProject();
    const world = new World();
    const { ctx } = await world.context(project);
    const broken = { ...ctx, enqueue: () => Promise.reject(new Error("The queue is down")) };
    const call = SendEmail.parse({ to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" });
    expect(await sendEmails(broken, call)).toMatchObject([{ status: "QUEUED" }]);
    await world.pass(2);
    expect(await onlyEmail(project)).toMatchObject({ status: "SENT" });
  });

  it("that come before an email is due do not try it early", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = busy;
    await send(world, project);
    const first = world.queue.map((message) => ({ ...message }));
    await world.drain();
    world.queue.unshift(...first);
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ attempts: 1 });
  });

  it("of a mail that nobody can compose end in FAILED after two consumers that took it alone, and its neighbour goes out", async () => {
    const project = await newProject();
    const world = new World();
    const file = { filename: "a.txt", contentType: "text/plain", content: "QUJD" };
    await send(world, project, { attachments: [file] });
    await send(world, project, { to: "bob@example.com" });
    // Their messages are lost, and the sweep announces both in one.
    world.queue = [];
    let deaths = 0;
    for (let minute = 0; minute < 60; minute += 4) {
      world.now += 4 * 60_000;
      await world.sweep();
      for (const { queued } of world.queue.splice(0)) {
        const { platform, process } = world.process();
        // It dies of what the mail carries: before anything is handed over.
        const blobs = { ...platform.blobs, get: () => process.die() };
        await handleMessage({ ...platform, blobs }, queued.message).catch((error) => {
          if (!wasKilled(error)) throw error;
          deaths++;
        });
      }
    }
    const { results } = await project.db
      .prepare("SELECT to_email, status, attempts FROM emails WHERE project_id = ? ORDER BY to_email")
      .bind(project.id)
      .all();
    expect(results).toEqual([
      { to_email: "ada@example.com", status: "FAILED", attempts: 0 },
      { to_email: "bob@example.com", status: "SENT", attempts: 1 },
    ]);
    // The first one had its neighbour too.
    expect(deaths).toBe(3);
    expect(world.taken.map(({ to }) => to)).toHaveLength(1);
  });

  it("of a mail whose files are out of reach for an hour come again, hold up no other mail, and it goes out", async () => {
    const project = await newProject();
    const world = new World();
    const file = { filename: "a.txt", contentType: "text/plain", content: "QUJD" };
    await send(world, project, { attachments: [file] });
    await send(world, project, { to: "bob@example.com" });
    world.queue = [];
    for (let minute = 1; minute <= 60; minute++) {
      world.now += 60_000;
      await world.sweep();
      for (const { queued } of world.queue.splice(0)) {
        const { platform } = world.process();
        const blobs = { ...platform.blobs, get: () => Promise.reject(new Error("R2 is out of reach")) };
        // As often as the queue brings it.
        for (let tries = 1; tries <= 6; tries++) {
          await handleMessage({ ...platform, blobs }, tries > 1 ? redelivered(queued.message) : queued.message).catch(
            (error) => {
              expect(error).toHaveProperty("message", "R2 is out of reach");
            },
          );
        }
      }
    }
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(["QUEUED", "SENT"]);
    await world.pass(60, 5);
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(["SENT", "SENT"]);
  });
});

describe("what changed after a mail was accepted", () => {
  it("a disabled project sends nothing more: its mail fails with that reason", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "FAILED", error: "The project is disabled" });
    expect(world.taken).toHaveLength(0);
  });

  it("a project that is enabled again sends, also where it was just seen disabled", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project);
    await setDisabled(project, true);
    await world.drain();
    await setDisabled(project, false);
    await send(world, project, { to: "bob@example.com" });
    await world.drain();
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(["FAILED", "SENT"]);
  });

  it("a contact who is gone gets nothing: CANCELLED with the reason", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project);
    await project.db.prepare("DELETE FROM contacts WHERE project_id = ?").bind(project.id).run();
    await world.drain();
    expect((await onlyEmail(project))?.status).toBe("CANCELLED");
    expect((await onlyEmail(project))?.error).toContain("deleted");
  });

  it("an address suppressed meanwhile gets nothing, and its place in the month is given back", async () => {
    const project = await newProject({ monthlySendLimit: 1 });
    const world = new World();
    await send(world, project);
    await project.db
      .prepare("INSERT INTO suppressions VALUES (?, 'ada@example.com', 'manual', 0)")
      .bind(project.id)
      .run();
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "SUPPRESSED", attempts: 0 });
    expect((await project.api.send({ to: "bob@example.com" })).status).toBe(200);
  });

  it("an address that complains gets nothing more of the mail that is on its way", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project, { to: Array(30).fill("ada@example.com") });
    world.answer = () => ({ kind: "accepted", providerMessageId: "m", reports: [{ kind: "complained" }] });
    await world.drain();
    const statuses = (await emailRows(project)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(25).fill("COMPLAINED"), ...Array(5).fill("SUPPRESSED")]);
    expect(world.taken).toHaveLength(25);
  });

  it("a domain that is gone, and somebody else's by now, sends nothing more", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const world = new World();
    await send(world, project);
    const { body } = await project.api.get(`/domains/project/${project.id}`);
    const removed = await call("DELETE", `/domains/${body[0].id}`, undefined, bearer(project.keys.secret));
    expect(removed.status).toBe(204);
    await other.api.post("/domains", { domain: project.domain });
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "FAILED", attempts: 0 });
    expect(world.taken).toHaveLength(0);
  });

  it("a project that is deleted takes its mail with it", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project);
    await admin.delete(`/admin/projects/${project.id}`);
    await world.drain();
    expect(world.taken).toHaveLength(0);
  });
});

describe("a mail over 1 MB", () => {
  const megabyte = 1_000_000;

  /** How many mails the provider was called with at a time, at most. */
  async function mostAtOnce(world: World): Promise<number> {
    let [atOnce, most] = [0, 0];
    world.answer = async () => {
      most = Math.max(most, ++atOnce);
      await env.DB.prepare("SELECT 1").run();
      atOnce--;
      return accepts();
    };
    await world.drain();
    return most;
  }

  const to = ["ada@example.com", "bob@example.com", "cyd@example.com"];

  it.each([
    ["by a template whose body lies in R2", 1, { body: `<p>${"x".repeat(megabyte - 7)}</p>` }],
    ["by what a small template renders to", 1, { body: "{% for n in (1..1000) %}{{ pad }}{% endfor %}" }],
    ["by its texts together", 1, { body: `<p>${"words ".repeat(100_000)}</p>` }],
    ["never: a large template that is smaller", 3, { body: `<p>${"x".repeat(100_000)}</p>` }],
  ])("is handled alone: %s", async (_, expected, fields) => {
    const project = await newProject();
    const template = await newTemplate(project, { type: "TRANSACTIONAL", ...fields });
    const world = new World();
    const { ctx } = await world.context(project);
    const data = { pad: { value: "x".repeat(1_000), persistent: false } };
    await sendEmails(ctx, SendEmail.parse({ to, template: template.id, data }));
    expect(await mostAtOnce(world)).toBe(expected);
    expect((await emailRows(project)).map(({ status, attempts }) => [status, attempts])).toEqual(
      Array(3).fill(["SENT", 1]),
    );
  });

  it("is handled alone by its files, and small mail does not wait for it", async () => {
    const project = await newProject();
    const world = new World();
    const file = { filename: "a.bin", contentType: "application/octet-stream", content: "QUJD".repeat(megabyte / 3) };
    await send(world, project, { to: ["large1@example.com", "large2@example.com"], attachments: [file] });
    await send(world, project, { to });
    const ids = world.queue.flatMap(({ queued }) => ("emailIds" in queued.message ? queued.message.emailIds : []));
    world.queue = [
      { queued: { message: { type: "mail.deliver", projectId: project.number, priority: 0, emailIds: ids } }, due: 0 },
    ];
    expect(await mostAtOnce(world)).toBe(3);
    const order = world.taken.map((message) => message.to.email);
    expect(order).toEqual([...to, "large1@example.com", "large2@example.com"]);
  });
});

describe("mail with large files", () => {
  const file = { filename: "a.bin", contentType: "application/octet-stream", content: "QUJD".repeat(1_500_000) };

  afterEach(() => {
    vi.useRealTimers();
  });

  it("waits for a slot among what the isolate works on, and comes back when it has none", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project, { to: "large@example.com", attachments: [file] });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const others = [await takeSlot(-1, 0), await takeSlot(-2, 0)];
    const first = world.drain();
    await passSeconds(11);
    await first;
    expect(world.taken).toHaveLength(0);
    expect(await onlyEmail(project)).toMatchObject({ status: "QUEUED", attempts: 0, error: null });
    expect(world.queue).toHaveLength(1);
    // A small one does not wait.
    await send(world, project, { to: "small@example.com" });
    const small = world.drain();
    // Composing lets others in when it takes long.
    await passSeconds(1);
    await small;
    expect(world.taken).toHaveLength(1);

    world.now += 5_000;
    const second = world.drain();
    await passSeconds(1);
    expect(world.taken).toHaveLength(1);
    others[0]?.giveBack();
    await passSeconds(1);
    await second;
    expect(world.taken.map((message) => message.to.email)).toEqual(["small@example.com", "large@example.com"]);
    const next = await takeSlot(-3, 0);
    expect(next).not.toBeNull();
    for (const slot of [next, ...others]) slot?.giveBack();
  });

  it("waits once for all that were taken up together, as a lease does not last for one wait each", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project, { to: ["a@example.com", "b@example.com", "c@example.com"], attachments: [file] });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const others = [await takeSlot(-1, 0), await takeSlot(-2, 0)];
    const work = world.drain();
    await passSeconds(11);
    await work;
    const rows = await emailRows(project);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual(Array(3).fill(["QUEUED", 0]));
    for (const slot of others) slot?.giveBack();
  });
});

describe("what a consumer holds", () => {
  const to = Array.from({ length: 7 }, (_, index) => `r${index}@example.com`);

  it("is its own for the whole lease, also when other messages of its batch took minutes", async () => {
    const project = await newProject();
    const world = new World();
    await send(world, project, { to });
    const ids = (await emailRows(project)).map(({ id }) => id);
    const { ctx } = await world.context(project);
    world.now += 10 * 60_000;
    world.answer = async () => {
      await world.sweep();
      return accepts();
    };
    await deliverEmails(ctx, 0, ids.map(readId));
    expect(world.taken).toHaveLength(7);
  });

  it("keeps what the provider answered when the next round cannot be composed", async () => {
    const project = await newProject();
    const world = new World();
    const file = { filename: "a.txt", contentType: "text/plain", content: "QUJD" };
    await send(world, project, { to: to.slice(0, 6) });
    await send(world, project, { to: "z@example.com", attachments: [file] });
    const ids = (await emailRows(project)).map(({ id }) => id);
    const { ctx } = await world.context(project);
    const blobs = { ...ctx.blobs, get: () => Promise.reject(new Error("R2 is out of reach")) };
    await deliverEmails({ ...ctx, blobs }, 0, ids.map(readId));
    expect(world.logged).toContain("Mail could not be composed and will be retried");
    expect((await emailRows(project)).map(({ status }) => status)).toEqual([...Array(6).fill("SENT"), "QUEUED"]);
    await world.pass(5);
    expect(world.taken).toHaveLength(7);
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(Array(7).fill("SENT"));
  });
});

describe("reports", () => {
  it("settle a mail in the batch that records it, with one event each", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = () => ({
      kind: "accepted",
      providerMessageId: "m",
      reports: [{ kind: "delivered" }, { kind: "delivered" }, { kind: "complained" }, { kind: "delivered" }],
    });
    await send(world, project, { subscribed: true });
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "COMPLAINED" });
    expect(await eventCounts(project)).toEqual({
      "contact.unsubscribed": 1,
      "email.sent": 1,
      "email.delivered": 1,
      "email.complained": 1,
    });
  });

  it("of a bounced address suppress it, and leave alone who has moved to another since", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = () => ({
      kind: "accepted",
      providerMessageId: "m",
      reports: [{ kind: "bounced", bounceType: "hard", reason: "No such user" }],
    });
    await send(world, project, { subscribed: true });
    const [contact] = (await project.api.get("/contacts")).body.data;
    await project.api.patch(`/contacts/${contact.id}`, { email: "new@example.com" });
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "BOUNCED" });
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "email.bounced": 1 });
    expect((await project.api.get(`/contacts/${contact.id}`)).body).toMatchObject({ subscribed: true });
    expect((await project.api.get("/suppressions")).body.data).toMatchObject([{ email: "ada@example.com" }]);
  });

  it.each([
    { report: { kind: "complained" as const }, subscribed: true, by: "PERSON" },
    { report: { kind: "complained" as const }, subscribed: false, by: "PERSON" },
    { report: { kind: "bounced" as const, bounceType: "hard" as const, reason: "No" }, subscribed: true, by: "API" },
  ])("say who opted out: $report.kind, of subscribed: $subscribed", async ({ report, subscribed, by }) => {
    const project = await newProject();
    const world = new World();
    await project.api.post("/contacts", { email: "ada@example.com", subscribed });
    world.answer = () => ({ kind: "accepted", providerMessageId: "m", reports: [report] });
    await send(world, project);
    await world.drain();
    const optOut = "SELECT opted_out_at IS NOT NULL AS is_out, opted_out_by FROM contacts WHERE project_id = ?";
    expect(await project.db.prepare(optOut).bind(project.id).first()).toEqual({ is_out: 1, opted_out_by: by });
  });

  it("of a soft bounce neither unsubscribe nor suppress", async () => {
    const project = await newProject();
    const world = new World();
    world.answer = () => ({
      kind: "accepted",
      providerMessageId: "m",
      reports: [{ kind: "bounced", bounceType: "soft", reason: "Mailbox full" }],
    });
    await send(world, project, { subscribed: true });
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({ status: "BOUNCED", error: "Mailbox full" });
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "email.bounced": 1 });
    expect((await project.api.send()).body.data.emails[0].status).toBe("QUEUED");
  });
});
