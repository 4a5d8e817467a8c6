import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/core/ids";
import { type JobType, QueueMessage } from "../../src/core/messages";
import { openBatch } from "../../src/db/batch";
import { insertJob } from "../../src/engine/jobs/queue-job";
import { consume } from "../../src/queue";
import { bearer, call, newProject } from "../support/project";
import { sentMessages } from "../support/sent-messages";
import { World } from "../support/world";

/** Gives messages to a consumer together, and says what became of each: how often it was acknowledged, and its delays. */
async function deliver(queue: string, bodies: unknown[], attempts = 1) {
  const given = bodies.map((body, index) => {
    const end = { acknowledged: 0, again: [] as number[] };
    const ack = () => {
      end.acknowledged += 1;
    };
    const retry = ({ delaySeconds = 0 }: QueueRetryOptions = {}) => void end.again.push(delaySeconds);
    return { end, message: { id: `m${index}`, timestamp: new Date(), body, attempts, ack, retry } };
  });
  const batch = { queue, messages: given.map(({ message }) => message) };
  // What the consumer asks of a batch.
  await consume(batch as unknown as MessageBatch, env, createExecutionContext());
  return given.map(({ end }) => end);
}

const isPutBack = { acknowledged: 0, again: [10] };
const isDone = { acknowledged: 1, again: [] };
const types = QueueMessage.options.map((option) => option.shape.type.value);

describe("a message of another version", () => {
  it("is put back, for every type with a field that this version does not know", async () => {
    const later = types.map((type) => ({ ...sentMessages[type], later: true }));
    expect(await deliver("petrel-events", later)).toEqual(types.map(() => isPutBack));
  });

  it("is put back when its type is not known, and those beside it are done", async () => {
    const known = { type: "workflows.wake", projectId: 0, shards: [] };
    const ends = await deliver("petrel-events", [{ type: "mail.shred", projectId: 1 }, known, "mail.deliver", known]);
    expect(ends).toEqual([isPutBack, isDone, isPutBack, isDone]);
  });

  it("comes again for more than four hours, and then is kept for the version that knows it", async () => {
    const body = { type: "mail.shred", marker: crypto.randomUUID() };
    const delays: number[] = [];
    for (let attempts = 1; attempts <= 5; attempts++) {
      const [end] = await deliver("petrel-mail", [body], attempts);
      delays.push(...(end?.again ?? []));
    }
    expect(delays).toEqual([10, 60, 360, 2_160, 12_960]);
    expect(await deliver("petrel-mail-dead", [body])).toEqual([isDone]);
    const operator = bearer(env.ADMIN_TOKEN ?? "");
    const { body: page } = await call("GET", "/admin/dead-letters", undefined, operator);
    const letter = page.data.find(
      ({ message }: { message: unknown }) => JSON.stringify(message) === JSON.stringify(body),
    );
    expect(await call("POST", `/admin/dead-letters/${letter.id}/retry`, undefined, operator)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining("does not know the type of the message") } },
    });
  });
});

it("a lost job of another version is left to the sweeps of that version", async () => {
  const [project, world] = [await newProject(), new World()];
  const { ctx } = await world.context(project);
  const id = newId();
  const batch = openBatch(ctx);
  batch.add(insertJob(ctx, { id, type: "contacts.shred" as JobType }));
  await batch.commit();
  const dueAt = () => project.db.prepare("SELECT next_announce_at FROM jobs WHERE id = ?").bind(id).first();
  const before = await dueAt();
  await world.pass(10);
  expect(await dueAt()).toEqual(before);
});
