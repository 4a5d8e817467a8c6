import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { chunksOf } from "../../src/core/chunks";
import type { QueueMessage } from "../../src/core/messages";
import { consume } from "../../src/queue";
import { storedId } from "../support/as-seen";
import { databaseOf, shards } from "../support/database";
import { databaseFaults } from "../support/database-faults";
import { addEvents } from "../support/events";
import { killableDatabase, Process } from "../support/killable";
import { LimitedQueue } from "../support/limited-queue";
import { newProject, type TestProject } from "../support/project";
import { newWebhook } from "../support/webhook";
import { World } from "../support/world";

/** As many messages as a consumer gets at once, each with as many events as one has. */
const [messages, eventsPerMessage] = [100, 50];
const count = messages * eventsPerMessage;

/** Events that a webhook is to hear of, and the messages about them. */
async function stranded(): Promise<{ project: TestProject; bodies: QueueMessage[] }> {
  const project = await newProject();
  await newWebhook(new World(), project);
  await addEvents(project, { name: "purchase", count, at: Date.now() - count });
  await project.db
    .prepare("UPDATE events SET next_announce_at = ? WHERE project_id = ?")
    .bind(Date.now() + 3_600_000, project.number)
    .run();
  const { results } = await project.db
    .prepare("SELECT id FROM events WHERE project_id = ?")
    .bind(project.number)
    .all<{ id: string }>();
  const bodies = chunksOf(results, eventsPerMessage).map((some) => ({
    ...{ type: "events.dispatch", projectId: project.number, eventIds: some.map(({ id }) => storedId(id)) },
  }));
  return { project, bodies: bodies as QueueMessage[] };
}

/** One invocation gets all of the messages. Writes of deliveries fail with `fault`. */
async function consumeAll(bodies: QueueMessage[], fault: string | null) {
  const process = new Process();
  // The test counts for itself: a failure here would look like one of the database.
  process.maxStatements = 100_000;
  const databases = shards.map((shard) => [
    shard,
    killableDatabase(databaseOf(shard), process, async (trip, make) => {
      if (fault !== null && trip.sql.some((text) => text.includes("INTO webhook_deliveries"))) throw new Error(fault);
      return make();
    }),
  ]);
  const queue = new LimitedQueue().binding;
  const marks = { acknowledged: 0, retried: 0 };
  const received = bodies.map((body, index) => ({
    ...{ id: `m${index}`, timestamp: new Date(), body, attempts: 1 },
    ack: () => {
      marks.acknowledged += 1;
    },
    retry: () => {
      marks.retried += 1;
    },
  }));
  // What the consumer asks of a batch.
  const batch = { queue: "petrel-events", messages: received } as unknown as MessageBatch;
  const bindings = { ...env, ...Object.fromEntries(databases), OUTBOUND_QUEUE: queue, EVENTS_QUEUE: queue };
  await consume(batch, bindings, createExecutionContext());
  return { ...marks, statements: process.spent };
}

async function countOf({ db, number }: TestProject, from: string): Promise<number | undefined> {
  const row = await db
    .prepare(`SELECT count(*) AS n FROM ${from} AND project_id = ?`)
    .bind(number)
    .first<{ n: number }>();
  return row?.n;
}

it.each([
  ["the database is away", databaseFaults.overloaded.message],
  ["the connection is lost", databaseFaults["connection lost"].message],
  ["the database refuses every row", "D1_ERROR: CHECK constraint failed: a fault of ours: SQLITE_CONSTRAINT"],
])(
  "5,000 events of a hundred messages cost one invocation at most 800 statements while %s, and are heard once later",
  async (_, fault) => {
    const { project, bodies } = await stranded();
    const failed = await consumeAll(bodies, fault);
    expect(failed).toMatchObject({ acknowledged: 0, retried: messages });
    expect(failed.statements).toBeLessThanOrEqual(800);
    expect(await countOf(project, "events WHERE next_announce_at IS NOT NULL")).toBe(count);
    const later = await consumeAll(bodies, null);
    expect(later).toMatchObject({ acknowledged: messages, retried: 0 });
    expect(later.statements).toBeLessThanOrEqual(800);
    expect(await countOf(project, "events WHERE next_announce_at IS NOT NULL")).toBe(0);
    expect(await countOf(project, "webhook_deliveries WHERE true")).toBe(count);
  },
);

it("one bad event stops none of its neighbours, also in the last of a hundred messages", async () => {
  const { project, bodies } = await stranded();
  const last = bodies.at(-1);
  if (last?.type !== "events.dispatch") throw new Error("No message");
  const bad = last.eventIds[7];
  await project.db
    .prepare(
      `CREATE TRIGGER refuse_one BEFORE INSERT ON webhook_deliveries WHEN NEW.event_id = '${bad}'
        BEGIN SELECT raise(ABORT, 'a bad event'); END`,
    )
    .run();
  try {
    const consumed = await consumeAll(bodies, null);
    expect(consumed).toMatchObject({ acknowledged: messages - 1, retried: 1 });
    expect(consumed.statements).toBeLessThanOrEqual(800);
    expect(await countOf(project, "events WHERE next_announce_at IS NOT NULL")).toBe(1);
    expect(await countOf(project, "webhook_deliveries WHERE true")).toBe(count - 1);
  } finally {
    await project.db.prepare("DROP TRIGGER refuse_one").run();
  }
});
