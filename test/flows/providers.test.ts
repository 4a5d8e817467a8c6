import { env } from "cloudflare:workers";
import PostalMime from "postal-mime";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeTag } from "../../src/core/mail/tag";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { readConfig } from "../../src/platform/env";
import { framed } from "../support/framed";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import {
  type Manner,
  type ProviderDouble,
  postmarkDouble,
  resendDouble,
  secrets,
  sesDouble,
} from "../support/provider-doubles";
import { emailRows, eventCounts } from "../support/rows";
import { World } from "../support/world";

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

interface Scene {
  world: World;
  project: TestProject;
  provider: ProviderDouble;
}

type Open = (outside: Outside) => ProviderDouble;
const providers: [name: string, open: Open][] = [
  ["ses", sesDouble],
  ["resend", resendDouble],
  ["postmark", postmarkDouble],
];

/** One email on its way through a provider. */
async function scene(open: Open, fields: Record<string, unknown> = {}): Promise<Scene> {
  const provider = open(outside);
  const world = new World();
  world.settings = provider.settings;
  const project = await newProject();
  const { ctx } = await world.context(project);
  const sound = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hello", body: "<p>Hello</p>" };
  await sendEmails(ctx, SendEmail.parse({ ...sound, ...fields }));
  return { world, project, provider };
}

async function sendTo(world: World, project: TestProject, ...to: string[]): Promise<void> {
  const { ctx } = await world.context(project);
  const mail = { to, from: `hello@${project.domain}`, subject: "Hello", body: "<p>{{ email }}</p>" };
  await sendEmails(ctx, SendEmail.parse(mail));
}

/** How a provider says that it is about our account. */
function accountRefusals(name: string): [string, Manner][] {
  const own: Record<string, [string, Manner][]> = {
    ses: [
      ["sending paused", { status: 400, body: {}, headers: { "x-amzn-errortype": "SendingPausedException" } }],
      ["suspended", { status: 400, body: {}, headers: { "x-amzn-errortype": "AccountSuspendedException:" } }],
    ],
    resend: [["daily quota", { status: 429, body: { name: "daily_quota_exceeded", message: "Upgrade" } }]],
    postmark: [["pending", { status: 422, body: { ErrorCode: 412, Message: "Your account is pending" } }]],
  };
  return [["401", { status: 401, body: {} }], ["403", { status: 403, body: {} }], ...(own[name] ?? [])];
}

async function onlyEmail({ project }: Pick<Scene, "project">) {
  const [row, ...others] = await emailRows(project);
  expect(others).toEqual([]);
  return row;
}

describe.each(providers)("%s", (name, open) => {
  it("takes a mail, under our tag", async () => {
    const { world, project, provider } = await scene(open);
    await world.drain();
    const email = await onlyEmail({ project });
    expect(email).toMatchObject({ status: "SENT", attempts: 1, error: null });
    expect(provider.taken).toHaveLength(1);
    expect(provider.taken.map(provider.tagIn)).toEqual([writeTag({ projectId: project.id, emailId: email?.id ?? "" })]);
    const { body } = await project.api.get(`/emails/${email?.id}`);
    expect(body).toMatchObject({ provider: name, providerMessageId: provider.messageId });
    expect(await eventCounts(project)).toEqual({ "email.sent": 1 });
  });

  it("refuses a mail: it fails at once with the provider's reason, and without any secret", async () => {
    const { world, project, provider } = await scene(open);
    const said = `Not this one (${secrets.join(" ")})`;
    provider.manner = { status: 422, body: { message: said, Message: said, name: "validation_error", ErrorCode: 300 } };
    await world.drain();
    const email = await onlyEmail({ project });
    expect(email).toMatchObject({ status: "FAILED", attempts: 1 });
    expect(email?.error).toMatch(/^422 .*Not this one/);
    const own = Object.values(provider.settings).filter((value) => secrets.includes(String(value)));
    for (const secret of own) expect(email?.error).not.toContain(secret);
  });

  it.each([500, 503])(
    "is in trouble (%i): the mail is tried again, not before the time it asked for",
    async (status) => {
      const { world, project, provider } = await scene(open);
      provider.manner = { status, body: {}, headers: { "Retry-After": "600" } };
      await world.drain();
      expect(await onlyEmail({ project })).toMatchObject({ status: "QUEUED", attempts: 1 });
      provider.manner = "accept";
      await world.pass(9);
      expect(provider.taken).toHaveLength(0);
      await world.pass(2);
      expect(await onlyEmail({ project })).toMatchObject({ status: "SENT", attempts: 2 });
      expect(provider.taken).toHaveLength(1);
    },
  );

  it("is called too fast (429): its lane rests as long as it asks, and no try is used up", async () => {
    const { world, project, provider } = await scene(open);
    provider.manner = { status: 429, body: {}, headers: { "Retry-After": "300" } };
    await world.drain();
    expect(await onlyEmail({ project })).toMatchObject({ status: "QUEUED", attempts: 0 });
    const calls = outside.calls.length;
    await world.pass(4);
    expect(outside.calls).toHaveLength(calls);
    provider.manner = "accept";
    await world.pass(2);
    expect(await onlyEmail({ project })).toMatchObject({ status: "SENT", attempts: 1 });
  });

  it.each(accountRefusals(name))(
    "refuses the account (%s): mail waits, none fails, the log says so",
    async (_, manner) => {
      const { world, project, provider } = await scene(open);
      provider.manner = manner;
      await world.drain();
      for (let other = 0; other < 5; other++) await sendTo(world, project, `r${other}@example.com`);
      await world.drain();
      expect(outside.callsTo(provider.host)).toHaveLength(1);
      for (const row of await emailRows(project)) expect(row).toMatchObject({ status: "QUEUED", attempts: 0 });
      expect(world.logged.filter((line) => line.includes("refuses this account"))).toHaveLength(1);
      // One real mail is the probe, each time after twice the pause.
      await world.pass(4);
      expect(outside.callsTo(provider.host).length).toBeLessThanOrEqual(4);
      provider.manner = "accept";
      await world.pass(15);
      for (const row of await emailRows(project)) expect(row).toMatchObject({ status: "SENT", attempts: 1 });
    },
  );

  it("gives no answer: it is waited for 30 seconds, and the call counts as lost", async () => {
    const patience = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => AbortSignal.abort(new Error("timeout")));
    const { world, project, provider } = await scene(open);
    provider.manner = "no answer";
    await world.drain();
    expect(patience).toHaveBeenCalledWith(30_000);
    expect((await onlyEmail({ project }))?.status).toBe(name === "resend" ? "QUEUED" : "UNKNOWN");
  });

  it("is never told of a mail with a header that steers it", async () => {
    const ofProvider: Record<string, string[]> = {
      ses: ["X-SES-Message-Tags", "x-petrel-tag"],
      resend: ["Resend-Idempotency-Key"],
      postmark: ["X-PM-Tag"],
    };
    for (const steering of ofProvider[name] ?? [""]) {
      const { world, project } = await scene(open, { headers: { [steering]: "petrel=other" } });
      await world.drain();
      expect(outside.calls).toEqual([]);
      expect(await onlyEmail({ project })).toMatchObject({ status: "FAILED" });
      expect((await onlyEmail({ project }))?.error).toContain(steering);
    }
  });

  it("is refused as a setting without its credentials", () => {
    expect(() => readConfig({ ...env, MAIL_PROVIDER: name })).toThrow(/MAIL_PROVIDER is .* which needs [A-Z_]+/);
  });
});

describe.each([
  ["cut before accepting", 0],
  ["cut after accepting", 1],
  ["cut within the answer", 1],
] as const)("a connection that is %s", (manner, taken) => {
  it.each(providers.filter(([name]) => name !== "resend"))("leaves the mail UNKNOWN with %s", async (_, open) => {
    const { world, project, provider } = await scene(open);
    provider.manner = manner;
    await world.drain();
    provider.manner = "accept";
    await world.pass(4);
    await world.pass(56, 8);
    expect(await onlyEmail({ project })).toMatchObject({ status: "UNKNOWN", attempts: 1 });
    expect(provider.taken).toHaveLength(taken);
    expect(await eventCounts(project)).toEqual({});
  });

  it("is tried again with resend, under the same key: it takes exactly one mail", async () => {
    const { world, project, provider } = await scene(resendDouble);
    provider.manner = manner;
    await world.drain();
    expect(await onlyEmail({ project })).toMatchObject({ status: "QUEUED", attempts: 1 });
    provider.manner = "accept";
    await world.pass(2);
    const email = await onlyEmail({ project });
    expect(email).toMatchObject({ status: "SENT", attempts: 2 });
    expect(provider.taken).toHaveLength(1);
    const keys = outside.callsTo(provider.host).map(({ headers }) => headers.get("Idempotency-Key"));
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    const bodies = new Set(outside.callsTo(provider.host).map(({ json }) => JSON.stringify(json)));
    expect(bodies.size).toBe(1);
    expect(await eventCounts(project)).toEqual({ "email.sent": 1 });
  });
});

it("resend that still serves our first call is asked again, not given up", async () => {
  const { world, project, provider } = await scene(resendDouble);
  provider.manner = "cut after accepting";
  await world.drain();
  provider.manner = { status: 409, body: { name: "concurrent_idempotent_requests", message: "In flight" } };
  await world.pass(1);
  expect(await onlyEmail({ project })).toMatchObject({ status: "QUEUED", attempts: 2 });
  provider.manner = "accept";
  await world.pass(3);
  expect(await onlyEmail({ project })).toMatchObject({ status: "SENT" });
  expect(provider.taken).toHaveLength(1);
});

it("resend that knows the key with another mail is believed: UNKNOWN after a lost call", async () => {
  const { world, project, provider } = await scene(resendDouble);
  provider.manner = "cut after accepting";
  await world.drain();
  provider.manner = { status: 409, body: { name: "invalid_idempotent_request", message: "Other body" } };
  await world.pass(2);
  expect(await onlyEmail({ project })).toMatchObject({ status: "UNKNOWN" });
});

it("a mail with an unknown outcome stays UNKNOWN when another provider takes over", async () => {
  const { world, project, provider } = await scene(resendDouble);
  provider.manner = "cut after accepting";
  await world.drain();
  const other = sesDouble(outside);
  world.settings = other.settings;
  await world.pass(2);
  expect(await onlyEmail({ project })).toMatchObject({ status: "UNKNOWN" });
  expect(other.taken).toEqual([]);
});

it("ses that throttles with a 400 is busy all the same", async () => {
  const { world, project, provider } = await scene(sesDouble);
  provider.manner = {
    status: 400,
    body: { message: "Maximum sending rate exceeded" },
    headers: { "x-amzn-errortype": "ThrottlingException:http://internal.amazon.com/" },
  };
  await world.drain();
  expect(await onlyEmail({ project })).toMatchObject({
    status: "QUEUED",
    error: "400 ThrottlingException: Maximum sending rate exceeded",
  });
});

it("ses that refuses the signature says nothing of the request it quotes", async () => {
  const { world, project } = await scene(sesDouble);
  world.settings = { ...world.settings, SES_SECRET_ACCESS_KEY: "another" };
  await world.drain();
  expect(await onlyEmail({ project })).toMatchObject({ status: "QUEUED", error: "403" });
});

describe("what is handed over", () => {
  const fields = {
    to: { email: "ada@example.com", name: 'Ada "the" Ærø' },
    subject: "Grüße 🐦",
    body: "<p>Hello Ærø</p>",
    name: "Petrel, Inc.",
    reply: "answers@example.com",
    headers: { "X-Order-Id": "1042" },
  };

  it("is the finished MIME with ses, with its tag among the headers, and its configuration set", async () => {
    const { world, provider } = await scene(sesDouble, fields);
    await world.drain();
    const [call] = provider.taken;
    expect(call?.json.ConfigurationSetName).toBe("petrel");
    const mail = await PostalMime.parse(Uint8Array.from(atob(call?.json.Content.Raw.Data), (c) => c.charCodeAt(0)));
    const tags = mail.headers.filter(({ key }) => key === "x-petrel-tag").map(({ value }) => value);
    expect(tags).toEqual(provider.taken.map(provider.tagIn));
    expect(mail.subject).toBe("Grüße 🐦");
    expect(mail.html).toContain("Hello Ærø");
    expect(mail.from?.name).toBe("Petrel, Inc.");
    expect(mail.to).toEqual([expect.objectContaining({ address: "ada@example.com", name: 'Ada "the" Ærø' })]);
  });

  it("goes with ses to its recipient alone, from its sender, whatever the headers say", async () => {
    const name = "Grüße aus der Poststelle für sehr lange Absendernamen, die nicht in eine Zeile passen";
    const { world, project, provider } = await scene(sesDouble, { ...fields, name });
    await world.drain();
    const { Destination, FromEmailAddress } = provider.taken[0]?.json ?? {};
    expect(Destination).toEqual({ ToAddresses: ["ada@example.com"] });
    expect(FromEmailAddress).toMatch(/^[\x20-\x7e]+$/);
    const { from } = await PostalMime.parse(`From: ${FromEmailAddress}\r\n\r\n`);
    expect(from).toMatchObject({ name, address: `hello@${project.domain}` });
  });

  it("is whole with ses also when it takes many pieces", async () => {
    const body = `<p>${"ä€🐦x".repeat(60_000)}</p>`;
    const { world, provider } = await scene(sesDouble, { body });
    await world.drain();
    const raw = atob(provider.taken[0]?.json.Content.Raw.Data);
    const mail = await PostalMime.parse(Uint8Array.from(raw, (c) => c.charCodeAt(0)));
    expect(mail.html?.trim()).toBe(framed(body));
  });

  it("is a JSON of its own with resend", async () => {
    const { world, project, provider } = await scene(resendDouble, fields);
    await world.drain();
    expect(provider.taken[0]?.json).toEqual({
      from: `"Petrel, Inc." <hello@${project.domain}>`,
      to: ['"Ada \\"the\\" Ærø" <ada@example.com>'],
      subject: "Grüße 🐦",
      html: framed("<p>Hello Ærø</p>"),
      text: "Hello Ærø",
      reply_to: "answers@example.com",
      headers: { "Auto-Submitted": "auto-generated", "X-Order-Id": "1042" },
      tags: [{ name: "petrel", value: expect.any(String) }],
    });
  });

  it("is a JSON of its own with postmark, in its stream", async () => {
    const { world, project, provider } = await scene(postmarkDouble, fields);
    await world.drain();
    expect(provider.taken[0]?.json).toEqual({
      From: `"Petrel, Inc." <hello@${project.domain}>`,
      To: '"Ada \\"the\\" Ærø" <ada@example.com>',
      Subject: "Grüße 🐦",
      HtmlBody: framed("<p>Hello Ærø</p>"),
      TextBody: "Hello Ærø",
      ReplyTo: "answers@example.com",
      Headers: [
        { Name: "Auto-Submitted", Value: "auto-generated" },
        { Name: "X-Order-Id", Value: "1042" },
      ],
      Metadata: { petrel: expect.any(String), "petrel-call": expect.any(String) },
      MessageStream: "outbound",
    });
  });
});

describe("files", () => {
  const fields = {
    body: '<img src="cid:logo">',
    attachments: [
      { filename: "Rechnung ä.pdf", content: "aGVsbG8=", contentType: "application/pdf" },
      { filename: "logo.png", content: "iVBORw==", contentType: "image/png", contentId: "logo", disposition: "inline" },
    ],
  };

  it("go along with ses, in the MIME", async () => {
    const { world, provider } = await scene(sesDouble, fields);
    await world.drain();
    const raw = atob(provider.taken[0]?.json.Content.Raw.Data);
    const { attachments } = await PostalMime.parse(Uint8Array.from(raw, (c) => c.charCodeAt(0)));
    expect(attachments.map(({ filename, contentId }) => [filename, contentId ?? null])).toEqual(
      expect.arrayContaining([
        ["Rechnung ä.pdf", null],
        ["logo.png", "<logo>"],
      ]),
    );
  });

  it("go along with resend", async () => {
    const { world, provider } = await scene(resendDouble, fields);
    await world.drain();
    expect(provider.taken[0]?.json.attachments).toEqual([
      { filename: "Rechnung ä.pdf", content: "aGVsbG8=", content_type: "application/pdf" },
      { filename: "logo.png", content: "iVBORw==", content_type: "image/png", content_id: "logo" },
    ]);
  });

  it("go along with postmark", async () => {
    const { world, provider } = await scene(postmarkDouble, fields);
    await world.drain();
    expect(provider.taken[0]?.json.Attachments).toEqual([
      { Name: "Rechnung ä.pdf", Content: "aGVsbG8=", ContentType: "application/pdf" },
      { Name: "logo.png", Content: "iVBORw==", ContentType: "image/png", ContentID: "cid:logo" },
    ]);
  });
});

describe("marketing mail with postmark", () => {
  const asMarketing = async ({ project, world }: Scene) => {
    await project.db
      .prepare(
        "UPDATE email_contents SET type = 'MARKETING', link_base = 'https://petrel.example' WHERE project_id = ?",
      )
      .bind(project.id)
      .run();
    await world.drain();
  };

  it("fails without a broadcast stream, and is not handed over", async () => {
    const made = await scene(postmarkDouble);
    await asMarketing(made);
    expect(await onlyEmail(made)).toMatchObject({ status: "FAILED", error: expect.stringContaining("marketing") });
    expect(made.provider.taken).toEqual([]);
  });

  it("goes into the broadcast stream", async () => {
    const made = await scene(postmarkDouble);
    made.world.settings = { ...made.world.settings, POSTMARK_BROADCAST_STREAM: "broadcasts" };
    await asMarketing(made);
    expect(made.provider.taken.map(({ json }) => json.MessageStream)).toEqual(["broadcasts"]);
  });
});

it("a finished message that is too large for the provider is refused here", async () => {
  const { world, project, provider } = await scene(postmarkDouble, { body: `<p>${"x".repeat(1_000_000)}</p>` });
  const { platform } = world.process();
  const body = "x".repeat(11 * 1024 * 1024);
  const message = {
    emailId: "e",
    projectId: project.id,
    projectNumber: project.number,
    type: "TRANSACTIONAL" as const,
    from: { email: "a@example.com", written: "a@example.com", name: null },
    to: { email: "b@example.com", written: "b@example.com", name: null },
    replyTo: null,
    subject: "Hello",
    html: body,
    text: "Hello",
    headers: {},
    attachments: [],
    date: new Date(0),
  };
  const receipt = await platform.mailer.deliver([message], "key");
  expect(receipt?.[0]).toMatchObject({ kind: "refused", reason: expect.stringContaining("MB") });
  expect(provider.taken).toEqual([]);
});
