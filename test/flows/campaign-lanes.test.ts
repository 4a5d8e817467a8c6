import { expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { sendCampaign } from "../../src/features/campaigns/send";
import { handleMessage } from "../../src/queue";
import { addContacts, newCampaign } from "../support/campaign";
import { sendAs } from "../support/person";
import { newProject, type TestProject } from "../support/project";
import { accepts, World } from "../support/world";

const perCall = 100;
const recipients = 2_500;

interface Neighbours {
  world: World;
  own: TestProject;
  other: TestProject;
}

/** A campaign whose mail will wait by the thousands. */
async function campaignUnderWay(world: World): Promise<Neighbours> {
  const [own, other] = [await newProject(), await newProject()];
  world.mailsPerCall = perCall;
  await addContacts(own, recipients);
  const { id } = await newCampaign(own);
  const { ctx } = await world.context(own);
  await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
  return { world, own, other };
}

/** Runs the campaign, and does something else while its n-th call to the provider is open. */
async function runWith({ world }: Neighbours, n: number, act: () => Promise<void>): Promise<void> {
  let isOver = false;
  world.answer = async () => {
    if (world.calls.length === n && !isOver) {
      isOver = true;
      await act();
    }
    return accepts();
  };
  for (let second = 0; second < 40 && world.taken.length < recipients + 2; second++) {
    await world.drain();
    world.now += 1_000;
  }
}

/** One mail to each, as `/v1/send` takes it. A consumer of fresh mail hears of it at once, whoever works on the campaign. */
async function sendFresh({ world, own, other }: Neighbours): Promise<void> {
  for (const project of [own, other]) {
    await sendAs(world, project, {
      to: "now@example.com",
      from: `hi@${project.domain}`,
      subject: "Code",
      body: "1234",
    });
  }
  const fresh = world.queue.filter(({ queued }) => queued.message.type === "mail.deliver");
  expect(fresh).toHaveLength(2);
  world.queue = world.queue.filter((each) => !fresh.includes(each));
  for (const { queued } of fresh) await handleMessage(world.process().platform, queued.message);
}

/** The places of the fresh mails among all calls. */
function callsOfFresh({ world, own, other }: Neighbours): number[] {
  const fresh = world.taken.filter(({ to }) => to.email === "now@example.com");
  expect(fresh.map(({ projectId }) => projectId).sort()).toEqual([own.id, other.id].sort());
  return fresh.map(({ emailId }) => world.calls.findIndex(({ emailIds }) => emailIds.includes(emailId)));
}

it("is overtaken by transactional mail of its own project and of another while its call is open", async () => {
  const neighbours = await campaignUnderWay(new World());
  const { world } = neighbours;
  await runWith(neighbours, 10, () => sendFresh(neighbours));
  expect(callsOfFresh(neighbours)).toEqual([10, 11]);
  expect(world.taken).toHaveLength(recipients + 2);
});

it("leaves the next turns to them when the provider's pace is all taken", async () => {
  const neighbours = await campaignUnderWay(new World());
  const { world } = neighbours;
  world.paceRule = { perSecond: 4, transactionalShare: 0 };
  await runWith(neighbours, 10, () => sendFresh(neighbours));
  const [first, second] = callsOfFresh(neighbours);
  expect(first).toBe(10);
  expect(second).toBeLessThanOrEqual(11);
  expect(world.taken).toHaveLength(recipients + 2);
});

it("has few messages about it on the way, however much of its mail waits", async () => {
  const neighbours = await campaignUnderWay(new World());
  const { world } = neighbours;
  let most = 0;
  world.answer = () => {
    most = Math.max(most, world.queue.length);
    return accepts();
  };
  for (let second = 0; second < 10; second++) {
    await world.drain();
    world.now += 1_000;
  }
  expect(world.taken).toHaveLength(recipients);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(20);
});
