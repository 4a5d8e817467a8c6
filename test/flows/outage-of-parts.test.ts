import { expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { sendCampaign } from "../../src/features/campaigns/send";
import type { ShardAddress, WorkflowShards } from "../../src/platform/workflow-shards";
import { handleMessage } from "../../src/queue";
import { addContacts, newCampaign } from "../support/campaign";
import type { Death } from "../support/killable";
import { newProject } from "../support/project";
import { newTemplate } from "../support/template";
import { addressOf, newWorkflow, track } from "../support/workflow";
import { World } from "../support/world";

const minuteMs = 60_000;
const people = 8;

class OutageWorld extends World {
  areObjectsAway = false;

  override process(death?: Death) {
    const { platform, process } = super.process(death);
    const away: WorkflowShards = {
      of: () => {
        throw new Error("The object is away");
      },
    };
    return { platform: this.areObjectsAway ? { ...platform, workflowShards: away } : platform, process };
  }

  /** Handles what is due. What fails is lost, as after its last try. */
  async consume(): Promise<void> {
    for (let turn = 0; turn < 1_000; turn++) {
      const index = this.queue.findIndex(({ due }) => due <= this.now);
      const [next] = index < 0 ? [] : this.queue.splice(index, 1);
      if (!next) return;
      await handleMessage(this.process().platform, next.queued.message).catch(() => {});
    }
    throw new Error("The queue never comes to rest");
  }
}

const outages: [string, (world: OutageWorld, shard: string, isOn: boolean) => void][] = [
  [
    "no database answers",
    (world, shard, isOn) => {
      world.outShard = isOn ? shard : null;
    },
  ],
  [
    "the queue loses every message",
    (world) => {
      world.queue = [];
    },
  ],
  [
    "the objects of workflows throw at each call",
    (world, _, isOn) => {
      world.areObjectsAway = isOn;
    },
  ],
];

it.each(outages)("an hour in which %s: campaign and workflow come to their end by themselves, once", async (_, set) => {
  const [world, project] = [new OutageWorld(), await newProject()];
  await addContacts(project, people);
  const template = await newTemplate(project, { subject: "Step", body: "<p>Hi</p>", type: "TRANSACTIONAL" });
  await newWorkflow(project, {
    steps: {
      update: ["UPDATE_CONTACT", { data: { seen: "yes" } }],
      mail: ["SEND_EMAIL", {}, { templateId: template.id }],
      pause: ["DELAY", { amount: 30, unit: "minutes" }],
      end: ["EXIT", { reason: "end" }],
    },
    ways: [
      ["TRIGGER", "update"],
      ["update", "mail"],
      ["mail", "pause"],
      ["pause", "end"],
    ],
  });
  const { id } = await newCampaign(project);
  const addresses: ShardAddress[] = [];
  const enter = async (n: number) =>
    addresses.push(
      addressOf(project, (await track(world, project, "signup", { email: `${n}-1@example.com` })).contactId),
    );
  // Half of them wait when it begins, and half are on their way.
  for (let n = 0; n < people / 2; n++) await enter(n);
  await world.drain();
  for (let n = people / 2; n < people; n++) await enter(n);
  const { ctx } = await world.context(project);
  const { shard } = ctx.project;
  await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});

  const goOn = async () => {
    world.now += 5 * minuteMs;
    if (!world.areObjectsAway) for (const address of addresses) await world.ring(address);
    await world.sweep();
  };
  let messages = 0;
  for (let passed = 0; passed < 60; passed += 5) {
    set(world, shard, true);
    await goOn();
    messages = Math.max(messages, world.queue.length);
    set(world, shard, true);
    await world.consume();
  }
  set(world, shard, false);
  expect(messages).toBeLessThan(3 * people);

  for (let passed = 0; passed < 70; passed += 5) {
    await goOn();
    await world.consume();
  }
  const executions = await project.db
    .prepare("SELECT status, exit_reason FROM workflow_executions WHERE project_id = ?")
    .bind(project.number)
    .all();
  expect(executions.results).toEqual(Array.from({ length: people }, () => ({ status: "EXITED", exit_reason: "end" })));
  const { body } = await project.api.get(`/campaigns/${id}`);
  expect(body).toMatchObject({ status: "SENT", sentCount: people });
  const emails = await project.db
    .prepare("SELECT source, status, count(*) AS n FROM emails WHERE project_id = ? GROUP BY 1, 2")
    .bind(project.number)
    .all();
  expect(emails.results).toEqual([
    { source: "CAMPAIGN", status: "SENT", n: people },
    { source: "WORKFLOW", status: "SENT", n: people },
  ]);
  expect(world.taken).toHaveLength(2 * people);
  expect(world.queue.length).toBeLessThan(people);
});
