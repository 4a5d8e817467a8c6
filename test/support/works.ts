import { newId, publicId, readId, textOf } from "../../src/core/ids";
import type { JobType, QueueMessage } from "../../src/core/messages";
import { openBatch } from "../../src/db/batch";
import { announceJob, insertJob } from "../../src/engine/jobs/queue-job";
import { queueEnd } from "../../src/engine/workflows/end";
import { startPreflight } from "../../src/features/campaigns/preflight/start";
import { scheduleCampaign } from "../../src/features/campaigns/schedule";
import { startCampaign } from "../../src/features/campaigns/start";
import { startBulk } from "../../src/features/contacts/bulk/start";
import { startImport } from "../../src/features/contacts/import/start";
import { startUndo } from "../../src/features/contacts/import/undo/start";
import { startRetry } from "../../src/features/emails/retry-many/start";
import { startBackup } from "../../src/features/projects/backups/start";
import { moveClock } from "../../src/features/projects/clock/move";
import { deleteProject } from "../../src/features/projects/delete";
import { testWebhook } from "../../src/features/webhooks/test";
import { deleteWorkflow } from "../../src/features/workflows/delete";
import type { Context } from "../../src/platform/context";
import { backUp } from "./backup";
import { newCampaign } from "./campaign";
import { importCsv, utf8 } from "./import";
import { elsewhere, startsMove } from "./move";
import type { Outside } from "./outside";
import type { TestProject } from "./project";
import { startRestore } from "./restore";
import { isPro, newSegment } from "./segment";
import { newTemplate } from "./template";
import { newHost, newWebhook } from "./webhook";
import { newWorkflow, track } from "./workflow";
import type { World } from "./world";

/** Where work begins. */
export interface Scene {
  world: World;
  outside: Outside;
  project: TestProject;
  ctx: Context;
}

/** Work that a message calls for. */
export interface Work {
  /** Settings of the project that it is for. */
  project?: Record<string, unknown>;
  /** How long it rests, sweep after sweep. A lease lasts two minutes, and a lost job is found after five. */
  restMinutes?: number[];
  /** How many of its last writes meet a fault as well, if the first ones say little about them. */
  lastWrites?: number;
  /** Puts its message into the queue of the world. */
  begin(scene: Scene): Promise<unknown>;
}

const ada = "ada@example.com";

async function startJob(ctx: Context, type: JobType, job: Partial<Parameters<typeof insertJob>[1]>): Promise<void> {
  const id = newId();
  const batch = openBatch(ctx);
  batch.add(insertJob(ctx, { id, type, ...job }));
  await batch.commit();
  await announceJob(ctx, type, id);
}

async function listening({ world, outside, project }: Scene): Promise<string> {
  const webhook = await newWebhook(world, project);
  outside.play(webhook.host, () => new Response("ok"));
  return webhook.id;
}

async function calling({ world, outside, project }: Scene): Promise<void> {
  const host = newHost(world);
  outside.play(host, () => Response.json({ ok: true }));
  await newWorkflow(project, {
    steps: { call: ["WEBHOOK", { url: `https://${host}/`, method: "POST" }], end: ["EXIT", { reason: "called" }] },
    ways: [
      ["TRIGGER", "call"],
      ["call", "end"],
    ],
  });
}

async function mailing({ project }: Scene): Promise<void> {
  const { id: templateId } = await newTemplate(project, { type: "TRANSACTIONAL" });
  await newWorkflow(project, {
    steps: {
      mail: ["SEND_EMAIL", {}, { templateId }],
      update: ["UPDATE_CONTACT", { data: { welcomed: "yes" } }],
      wait: ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: 3_600 }],
    },
    ways: [
      ["TRIGGER", "mail"],
      ["mail", "update"],
      ["update", "wait"],
    ],
  });
}

const contacts = async (project: TestProject) =>
  Promise.all(
    [ada, "grace@example.com"].map(
      async (email) => (await project.api.post("/contacts", { email, data: { plan: "pro" } })).body,
    ),
  );

const campaign = async ({ project, ctx }: Scene) => {
  await contacts(project);
  // To all: of MARKETING, it would depend on the order of work who is subscribed.
  const { id } = await newCampaign(project, { type: "TRANSACTIONAL" });
  await startCampaign(ctx, readId(id), "send");
};

const say = ({ world }: Scene, message: QueueMessage) => world.queue.push({ queued: { message }, due: world.now });

/** Every type of message but those of the delivery of mail and of sweeps, which have tests of their own. */
export const works: Record<
  Exclude<QueueMessage["type"], "mail.deliver" | "mail.drain" | "mail.settle" | "sweeps.run">,
  Work
> = {
  "events.dispatch": {
    begin: async (scene) => {
      await listening(scene);
      await mailing(scene);
      await track(scene.world, scene.project, "signup");
    },
  },
  "tracking.record": {
    begin: async (scene) => {
      const { body } = await scene.project.api.send({ scheduledAt: new Date(Date.now() + 86_400_000).toISOString() });
      const emailId = readId(body.data.emails[0].email);
      await scene.project.db
        .prepare("UPDATE emails SET status = 'SENT', due_at = NULL WHERE project_id = ? AND id = ?")
        .bind(scene.project.number, publicId(emailId))
        .run();
      const hit = { id: "hit", kind: "open" as const, emailId, at: scene.world.now, isAutomated: false };
      say(scene, { type: "tracking.record", projectId: scene.project.number, hits: [hit] });
    },
  },
  "domains.check": {
    begin: async (scene) => {
      const { body } = await scene.project.api.post("/domains", { domain: `d${crypto.randomUUID()}.test` });
      const domains = [{ projectId: scene.project.number, domainId: readId(body.id) }];
      say(scene, { type: "domains.check", domains });
    },
  },
  "campaigns.run": { begin: campaign },
  "campaigns.count": {
    begin: async (scene) => {
      const { world, project } = scene;
      await campaign(scene);
      await world.pass(2);
      const sent = await project.db
        .prepare("SELECT id FROM emails WHERE project_id = ?")
        .bind(project.number)
        .first("id");
      const hit = {
        id: "hit",
        kind: "open" as const,
        emailId: readId(String(sent)),
        at: world.now,
        isAutomated: false,
      };
      say(scene, { type: "tracking.record", projectId: project.number, hits: [hit] });
    },
  },
  "campaigns.preflight": {
    begin: async ({ project, ctx }) => {
      await contacts(project);
      const { id } = await newCampaign(project);
      await startPreflight(ctx, readId(id));
    },
  },
  "emails.retry": {
    begin: async ({ project, ctx }) => {
      const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
      await project.api.send({ to: [ada, "grace@example.com"], scheduledAt });
      await project.db
        .prepare(
          "UPDATE emails SET status = 'FAILED', scheduled_at = NULL, due_at = NULL, next_attempt_at = NULL WHERE project_id = ?",
        )
        .bind(project.number)
        .run();
      await startRetry(ctx, { status: "FAILED" });
    },
  },
  "events.delete": {
    begin: async ({ world, project, ctx }) => {
      const { eventId } = await track(world, project, "signup");
      const input = { name: "signup", before: `${textOf(eventId)}~`, total: 1 };
      await startJob(ctx, "events.delete", { input, state: { deletedCount: 0, from: null } });
    },
  },
  "contacts.import": {
    begin: ({ ctx }) => startImport(ctx, utf8(`email,data.plan\n${ada},pro\ngrace@example.com,free`)),
  },
  "contacts.import-undo": {
    begin: async ({ world, project, ctx }) => {
      const { jobId } = await importCsv(project, `email,plan\n${ada},pro\ngrace@example.com,free`, world);
      await startUndo(ctx, readId(jobId));
    },
  },
  "contacts.bulk": {
    begin: async ({ project, ctx }) => {
      const people = await contacts(project);
      await startBulk(ctx, "unsubscribe", { contactIds: people.map(({ id }) => readId(id)) });
    },
  },
  "contacts.erase": {
    begin: async ({ project, ctx }) => {
      const { body } = await project.api.send();
      const [{ contact }] = body.data.emails;
      await project.api.delete(`/contacts/${contact.id}`);
      const input = { contactIds: [readId(contact.id)] };
      await startJob(ctx, "contacts.erase", { input, state: { part: "emails", after: null } });
    },
  },
  "contacts.delete-field": {
    begin: async ({ project, ctx }) => {
      const people = await contacts(project);
      const upTo =
        people
          .map(({ id }) => textOf(readId(id)))
          .sort()
          .at(-1) ?? "";
      const input = { key: "plan", type: "string", isPublic: false };
      await startJob(ctx, "contacts.delete-field", { input, state: { after: "", upTo, passed: 0 } });
    },
  },
  "contacts.count-fields": {
    begin: async ({ project, ctx }) => {
      await contacts(project);
      await startJob(ctx, "contacts.count-fields", {});
    },
  },
  "segments.compute": {
    begin: async ({ world, project }) => {
      await contacts(project);
      await newSegment(project, { condition: isPro, trackMembership: true });
      await world.sweep("*/5 * * * *");
    },
  },
  "segments.count": {
    begin: async ({ world, project }) => {
      await newSegment(project);
      await contacts(project);
      world.now += 60_000;
      await project.db.prepare("UPDATE segments SET next_count_at = 1 WHERE project_id = ?").bind(project.number).run();
      await world.sweep("*/5 * * * *");
    },
  },
  "segments.delete-members": {
    begin: async ({ project, ctx }) => {
      await contacts(project);
      const { id } = await newSegment(project, { type: "STATIC", condition: undefined });
      await project.api.post(`/segments/${id}/members`, { emails: [ada] });
      await project.db.prepare("DELETE FROM segments WHERE project_id = ? AND id = ?").bind(project.number, id).run();
      await startJob(ctx, "segments.delete-members", { input: { segmentId: textOf(readId(id)) } });
    },
  },
  "webhooks.drain": {
    begin: async (scene) => {
      await listening(scene);
      await track(scene.world, scene.project, "signup");
    },
  },
  "webhooks.try": { begin: async (scene) => testWebhook(scene.ctx, readId(await listening(scene))) },
  "workflows.wake": {
    begin: async (scene) => {
      await mailing(scene);
      await track(scene.world, scene.project, "signup");
      await scene.world.drain();
      scene.world.now += 3_600_000;
      const shards = Array.from({ length: 16 }, (_, shard) => shard);
      say(scene, { type: "workflows.wake", projectId: scene.project.number, shards });
    },
  },
  "workflows.start": {
    begin: async ({ world, project }) => {
      await contacts(project);
      const { id: segmentId } = await newSegment(project);
      const { body } = await project.api.post("/workflows", {
        ...{ name: "Every day", triggerType: "SCHEDULE", triggerConfig: { cron: "30 4 * * *", segmentId } },
      });
      const config = { amount: 1, unit: "days" };
      const step = { type: "DELAY", config, connectFrom: body.steps[0].id };
      await project.api.post(`/workflows/${body.id}/steps`, step);
      await project.api.patch(`/workflows/${body.id}`, { enabled: true });
      world.now += 86_400_000;
      await world.sweep();
    },
  },
  "workflows.end": {
    begin: async (scene) => {
      await mailing(scene);
      await track(scene.world, scene.project, "signup");
      await queueEnd(scene.ctx);
    },
  },
  "workflows.forget": {
    begin: async ({ project, ctx }) => {
      const { id } = await newWorkflow(project);
      await deleteWorkflow(ctx, id);
      await startJob(ctx, "workflows.forget", { input: { workflowId: textOf(id) } });
    },
  },
  "workflows.vacate": {
    begin: async ({ world, project, ctx }) => {
      const day = { amount: 1, unit: "days" };
      const { id, steps } = await newWorkflow(project, {
        steps: { first: ["DELAY", day], second: ["DELAY", day] },
        ways: [["TRIGGER", "first"]],
      });
      await track(world, project, "signup");
      await world.drain();
      const { first, second } = steps;
      if (!first || !second) throw new Error("The workflow has no steps");
      await startJob(ctx, "workflows.vacate", { input: { workflowId: id, stepIds: [first], to: second } });
    },
  },
  "workflows.call": {
    // A run that has not heard of its call asks for it.
    restMinutes: [2, 6, 60],
    begin: async (scene) => {
      await calling(scene);
      await track(scene.world, scene.project, "signup");
    },
  },
  "project.erase": {
    begin: async ({ world, project }) => {
      await contacts(project);
      await deleteProject(world.process().platform, project.id);
      world.now += 120_000;
    },
  },
  "project.advance": {
    project: { testClock: true },
    begin: async ({ world, project }) => {
      await contacts(project);
      await moveClock(world.process().platform, project.id, { advance: 3_600_000 });
    },
  },
  "project.backup": {
    begin: async ({ world, project }) => {
      await contacts(project);
      await startBackup(world.process().platform, project.id);
    },
  },
  "project.move": {
    // The fence and the switch.
    lastWrites: 6,
    begin: async ({ world, project }) => {
      await contacts(project);
      await startsMove(world, project, await elsewhere(project));
    },
  },
  "project.restore": {
    begin: async ({ world, project }) => {
      await contacts(project);
      await startRestore(world, await backUp(world, project));
    },
  },
};

/** Work of every kind that a sweep finds: its messages are lost. */
export async function loseMessages(scene: Scene): Promise<void> {
  const { world, project, ctx } = scene;
  const { body: eve } = await project.api.post("/contacts", { email: "eve@example.com" });
  await project.api.post(`/contacts/${eve.id}/snooze`, { until: new Date(world.now + 3_600_000).toISOString() });
  await project.db
    .prepare("UPDATE contacts SET snoozed_until = ? WHERE project_id = ? AND id = ?")
    .bind(world.now, project.number, eve.id)
    .run();
  await project.api.post("/domains", { domain: `d${crypto.randomUUID()}.test` });
  await campaign(scene);
  const { id } = await newCampaign(project, { type: "TRANSACTIONAL" });
  await scheduleCampaign(ctx, readId(id), world.now, async () => []);
  await newSegment(project, { condition: isPro, trackMembership: true });
  for (const type of ["workflows.start", "contacts.count-fields", "workflows.call", "webhooks.drain"] as const) {
    await works[type].begin(scene);
  }
  world.queue = [];
  world.now += 6 * 60_000;
}
