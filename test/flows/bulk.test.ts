import { describe, expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import type { BulkOperation } from "../../src/features/contacts/bulk/schema";
import { startBulk } from "../../src/features/contacts/bulk/start";
import { handleMessage } from "../../src/queue";
import { storedId } from "../support/as-seen";
import type { Death } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

/** The nth contact of a project. */
const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

const operations: BulkOperation[] = ["subscribe", "unsubscribe", "delete"];

/** 150 contacts, every third of them unsubscribed, and ten ids of nobody: two steps. */
async function started(world: World, operation: BulkOperation): Promise<{ project: TestProject; jobId: string }> {
  const project = await newProject();
  const contactIds = Array.from({ length: 160 }, (_, n) => idOf(n + 1));
  await project.db
    .prepare(
      `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at, updated_at)
      SELECT value, ?1, key || '@example.com', (key + 1) % 3 <> 0, '{}', 0, 0 FROM json_each(?2)`,
    )
    .bind(project.id, JSON.stringify(contactIds.slice(0, 150).map(storedId)))
    .run();
  const { ctx } = await world.context(project);
  const jobId = publicId(await startBulk(ctx, operation, { contactIds: contactIds.map(readId) }));
  return { project, jobId };
}

const counts = {
  subscribe: { succeeded: 50, unchanged: 100, failed: 10 },
  unsubscribe: { succeeded: 100, unchanged: 50, failed: 10 },
  delete: { succeeded: 150, unchanged: 0, failed: 10 },
};

const events = { subscribe: { "contact.subscribed": 50 }, unsubscribe: { "contact.unsubscribed": 100 }, delete: {} };

const left = {
  subscribe: { contacts: 150, subscribed: 150, changes: 50 },
  unsubscribe: { contacts: 150, subscribed: 0, changes: 100 },
  delete: { contacts: 0, subscribed: 0, changes: 0 },
};

async function expectDone(operation: BulkOperation, { project, jobId }: { project: TestProject; jobId: string }) {
  const { body } = await project.api.get(`/contacts/bulk/${jobId}`);
  expect(body).toMatchObject({ status: "completed", totalRequested: 160, progress: 100, ...counts[operation] });
  const nobody = Array.from({ length: 10 }, (_, n) => ({ contactId: idOf(n + 151), reason: "not_found" }));
  expect(body.errors).toEqual(nobody);
  const row = await project.db
    .prepare(
      `SELECT count(*) AS contacts, total(subscribed) AS subscribed, total(version - 1) AS changes
      FROM contacts WHERE project_id = ?`,
    )
    .bind(project.id)
    .first();
  expect(row).toEqual(left[operation]);
  expect(await eventCounts(project)).toEqual(events[operation]);
}

/** More steps than it takes: the last deaths never come, and must change nothing. */
const deaths: Death[] = Array.from({ length: 10 }, (_, index) => index + 1).flatMap((atStep) => [
  { atStep, when: "before" },
  { atStep, when: "after" },
]);

describe.each(operations)("bulk %s", (operation) => {
  it("killed at any step, changes each contact once and counts exactly", async () => {
    for (const death of deaths) {
      const world = new World();
      const job = await started(world, operation);
      await world.runAndDie(death);
      await world.drain();
      await expectDone(operation, job);
    }
  });

  it("changes each contact once when its message comes twice, and when runs overlap", async () => {
    const world = new World();
    const job = await started(world, operation);
    const message = { type: "contacts.bulk" as const, projectId: job.project.number, jobId: readId(job.jobId) };
    const run = () => handleMessage(world.process().platform, message);
    await Promise.all([run(), run(), run()]);
    await world.drain();
    await run();
    await expectDone(operation, job);
  });
});

it("announces every flip that somebody listens for", async () => {
  const world = new World();
  const { project } = await started(world, "unsubscribe");
  await project.db.prepare("INSERT INTO event_listeners VALUES (?, 'contact.*', 'somebody')").bind(project.id).run();
  const [next] = world.queue.splice(0, 1);
  if (next) await handleMessage(world.process().platform, next.queued.message);
  const announced = world.queue.flatMap(({ queued: { message: job } }) =>
    job.type === "events.dispatch" ? job.eventIds : [],
  );
  expect(new Set(announced).size).toBe(100);
});
