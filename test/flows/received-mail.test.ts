import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ReceivedMail } from "../../src/core/mail/notices/received";
import { takeMail } from "../../src/features/hooks/take-mail";
import { wasKilled } from "../support/killable";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { postmarkDouble, resendDouble, sesDouble } from "../support/provider-doubles";
import { basic, type Hook, postHook, svix } from "../support/provider-hooks";
import { type Incoming, postmarkReceived, resendReceived, sesReceived } from "../support/provider-notices";
import { eventCounts } from "../support/rows";
import { newContact } from "../support/segment";
import { SnsDouble } from "../support/sns-double";
import { delivered, newWebhook } from "../support/webhook";
import { World } from "../support/world";

let outside: Outside;
let sns: SnsDouble;
beforeEach(async () => {
  outside = new Outside();
  sns = await new SnsDouble(outside).start();
});
afterEach(() => vi.unstubAllGlobals());

const providers: { name: string; open: typeof sesDouble; hook(mail: Incoming): Promise<Hook> }[] = [
  {
    name: "ses",
    open: sesDouble,
    hook: async (mail) => ({ body: await sns.event(sesReceived(mail)), headers: { "Content-Type": "text/plain" } }),
  },
  { name: "resend", open: resendDouble, hook: async (mail) => svix(JSON.stringify(resendReceived(mail))) },
  {
    name: "postmark",
    open: postmarkDouble,
    hook: async (mail) => ({
      body: JSON.stringify(postmarkReceived(mail)),
      headers: basic("petrel", "hook-password"),
    }),
  },
];

async function receivedOf(project: TestProject): Promise<object[]> {
  return (await project.api.get("/events?name=email.received")).body.data;
}

describe.each(providers)("mail that $name received", ({ name, open, hook }) => {
  async function receive(mail: Partial<Incoming> & Pick<Incoming, "to">): Promise<void> {
    const call = await hook({ id: "in-1", from: "Ada <ada@example.com>", ...mail });
    expect((await postHook(name, call, open(outside).settings)).status).toBe(200);
  }

  it("is an event of its sender, once however often the notice comes, without content", async () => {
    const project = await newProject();
    const { id: contactId } = await newContact(project, "ada@example.com");
    const to = `help@${project.domain}`;
    for (let time = 0; time < 3; time++) await receive({ to: [to] });
    expect(await receivedOf(project)).toEqual([
      {
        ...{
          id: expect.any(String),
          name: "email.received",
          contactId,
          contactEmail: "ada@example.com",
          emailId: null,
        },
        ...{ source: "SYSTEM", data: { to }, createdAt: expect.any(String) },
      },
    ]);
    await receive({ id: "in-2", to: [to] });
    expect(await receivedOf(project)).toHaveLength(2);
    const { results } = await project.db
      .prepare("SELECT response FROM idempotency_effects WHERE project_id = ?")
      .bind(project.number)
      .all();
    expect(JSON.stringify(results)).not.toContain("ada@example.com");
  });

  it("from nobody who is a contact creates nothing", async () => {
    const project = await newProject();
    await receive({ to: [`help@${project.domain}`] });
    expect(await eventCounts(project)).toEqual({});
    expect((await project.api.get("/contacts")).body.data).toEqual([]);
  });

  it("to a domain of no project, or not verified any more, is nobody's", async () => {
    const project = await newProject();
    await newContact(project, "ada@example.com");
    await receive({ to: ["help@elsewhere.test", `help@sub.${project.domain}`] });
    expect(await receivedOf(project)).toEqual([]);
  });

  it("concerns the project that it was brought to, whatever its headers say", async () => {
    const [project, other] = [await newProject(), await newProject()];
    for (const each of [project, other]) await newContact(each, "ada@example.com");
    await receive({ delivered: [`help@${project.domain}`], to: [`help@${other.domain}`] });
    expect([(await receivedOf(project)).length, (await receivedOf(other)).length]).toEqual([1, 0]);
  });

  it("from an address that is none is answered 200, and nothing happens", async () => {
    const project = await newProject();
    await newContact(project, "ada@example.com");
    for (const from of ["", "ada@example.com, eve@evil.test", "<<<", "x".repeat(5_000)]) {
      await receive({ from, to: [`help@${project.domain}`] });
    }
    expect(await eventCounts(project)).toEqual({});
  });
});

const mailTo = (project: TestProject, more: Partial<ReceivedMail> = {}): ReceivedMail => ({
  ...{
    receivedId: "in-1",
    from: "ada@example.com",
    isAutomatic: false,
    delivered: [],
    written: [`help@${project.domain}`],
  },
  ...more,
});

describe("a received mail", () => {
  it("is told to the webhooks that listen", async () => {
    const [project, world] = [await newProject(), new World()];
    await newContact(project, "ada@example.com");
    const webhook = await newWebhook(world, project, ["email.received"]);
    outside.play(webhook.host, () => new Response("ok"));
    await takeMail(world.process().platform, "ses", mailTo(project, { isAutomatic: true }));
    await world.drain();
    const data = { to: `help@${project.domain}`, automated: true, contactEmail: "ada@example.com" };
    expect(delivered(outside, webhook)).toMatchObject([{ type: "email.received", data }]);
  });

  it.each([1, 2, 3, 4].flatMap((atStep) => (["before", "after"] as const).map((when) => ({ atStep, when }))))(
    "has one event, though its first notice is killed: %o",
    async (death) => {
      const [project, world] = [await newProject(), new World()];
      await newContact(project, "ada@example.com");
      await takeMail(world.process(death).platform, "ses", mailTo(project)).catch((error) => {
        if (!wasKilled(error)) throw error;
      });
      await Promise.all([1, 2].map(() => takeMail(world.process().platform, "ses", mailTo(project))));
      expect(await eventCounts(project)).toEqual({ "email.received": 1 });
    },
  );

  it("of a person who was erased is recorded for nobody", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newContact(project, "ada@example.com");
    await project.api.delete(`/contacts/${id}`);
    await takeMail(world.process().platform, "ses", mailTo(project));
    expect((await eventCounts(project))["email.received"]).toBeUndefined();
  });
});
