import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { newId, textOf } from "../../src/core/ids";
import { hourMs } from "../../src/core/time";
import { SendEmail as SendEmailInput } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import worker from "../../src/index";
import type { Env } from "../../src/platform/env";
import { consume } from "../../src/queue";
import { newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

afterEach(() => {
  vi.restoreAllMocks();
});

type Sent = Record<string, unknown> & { to: string; headers: Record<string, string> };

/** The service behind the binding: it takes every mail, until it is told otherwise. */
class Service {
  sent: Sent[] = [];
  answer: () => Promise<{ messageId: string }> = async () => ({ messageId: "<m-1@acme.test>" });

  async send(mail: Sent): Promise<{ messageId: string }> {
    const answer = await this.answer();
    this.sent.push(mail);
    return answer;
  }
}

async function scene(fields: Record<string, unknown> = {}, settings: Partial<Env> = {}) {
  const [world, service, project] = [new World(), new Service(), await newProject()];
  world.settings = { MAIL_PROVIDER: "cloudflare", EMAIL: service as unknown as SendEmail, ...settings };
  const { ctx } = await world.context(project);
  const sound = {
    to: "ada@example.com",
    from: { name: "Acme", email: `hello@${project.domain}` },
    subject: "Hello",
    body: "<p>Hello</p>",
  };
  await sendEmails(ctx, SendEmailInput.parse({ ...sound, ...fields }));
  return { world, service, project };
}

async function onlyEmail({ db, number }: TestProject) {
  const { results } = await db.prepare("SELECT * FROM emails WHERE project_id = ?").bind(number).all();
  expect(results).toHaveLength(1);
  return results[0];
}

/** The kinds of the bounces that are recorded: hard or soft. */
async function bouncesOf({ db, number }: TestProject): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT data->>'bounceType' AS kind FROM events WHERE project_id = ? AND name = 'email.bounced'")
    .bind(number)
    .all<{ kind: string }>();
  return results.map(({ kind }) => kind);
}

const refusal = (code: string) => () => Promise.reject(Object.assign(new Error("No"), { code }));

describe("a mail through the service's binding", () => {
  it("is what the service documents", async () => {
    const pdf = { filename: "bill.pdf", content: btoa("%PDF"), contentType: "application/pdf" };
    const headers = { "X-Order": "42", "Feedback-ID": "ours" };
    const { world, service, project } = await scene({ attachments: [pdf], headers, reply: "team@example.com" });
    await world.drain();
    const [mail] = service.sent;
    expect(mail).toMatchObject({
      ...{ from: { name: "Acme", email: `hello@${project.domain}` }, to: "ada@example.com", subject: "Hello" },
      ...{ replyTo: "team@example.com", text: "Hello", headers: { "X-Order": "42" } },
      attachments: [{ disposition: "attachment", filename: "bill.pdf", type: "application/pdf" }],
    });
    expect(mail?.headers).not.toHaveProperty("Feedback-ID");
    const [file] = (mail?.attachments ?? []) as { content: Uint8Array }[];
    expect(new TextDecoder().decode(file?.content)).toBe("%PDF");
    expect(await onlyEmail(project)).toMatchObject({
      ...{ status: "SENT", provider: "cloudflare", provider_message_id: "m-1@acme.test" },
    });
  });

  it.each([
    ["E_SENDER_DOMAIN_NOT_AVAILABLE", "FAILED"],
    ["E_RECIPIENT_SUPPRESSED", "FAILED"],
    ["E_HEADER_NOT_ALLOWED", "FAILED"],
    ["E_DAILY_LIMIT_EXCEEDED", "QUEUED"],
    ["E_RATE_LIMIT_EXCEEDED", "QUEUED"],
    ["E_INTERNAL_SERVER_ERROR", "QUEUED"],
  ])("that is refused with %s is %s", async (code, status) => {
    const { world, service, project } = await scene();
    service.answer = refusal(code);
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({
      status,
      error: status === "FAILED" ? `${code}: No` : expect.anything(),
    });
  });

  it.each([
    ["an error without a code", () => Promise.reject(new Error("Network connection lost."))],
    ["no answer at all", () => new Promise<never>(() => {})],
  ])("is UNKNOWN after %s, and is never sent again", async (_, answer) => {
    vi.spyOn(scheduler, "wait").mockResolvedValue();
    const { world, service, project } = await scene();
    service.answer = answer;
    await world.drain();
    service.answer = async () => ({ messageId: "m-2" });
    await world.pass(10);
    expect(await onlyEmail(project)).toMatchObject({ status: "UNKNOWN" });
    expect(service.sent).toEqual([]);
  });

  it("is refused when it is marketing, and says what would carry it", async () => {
    const { world, service, project } = await scene();
    const asMarketing =
      "UPDATE email_contents SET type = 'MARKETING', link_base = 'https://petrel.example' WHERE project_id = ?";
    await project.db.prepare(asMarketing).bind(project.number).run();
    await world.drain();
    expect(await onlyEmail(project)).toMatchObject({
      ...{ status: "FAILED", error: expect.stringContaining("MAIL_PROVIDER_MARKETING can name one that does") },
    });
    expect(service.sent).toEqual([]);
  });

  it("is refused when it is larger than 5 MB", async () => {
    const file = { filename: "a.bin", content: btoa("a".repeat(4_000_000)), contentType: "application/octet-stream" };
    const { world, service, project } = await scene({ attachments: [file] });
    await world.drain();
    expect((await onlyEmail(project))?.error).toMatch(/the mail provider accepts at most 5 MB/);
    expect(service.sent).toEqual([]);
  });
});

const event = (kind: string, { domain }: TestProject, more: object = {}) => ({
  ...{ type: `cf.email.sending.message.${kind}`, source: { type: "email.sending", zoneId: "z", domain } },
  payload: {
    ...{ eventId: `e-${kind}`, messageId: "m-1@acme.test", sender: `hello@${domain}`, recipient: "ada@example.com" },
    ...{ subject: "Hello", terminal: true, delivery: { status: kind, smtpResponse: "250 OK" } },
    ...more,
  },
  metadata: { accountId: "a", eventSchemaVersion: 1, eventTimestamp: "2026-06-01T02:48:57.132Z" },
});

/** Gives messages to the consumer of the reports. Returns what became of each. */
async function report(
  bodies: unknown[],
  { ageMs = 0, on = env }: { ageMs?: number; on?: typeof env } = {},
): Promise<string[]> {
  const ends = bodies.map(() => "none");
  const messages = bodies.map((body, index) => ({
    ...{ id: String(index), timestamp: new Date(Date.now() - ageMs), body, attempts: 3 },
    ack: () => (ends[index] = "acknowledged"),
    retry: () => (ends[index] = "again"),
  }));
  await consume({ queue: "petrel-mail-reports", messages } as unknown as MessageBatch, on, createExecutionContext());
  return ends;
}

describe("an event of the service in the queue", () => {
  const bounce = (type: string) => ({
    bounce: { type, classification: "permanent_failure", reason: "550 5.1.1 Unknown" },
  });

  it.each<[kind: string, more: object, status: string, bounces: string[]]>([
    ["delivered", {}, "DELIVERED", []],
    ["complained", { complaint: { type: "abuse" } }, "COMPLAINED", []],
    ["bounced", bounce("hard"), "BOUNCED", ["hard"]],
    ["bounced", bounce("soft"), "BOUNCED", ["soft"]],
    ["deferred", bounce("soft"), "SENT", ["soft"]],
    ["failed", { failure: { reason: "delivery_failed" } }, "BOUNCED", ["soft"]],
    ["rejected", { rejection: { reason: "suppressed" } }, "BOUNCED", ["soft"]],
    ["forgotten", {}, "SENT", []],
  ])("of kind %s, with %o, makes the mail %s, also twice", async (kind, more, status, bounces) => {
    const { world, project } = await scene();
    await world.drain();
    const one = event(kind, project, more);
    expect(await report([one, one])).toEqual(["acknowledged", "acknowledged"]);
    expect(await onlyEmail(project)).toMatchObject({ status });
    expect(await bouncesOf(project)).toEqual(bounces);
  });

  it("comes again while its mail is not recorded, and then counts", async () => {
    const { world, project } = await scene();
    const delivered = event("delivered", project);
    expect(await report([delivered])).toEqual(["again"]);
    await world.drain();
    expect(await report([delivered])).toEqual(["acknowledged"]);
    expect(await onlyEmail(project)).toMatchObject({ status: "DELIVERED" });
  });

  it("is dropped after six hours, and at once when it is no report", async () => {
    const project = await newProject();
    expect(await report([event("delivered", project)], { ageMs: 5 * hourMs })).toEqual(["again"]);
    expect(await report([event("delivered", project)], { ageMs: 7 * hourMs })).toEqual(["acknowledged"]);
    expect(await report([{ type: "cf.r2.object.created" }, null, 7, event("opened", project)])).toEqual([
      ...["acknowledged", "acknowledged", "acknowledged", "acknowledged"],
    ]);
  });

  it("comes again alone when the database of its project is away", async () => {
    const { world, project } = await scene();
    await world.drain();
    const away = {
      prepare: () => {
        throw new Error("The database is away");
      },
    } as unknown as D1Database;
    const on = { ...env, DB: away };
    expect(await report([event("complained", project), { type: "other" }], { on })).toEqual(["again", "acknowledged"]);
    expect(await onlyEmail(project)).toMatchObject({ status: "SENT" });
  });

  it("finds the mail of a campaign too", async () => {
    const { world, project } = await scene();
    await world.drain();
    await project.db
      .prepare("UPDATE emails SET campaign_id = ? WHERE project_id = ?")
      .bind(textOf(newId()), project.number)
      .run();
    await report([event("delivered", project)]);
    expect(await onlyEmail(project)).toMatchObject({ status: "DELIVERED" });
  });

  it("changes no mail of the project that does not own the sender's domain", async () => {
    const { world, project } = await scene();
    await world.drain();
    const other = await newProject();
    await report([event("complained", other), event("complained", { ...project, domain: "nobody.example" })]);
    expect(await onlyEmail(project)).toMatchObject({ status: "SENT" });
  });
});

describe("mail that a routing rule brings", () => {
  function arrived(project: TestProject, fields: Partial<{ from: string; headers: Headers }> = {}) {
    const forwarded: string[] = [];
    const headers = new Headers({ From: "Ada <ada@example.com>", "Message-ID": "<r-1@example.com>" });
    const message = {
      ...{ from: "ada@example.com", to: `hello@${project.domain}`, headers, ...fields },
      forward: async (to: string) => forwarded.push(to),
    };
    return { forwarded, message: message as unknown as ForwardableEmailMessage };
  }

  const receive = (message: ForwardableEmailMessage, settings: Partial<Env> = {}) =>
    worker.email(message, { ...env, ...settings }, createExecutionContext());

  async function withAda() {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com" });
    return project;
  }

  it("is an event of its sender once, and goes on to the address of the setting", async () => {
    const project = await withAda();
    const { message, forwarded } = arrived(project);
    await receive(message, { RECEIVED_MAIL_TO: "team@example.com" });
    await receive(message);
    expect(await eventCounts(project)).toMatchObject({ "email.received": 1 });
    expect(forwarded).toEqual(["team@example.com"]);
  });

  it("goes on also when it cannot be recorded", async () => {
    const project = await withAda();
    const { message, forwarded } = arrived(project);
    const away = {
      prepare: () => {
        throw new Error("The database is away");
      },
    } as unknown as D1Database;
    await receive(message, { RECEIVED_MAIL_TO: "team@example.com", DB: away });
    expect(forwarded).toEqual(["team@example.com"]);
  });

  it("is no event when it is a bounce, or has no id", async () => {
    const project = await withAda();
    await receive(arrived(project, { from: "" }).message);
    await receive(arrived(project, { headers: new Headers({ From: "ada@example.com" }) }).message);
    expect(await eventCounts(project)).not.toHaveProperty("email.received");
  });
});
