import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeTag } from "../../src/core/mail/tag";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { type ProviderDouble, postmarkDouble, resendDouble, sesDouble } from "../support/provider-doubles";
import { basic, type Hook, postHook as post, svix } from "../support/provider-hooks";
import { expectRefusal } from "../support/refusal";
import { emailRows, eventCounts } from "../support/rows";
import { SnsDouble } from "../support/sns-double";
import { World } from "../support/world";

let outside: Outside;
let sns: SnsDouble;
beforeEach(async () => {
  outside = new Outside();
  sns = await new SnsDouble(outside).start();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

type Kind = "delivered" | "hard" | "soft" | "complained" | "opened" | "clicked" | "scanned" | "nothing";

/** How one provider says a thing of a mail. A null tag is one that does not come back. */
interface Dialect {
  name: string;
  open(outside: Outside): ProviderDouble;
  say(kind: Kind, tag: string | null, messageId: string): Promise<Hook>;
}

const link = "https://shop.example/sale?item=1";
const person = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const scanner = "Barracuda Sentinel (EE)";
const openedAt = "2026-01-01T09:00:00.000Z";
const clickedAt = "2026-01-01T09:00:01.000Z";
const sesClick = (userAgent: string) => ({
  eventType: "Click",
  click: { ipAddress: "192.0.2.1", link, linkTags: { item: ["1"] }, timestamp: clickedAt, userAgent },
});
const resendClick = (userAgent: string) => ({
  type: "email.clicked",
  click: { ipAddress: "192.0.2.1", link, timestamp: clickedAt, userAgent },
});
const postmarkClick = (UserAgent: string) => ({
  ...{ RecordType: "Click", ClickLocation: "HTML", OriginalLink: link, ReceivedAt: clickedAt, UserAgent },
  ...{ Recipient: "ada@example.com", MessageStream: "outbound", Platform: "Desktop" },
});

const sesEvents: Record<Kind, object> = {
  delivered: { eventType: "Delivery" },
  hard: { eventType: "Bounce", bounce: { bounceType: "Permanent", bounceSubType: "General" } },
  soft: { eventType: "Bounce", bounce: { bounceType: "Transient", bounceSubType: "MailboxFull" } },
  complained: { eventType: "Complaint", complaint: {} },
  opened: { eventType: "Open", open: { ipAddress: "192.0.2.1", timestamp: openedAt, userAgent: person } },
  clicked: sesClick(person),
  scanned: sesClick(scanner),
  nothing: { eventType: "Send" },
};
const resendEvents: Record<Kind, { type: string; bounce?: object; click?: object }> = {
  delivered: { type: "email.delivered" },
  hard: { type: "email.bounced", bounce: { type: "Permanent", subType: "General", message: "No such user" } },
  soft: { type: "email.bounced", bounce: { type: "Transient", subType: "MailboxFull", message: "Full" } },
  complained: { type: "email.complained" },
  opened: { type: "email.opened" },
  clicked: resendClick(person),
  scanned: resendClick(scanner),
  nothing: { type: "email.sent" },
};
const postmarkEvents: Record<Kind, object> = {
  delivered: { RecordType: "Delivery" },
  hard: { RecordType: "Bounce", Type: "HardBounce" },
  soft: { RecordType: "Bounce", Type: "SoftBounce" },
  complained: { RecordType: "SpamComplaint", Type: "SpamComplaint" },
  opened: { RecordType: "Open", FirstOpen: true, ReceivedAt: openedAt, UserAgent: person, ReadSeconds: 5 },
  clicked: postmarkClick(person),
  scanned: postmarkClick(scanner),
  nothing: { RecordType: "SubscriptionChange" },
};

function resendBody(kind: Kind, tag: string | null, messageId: string): string {
  const { type, ...more } = resendEvents[kind];
  const data = { email_id: messageId, tags: tag === null ? {} : { petrel: tag }, ...more };
  return JSON.stringify({ type, created_at: openedAt, data });
}

const dialects: Dialect[] = [
  {
    name: "ses",
    open: sesDouble,
    async say(kind, tag, messageId) {
      const mail = { messageId, tags: tag === null ? undefined : { petrel: [tag] } };
      return { body: await sns.event({ ...sesEvents[kind], mail }), headers: { "Content-Type": "text/plain" } };
    },
  },
  { name: "resend", open: resendDouble, say: async (...args) => svix(resendBody(...args)) },
  {
    name: "postmark",
    open: postmarkDouble,
    async say(kind, tag, messageId) {
      const Metadata = tag === null ? {} : { petrel: tag };
      const body = JSON.stringify({ ...postmarkEvents[kind], MessageID: messageId, Metadata });
      return { body, headers: basic("petrel", "hook-password") };
    },
  },
];

interface Scene {
  world: World;
  project: TestProject;
  provider: ProviderDouble;
  emailId: string;
  tag: string;
  /** The provider says these things, one after the other. */
  hear(...kinds: Kind[]): Promise<void>;
}

async function sent(dialect: Dialect, manner: ProviderDouble["manner"] = "accept"): Promise<Scene> {
  const world = new World();
  const double = dialect.open(outside);
  double.manner = manner;
  world.settings = double.settings;
  const project = await newProject();
  const { ctx } = await world.context(project);
  const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi", subscribed: true };
  await sendEmails(ctx, SendEmail.parse(call));
  await world.drain();
  const [row] = await emailRows(project);
  const emailId = row?.id ?? "";
  const tag = writeTag({ projectId: project.id, emailId });
  async function hear(...kinds: Kind[]) {
    for (const kind of kinds) {
      const answer = await post(dialect.name, await dialect.say(kind, tag, double.messageId), double.settings);
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
    }
  }
  return { world, project, provider: double, emailId, tag, hear };
}

async function statusOf({ project }: Pick<Scene, "project">): Promise<string | undefined> {
  return (await emailRows(project))[0]?.status;
}

describe.each(dialects)("reports of $name", (dialect) => {
  it("move a mail on, with one event each, however often they come", async () => {
    const scene = await sent(dialect);
    await scene.hear("nothing", "delivered", "delivered");
    expect(await statusOf(scene)).toBe("DELIVERED");
    await scene.hear("delivered", "complained", "complained", "delivered");
    expect(await statusOf(scene)).toBe("COMPLAINED");
    expect(await eventCounts(scene.project)).toEqual({
      "email.sent": 1,
      "email.delivered": 1,
      "email.complained": 1,
      "contact.unsubscribed": 1,
    });
  });

  it("of a hard bounce unsubscribe and suppress", async () => {
    const scene = await sent(dialect);
    await scene.hear("hard", "delivered", "hard");
    expect(await statusOf(scene)).toBe("BOUNCED");
    expect(await eventCounts(scene.project)).toEqual({
      "email.sent": 1,
      "email.bounced": 1,
      "contact.unsubscribed": 1,
    });
    expect((await scene.project.api.send()).body.data.emails[0].status).toBe("SUPPRESSED");
  });

  it("of a soft bounce do neither", async () => {
    const scene = await sent(dialect);
    await scene.hear("soft");
    expect(await statusOf(scene)).toBe("BOUNCED");
    expect(await eventCounts(scene.project)).toEqual({ "email.sent": 1, "email.bounced": 1 });
  });

  it("of opens and clicks are recorded like our own, whatever comes first", async () => {
    const scene = await sent(dialect);
    await scene.hear("clicked");
    const clicked = (await scene.project.api.get(`/emails/${scene.emailId}`)).body;
    expect(clicked).toMatchObject({
      status: "CLICKED",
      opens: 0,
      clicks: 1,
      clickedAt,
      deliveredAt: expect.any(String),
    });
    expect(clicked.events.at(-1)).toMatchObject({ name: "email.clicked", data: { link } });
    await scene.hear("opened", "delivered");
    const opened = (await scene.project.api.get(`/emails/${scene.emailId}`)).body;
    expect(opened).toMatchObject({ status: "CLICKED", opens: 1, clicks: 1, openedAt });
    await scene.hear("complained");
    expect(await statusOf(scene)).toBe("COMPLAINED");
    expect(await eventCounts(scene.project)).toMatchObject({
      ...{ "email.sent": 1, "email.delivered": 1, "email.opened": 1, "email.clicked": 1, "email.complained": 1 },
    });
  });

  it("of a scanner's click say that it is one", async () => {
    const scene = await sent(dialect);
    await scene.hear("scanned");
    const { body } = await scene.project.api.get(`/emails/${scene.emailId}`);
    expect(body).toMatchObject({ status: "SENT", clicks: 0, clickedAt: null });
    expect(body.events.at(-1)).toMatchObject({ name: "email.clicked", data: { link, automated: true } });
  });

  it("of opens and clicks that come twice count once", async () => {
    const scene = await sent(dialect);
    for (const kind of ["opened", "clicked"] as const) {
      const hook = await dialect.say(kind, scene.tag, scene.provider.messageId);
      for (let n = 0; n < 3; n++) await post(dialect.name, hook, scene.provider.settings);
    }
    const { body } = await scene.project.api.get(`/emails/${scene.emailId}`);
    expect(body).toMatchObject({ status: "CLICKED", opens: 1, clicks: 1 });
    expect(await eventCounts(scene.project)).toMatchObject({ "email.opened": 1, "email.clicked": 1 });
  });

  it("of an open of a mail that another provider carried have no effect", async () => {
    const scene = await sent(dialect);
    await scene.project.db.prepare("UPDATE emails SET provider = 'other' WHERE id = ?").bind(scene.emailId).run();
    await scene.hear("opened", "clicked");
    expect(await statusOf(scene)).toBe("SENT");
  });

  it("settle a mail whose outcome was lost", async () => {
    const scene = await sent(dialect, "cut after accepting");
    expect(["UNKNOWN", "QUEUED"]).toContain(await statusOf(scene));
    await scene.hear("delivered");
    const { body } = await scene.project.api.get(`/emails/${scene.emailId}`);
    expect(body).toMatchObject({ status: "DELIVERED", error: null, providerMessageId: scene.provider.messageId });
    await scene.world.pass(10);
    expect(await statusOf(scene)).toBe("DELIVERED");
    expect(scene.provider.taken).toHaveLength(1);
    expect(await eventCounts(scene.project)).toEqual({ "email.sent": 1, "email.delivered": 1 });
  });

  it("may be faster than the answer to the call", async () => {
    const scene = await sent(dialect, { status: 503, body: {} });
    outside.play(scene.provider.host, async () => {
      await scene.hear("delivered");
      const { messageId } = scene.provider;
      return Response.json({ MessageId: messageId, id: messageId, ErrorCode: 0, MessageID: messageId });
    });
    await scene.world.pass(2);
    const { body } = await scene.project.api.get(`/emails/${scene.emailId}`);
    expect(body).toMatchObject({ status: "DELIVERED", providerMessageId: scene.provider.messageId });
    expect(await eventCounts(scene.project)).toEqual({ "email.sent": 1, "email.delivered": 1 });
  });

  it("find a mail by our tag alone: the provider's own id leads to none, and another's does not mislead", async () => {
    const scene = await sent(dialect);
    const { messageId, settings } = scene.provider;
    const untagged = await post(dialect.name, await dialect.say("hard", null, messageId), settings);
    expect(untagged.status).toBe(200);
    expect(await statusOf(scene)).toBe("SENT");
    expect(await eventCounts(scene.project)).toEqual({ "email.sent": 1 });
    const tagged = await post(dialect.name, await dialect.say("delivered", scene.tag, "another"), settings);
    expect(tagged.status).toBe(200);
    expect(await statusOf(scene)).toBe("DELIVERED");
  });

  it.each<[what: string, tag: (scene: Scene) => string | null]>([
    ["an email that is not there", ({ project }) => writeTag({ projectId: project.id, emailId: project.id })],
    ["a project that is not there", ({ emailId }) => writeTag({ projectId: emailId, emailId })],
    ["a tag that is not ours", () => null],
  ])("of %s are answered 200 and have no effect", async (_, tagOf) => {
    const scene = await sent(dialect);
    const answer = await post(
      dialect.name,
      await dialect.say("hard", tagOf(scene), "unheard-of"),
      scene.provider.settings,
    );
    expect(answer.status).toBe(200);
    expect(await statusOf(scene)).toBe("SENT");
    expect(await eventCounts(scene.project)).toEqual({ "email.sent": 1 });
  });

  it("of a mail that another provider carried have no effect", async () => {
    const scene = await sent(dialect);
    await scene.project.db.prepare("UPDATE emails SET provider = 'other' WHERE id = ?").bind(scene.emailId).run();
    await scene.hear("hard");
    expect(await statusOf(scene)).toBe("SENT");
  });

  it("are not listened to where the provider is not set up: 404", async () => {
    const hook = await dialect.say("delivered", null, "x");
    expectRefusal(await post(dialect.name, hook, {}), 404, "RESOURCE_NOT_FOUND", { details: expect.anything() });
  });

  it("are still listened to when another provider has taken over", async () => {
    const scene = await sent(dialect);
    const settings = { ...scene.provider.settings, MAIL_PROVIDER: "outbox" };
    const answer = await post(dialect.name, await dialect.say("delivered", scene.tag, "x"), settings);
    expect(answer.status).toBe(200);
    expect(await statusOf(scene)).toBe("DELIVERED");
  });

  it("that are too large are refused unread: 413", async () => {
    const { settings } = dialect.open(outside);
    const hook = await dialect.say("delivered", null, "x");
    const large = { ...hook, body: hook.body + " ".repeat(1024 * 1024) };
    expectRefusal(await post(dialect.name, large, settings), 413, "PAYLOAD_TOO_LARGE", { details: expect.anything() });
  });
});

/** A forged report of a hard bounce: refused, and nothing happened. */
async function expectForged(dialect: Dialect | undefined, forge: (scene: Scene) => Promise<Hook>): Promise<void> {
  if (!dialect) throw new Error("No such provider");
  const scene = await sent(dialect);
  expectRefusal(await post(dialect.name, await forge(scene), scene.provider.settings), 403, "INVALID_SIGNATURE");
  expect(await statusOf(scene)).toBe("SENT");
  expect(await eventCounts(scene.project)).toEqual({ "email.sent": 1 });
}

const [ses, resend, postmark] = dialects;
const bounceOf = ({ tag }: Scene) => ({ ...sesEvents.hard, mail: { messageId: "x", tags: { petrel: [tag] } } });

describe("the signature of SNS", () => {
  it("holds in both of its versions", async () => {
    for (const version of ["1", "2"] as const) {
      const scene = await sent(sesDialect());
      const body = await sns.event(bounceOf(scene), { version });
      expect((await post("ses", { body, headers: {} }, scene.provider.settings)).status).toBe(200);
      expect(await statusOf(scene)).toBe("BOUNCED");
    }
  });

  it.each<[what: string, forged: Record<string, unknown>]>([
    ["another message", { Message: JSON.stringify({ eventType: "Complaint" }) }],
    ["another time", { Timestamp: "2020-01-01T00:00:00.000Z" }],
    ["an added subject", { Subject: "Hello" }],
    ["another hash", { SignatureVersion: "1" }],
    ["no signature", { Signature: "" }],
    ["a signature that is none", { Signature: "%%%" }],
    ["an unknown version", { SignatureVersion: "3" }],
    ["another topic", { TopicArn: "arn:aws:sns:eu-west-1:999999999999:petrel" }],
  ])("does not hold for %s", async (_, forged) => {
    await expectForged(ses, async (scene) => ({ body: await sns.event(bounceOf(scene), { forged }), headers: {} }));
  });

  it("does not hold for a raw message, which has none", async () => {
    await expectForged(ses, async (scene) => ({ body: JSON.stringify(bounceOf(scene)), headers: {} }));
    await expectForged(ses, async () => ({ body: "not even JSON", headers: {} }));
  });

  it.each([
    "https://evil.example/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem",
    "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription",
  ])("of a certificate at %s is not even looked at", async (url) => {
    await expectForged(ses, async (scene) => {
      const body = await sns.event(bounceOf(scene));
      outside.calls = [];
      return { body: JSON.stringify({ ...JSON.parse(body), SigningCertURL: url }), headers: {} };
    });
    expect(outside.calls).toEqual([]);
  });

  it("asks for a certificate once", async () => {
    const scene = await sent(sesDialect());
    await scene.hear("delivered", "complained");
    expect(outside.callsTo(sns.host)).toHaveLength(1);
  });

  it("does not hold for a message of the day before yesterday, signed as it is", async () => {
    await expectForged(ses, async (scene) => {
      const Timestamp = new Date(Date.now() - 48 * 3_600_000).toISOString();
      return { body: await sns.message({ Message: JSON.stringify(bounceOf(scene)), Timestamp }), headers: {} };
    });
  });

  it("asks for a certificate that is not there once, however many messages name it", async () => {
    const scene = await sent(sesDialect());
    const body = await sns.event(bounceOf(scene));
    outside.play(sns.host, () => new Response("Not here", { status: 404 }));
    outside.calls = [];
    for (let i = 0; i < 3; i++) {
      expect((await post("ses", { body, headers: {} }, scene.provider.settings)).status).toBe(500);
    }
    expect(outside.callsTo(sns.host)).toHaveLength(1);
  });

  it("does not read a certificate without an end", async () => {
    const scene = await sent(sesDialect());
    const body = await sns.event(bounceOf(scene));
    let pieces = 0;
    const endless = () =>
      new ReadableStream({
        pull(stream) {
          pieces++;
          stream.enqueue(new Uint8Array(16 * 1024));
        },
      });
    outside.play(sns.host, () => new Response(endless()));
    expect((await post("ses", { body, headers: {} }, scene.provider.settings)).status).toBe(500);
    expect(pieces).toBeLessThan(10);
    expect(await statusOf(scene)).toBe("SENT");
  });

  it("cannot be checked without the certificate: 500, and SNS brings the report again", async () => {
    const scene = await sent(sesDialect());
    const body = await sns.event(bounceOf(scene));
    outside.play(sns.host, () => new Response("Not now", { status: 503 }));
    expect((await post("ses", { body, headers: {} }, scene.provider.settings)).status).toBe(500);
    expect(await statusOf(scene)).toBe("SENT");
  });
});

function sesDialect(): Dialect {
  if (!ses) throw new Error("No such provider");
  return ses;
}

describe("the subscription to SNS", () => {
  const query = "Action=ConfirmSubscription&TopicArn=arn:aws:sns:eu-west-1:123456789012:petrel&Token=token-1";
  const confirmUrl = `https://sns.eu-west-1.amazonaws.com/?${query}`;
  const confirmation = (url: string) => ({
    Type: "SubscriptionConfirmation" as const,
    Message: "You have chosen to subscribe",
    Token: "token-1",
    SubscribeURL: url,
  });

  it("confirms itself", async () => {
    const body = await sns.message(confirmation(confirmUrl));
    const answer = await post("ses", { body, headers: {} }, sesDouble(outside).settings);
    expect(answer.status).toBe(200);
    expect(sns.confirmed).toEqual(["token-1"]);
  });

  it.each([
    `https://evil.example/?${query}`,
    `http://sns.eu-west-1.amazonaws.com/?${query}`,
    "https://sns.eu-west-1.amazonaws.com/?Action=Publish&Message=hello&Token=token-1",
  ])("is not confirmed at %s, signed or not", async (url) => {
    const body = await sns.message(confirmation(url));
    expectRefusal(await post("ses", { body, headers: {} }, sesDouble(outside).settings), 403, "INVALID_SIGNATURE");
    expect(sns.confirmed).toEqual([]);
  });

  it("of another topic is not confirmed", async () => {
    const url = `https://${sns.host}/?Token=token-1`;
    const topic = { TopicArn: "arn:aws:sns:eu-west-1:999999999999:petrel" };
    const body = await sns.message({ ...confirmation(url), ...topic });
    expectRefusal(await post("ses", { body, headers: {} }, sesDouble(outside).settings), 403, "INVALID_SIGNATURE");
    expect(outside.calls).toEqual([]);
  });

  it("that ends is answered, and logged", async () => {
    const body = await sns.message({ ...confirmation(`https://${sns.host}/`), Type: "UnsubscribeConfirmation" });
    expect((await post("ses", { body, headers: {} }, sesDouble(outside).settings)).status).toBe(200);
    expect(sns.confirmed).toEqual([]);
  });
});

describe("the signature of resend", () => {
  const bounce = ({ tag }: Scene) => resendBody("hard", tag, "x");

  it.each<[what: string, forge: (scene: Scene) => Hook]>([
    ["another secret", (scene) => svix(bounce(scene), { secret: "whsec_b3RoZXI=" })],
    ["another body", (scene) => ({ ...svix("{}"), body: bounce(scene) })],
    [
      "another id",
      (scene) => ({ ...svix(bounce(scene)), headers: { ...svix(bounce(scene)).headers, "svix-id": "x" } }),
    ],
    ["no signature", (scene) => ({ body: bounce(scene), headers: {} })],
    ["a signature six minutes old", (scene) => svix(bounce(scene), { at: new Date(Date.now() - 360_000) })],
    ["a signature six minutes ahead", (scene) => svix(bounce(scene), { at: new Date(Date.now() + 360_000) })],
  ])("does not hold for %s", async (_, forge) => {
    await expectForged(resend, async (scene) => forge(scene));
  });

  it("holds for one of several, four minutes old", async () => {
    if (!resend) throw new Error("No such provider");
    const scene = await sent(resend);
    const { body, headers } = svix(bounce(scene), { at: new Date(Date.now() - 240_000) });
    const several = { ...headers, "svix-signature": `v1,b3RoZXI= ${headers["svix-signature"]} v2,x` };
    expect((await post("resend", { body, headers: several }, scene.provider.settings)).status).toBe(200);
    expect(await statusOf(scene)).toBe("BOUNCED");
  });
});

describe("the password of postmark", () => {
  it.each<[what: string, headers: Record<string, string>]>([
    ["no password", {}],
    ["another password", basic("petrel", "other")],
    ["another user", basic("other", "hook-password")],
    ["an empty one", basic("", "")],
    ["a bearer token", { Authorization: "Bearer hook-password" }],
  ])("does not hold for %s", async (_, headers) => {
    await expectForged(postmark, async ({ tag }) => {
      const event = { ...postmarkEvents.hard, MessageID: "x", Metadata: { petrel: tag } };
      return { body: JSON.stringify(event), headers };
    });
  });
});

describe("the door for reports", () => {
  it("knows no other provider: 404", async () => {
    for (const name of ["outbox", "mailgun", "__proto__", "constructor"]) {
      const answer = await post(name, { body: "{}", headers: {} }, sesDouble(outside).settings);
      expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", { details: expect.anything() });
    }
  });

  it("takes no key for a signature", async () => {
    const project = await newProject();
    const headers = { Authorization: `Bearer ${project.keys.secret}` };
    const { settings } = postmarkDouble(outside);
    expectRefusal(await post("postmark", { body: "{}", headers }, settings), 403, "INVALID_SIGNATURE");
  });
});
