import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publicId } from "../../src/core/ids";
import { writeTag } from "../../src/core/mail/tag";
import { QueueMessage } from "../../src/core/messages";
import { newCampaign, recounted, storedCounts, type TestCampaign } from "../support/ledger";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { type ProviderDouble, postmarkDouble, resendDouble, sesDouble } from "../support/provider-doubles";
import { basic, type Hook, postHook, svix } from "../support/provider-hooks";
import {
  type Noticed,
  type OtherKind,
  postmarkNotice,
  type ReportKind,
  reportKinds,
  resendNotice,
  sesNotice,
} from "../support/provider-notices";
import { eventCounts } from "../support/rows";
import { newSegment, only } from "../support/segment";
import { SnsDouble } from "../support/sns-double";
import { delivered, newWebhook, type TestWebhook } from "../support/webhook";
import { World } from "../support/world";

let outside: Outside;
let sns: SnsDouble;
beforeEach(async () => {
  outside = new Outside();
  sns = await new SnsDouble(outside).start();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

interface Provider {
  name: string;
  open(outside: Outside): ProviderDouble;
  hook(kind: ReportKind | OtherKind, noticed: Noticed): Promise<Hook>;
}

const providers: Provider[] = [
  {
    name: "ses",
    open: sesDouble,
    hook: async (...of) => ({ body: await sns.event(sesNotice(...of)), headers: { "Content-Type": "text/plain" } }),
  },
  { name: "resend", open: resendDouble, hook: async (...of) => svix(JSON.stringify(resendNotice(...of))) },
  {
    name: "postmark",
    open: postmarkDouble,
    hook: async (...of) => ({ body: JSON.stringify(postmarkNotice(...of)), headers: basic("petrel", "hook-password") }),
  },
];

/** The Worker's queues, as the world holds them. */
function queuesOf(world: World) {
  const queue = {
    async sendBatch(messages: { body: unknown; delaySeconds?: number }[]) {
      for (const { body, delaySeconds = 0 } of messages) {
        const queued = { message: QueueMessage.parse(body), delaySeconds };
        world.queue.push({ queued, due: world.now + delaySeconds * 1_000 });
      }
    },
  };
  return { EVENTS_QUEUE: queue, JOBS_QUEUE: queue };
}

interface Scene {
  world: World;
  project: TestProject;
  campaign: TestCampaign;
  webhook: TestWebhook;
  to: string;
  /** The provider says this of the campaign's first mail. */
  say(kind: ReportKind | OtherKind, notice?: number): Promise<void>;
  /** What waits in the queue and what cron does happens; minutes pass. */
  settle(): Promise<void>;
}

async function sceneOf(provider: Provider): Promise<Scene> {
  const [project, world] = [await newProject(), new World()];
  const { settings } = provider.open(outside);
  const campaign = await newCampaign(project, { recipients: 3, status: "SENT", provider: provider.name });
  const webhook = await newWebhook(world, project);
  outside.play(webhook.host, () => new Response("ok"));
  await newSegment(project, { name: "Bounced", condition: only("email.bounced", "triggered"), trackMembership: true });
  await world.drain();
  const [emailId] = campaign.emailIds;
  if (!emailId) throw new Error("There are three");
  const { body } = await project.api.get(`/emails/${publicId(emailId)}`);
  const noticed = { tag: writeTag({ projectId: project.id, emailId: body.id }), messageId: "m-1", to: body.to };
  return {
    ...{ project, world, campaign, webhook, to: body.to },
    async say(kind, notice = 1) {
      const hook = await provider.hook(kind, { ...noticed, notice });
      const answer = await postHook(provider.name, hook, { ...settings, ...queuesOf(world) });
      expect(answer, kind).toMatchObject({ status: 200, body: { success: true } });
    },
    async settle() {
      world.now = Math.max(world.now, Date.now());
      await world.pass(11);
    },
  };
}

/** What is left of the mail and its person. */
async function left({ project, campaign }: Scene) {
  const [emailId] = campaign.emailIds;
  const { body: email } = await project.api.get(`/emails/${emailId && publicId(emailId)}`);
  const { body: contact } = await project.api.get(`/contacts/${email.contactId}`);
  const { body: suppressions } = await project.api.get("/suppressions");
  return {
    status: email.status,
    subscribed: contact.subscribed,
    suppressed: suppressions.data.map((one: { email: string; reason: string }) => [one.email, one.reason]),
  };
}

async function countsOf({ world, project, campaign }: Scene) {
  const stored = await storedCounts(world, project, campaign);
  expect(stored).toEqual(await recounted(project, campaign));
  return Object.fromEntries(Object.entries(stored[""] ?? {}).filter(([, n]) => n > 0));
}

const hookTypes = ({ webhook }: Scene) => delivered(outside, webhook).map(({ type }) => type);

describe.each(providers)("what $name documents", (provider) => {
  it("of a hard bounce is followed to the webhook and the segment, each once, however often it comes", async () => {
    const scene = await sceneOf(provider);
    await scene.say("hard");
    await scene.say("hard");
    await scene.settle();
    await scene.say("hard");
    await scene.settle();
    const { to } = scene;
    expect(await left(scene)).toEqual({ status: "BOUNCED", subscribed: false, suppressed: [[to, "bounce"]] });
    expect(await countsOf(scene)).toEqual({ sent: 3, bounced: 1 });
    expect(await eventCounts(scene.project)).toEqual({
      ...{ "email.bounced": 1, "contact.unsubscribed": 1, "segment.bounced.entry": 1 },
    });
    const calls = delivered(outside, scene.webhook);
    expect(calls.map(({ type }) => type).sort()).toEqual([
      ...["contact.unsubscribed", "email.bounced", "segment.bounced.entry"],
    ]);
    const { body } = await scene.project.api.get("/events?name=email.bounced");
    expect(calls.find(({ type }) => type === "email.bounced")).toMatchObject({
      id: body.data[0].id,
      data: {
        ...{
          bounceType: "hard",
          reason: expect.stringMatching(/5\.1\.1|address is not known/),
          subject: "News",
          source: "CAMPAIGN",
        },
        ...{ campaignId: publicId(scene.campaign.id), contactEmail: to },
      },
    });
  });

  it.each<[order: ReportKind[], status: string]>([
    [["delivered", "hard", "complained"], "BOUNCED"],
    [["complained", "hard", "delivered"], "COMPLAINED"],
    [["hard", "complained", "delivered"], "BOUNCED"],
  ])("counts the same in the order %j", async (order, status) => {
    const scene = await sceneOf(provider);
    for (const kind of [...order, ...order]) await scene.say(kind);
    await scene.settle();
    expect(await left(scene)).toMatchObject({
      status,
      subscribed: false,
      suppressed: [[scene.to, expect.any(String)]],
    });
    expect(await countsOf(scene)).toEqual({ sent: 3, delivered: 1, bounced: 1, complained: 1 });
    const counts = await eventCounts(scene.project);
    expect(counts).toMatchObject({ "email.bounced": 1, "email.complained": 1, "contact.unsubscribed": 1 });
    expect(hookTypes(scene).sort()).toEqual(
      Object.entries(counts)
        .flatMap(([name, count]) => Array<string>(count).fill(name))
        .sort(),
    );
  });

  it("of a delay and of a mailbox that was full to the end unsubscribes nobody", async () => {
    const scene = await sceneOf(provider);
    await scene.say("delayed", 1);
    await scene.say("delayed", 2);
    await scene.settle();
    expect(await left(scene)).toMatchObject({ status: "SENT", subscribed: true, suppressed: [] });
    expect(await countsOf(scene)).toEqual({ sent: 3 });
    await scene.say("gave up", 3);
    await scene.settle();
    expect(await left(scene)).toMatchObject({ status: "BOUNCED", subscribed: true, suppressed: [] });
    expect(await countsOf(scene)).toEqual({ sent: 3, bounced: 1 });
  });

  it("beyond that is answered 200 and has no effect; what has no name here is logged once", async () => {
    const scene = await sceneOf(provider);
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    for (const kind of ["sent", "unknown", "unknown"] as const) await scene.say(kind);
    const lines = log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("that is ignored"));
    log.mockRestore();
    expect(lines.filter((line) => /levitat/i.test(line))).toHaveLength(1);
    await scene.settle();
    expect(await left(scene)).toMatchObject({ status: "SENT", subscribed: true });
    expect(await eventCounts(scene.project)).toEqual({});
    expect(hookTypes(scene)).toEqual([]);
  });

  it("opened and clicked, each told twice, count one person", async () => {
    const scene = await sceneOf(provider);
    for (const kind of ["clicked", "opened", "clicked", "opened"] as const) await scene.say(kind);
    await scene.settle();
    expect(await left(scene)).toMatchObject({ status: "CLICKED", subscribed: true });
    expect(await countsOf(scene)).toEqual({ sent: 3, delivered: 1, opened: 1, clicked: 1 });
  });

  it("all together, in a burst, leaves the neighbours of the same page as they were", async () => {
    const scene = await sceneOf(provider);
    await Promise.all([...reportKinds, ...reportKinds].map((kind) => scene.say(kind)));
    await scene.settle();
    expect(await countsOf(scene)).toMatchObject({ sent: 3, bounced: 1, complained: 1 });
    const { body } = await scene.project.api.get("/emails?status=SENT");
    expect(body.data).toHaveLength(2);
  });
});
