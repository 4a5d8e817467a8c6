import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { QueueMessage } from "../../src/core/messages";
import { sweepSome, tick } from "../../src/cron";
import { openPlatform } from "../../src/platform/context";
import { databaseOf } from "../support/database";
import { killableDatabase, Process } from "../support/killable";

/** Thirty databases are named, and one stands in for all of them. */
function environment() {
  const process = new Process();
  const trips: string[][] = [];
  const names = ["DB", ...Array.from({ length: 29 }, (_, place) => `DB_${String(place + 1).padStart(2, "0")}`)];
  const databases = names.map((name) => [
    name,
    killableDatabase(databaseOf("DB"), process, (trip, make) => {
      trips.push([name, ...trip.sql]);
      return make();
    }),
  ]);
  const sent: QueueMessage[] = [];
  const sendBatch = async (messages: Iterable<MessageSendRequest>) => {
    for (const { body } of messages) sent.push(QueueMessage.parse(body));
  };
  // The real one would ring every five seconds from then on, beside all other tests.
  const SWEEPS = { idFromName: () => ({}), get: () => ({ keepGoing: async () => {} }) } as unknown as typeof env.SWEEPS;
  const bindings = {
    ...env,
    SWEEPS,
    ...Object.fromEntries(databases),
    EVENTS_QUEUE: { sendBatch },
    JOBS_QUEUE: { sendBatch },
  };
  return { bindings, process, sent, seen: () => [...new Set(trips.map(([name]) => name))], names };
}

it.each(["* * * * *", "*/5 * * * *"])(
  "a tick of %s sweeps a dozen databases itself, and calls for the others by dozens",
  async (cron) => {
    const { bindings, process, sent, seen, names } = environment();
    await tick(createScheduledController({ cron }), bindings, createExecutionContext());
    expect(seen()).toEqual(names.slice(0, 12));
    expect(sent.filter(({ type }) => type === "sweeps.run")).toEqual([
      { type: "sweeps.run", cron, shards: names.slice(12, 24) },
      { type: "sweeps.run", cron, shards: names.slice(24) },
    ]);
    expect(process.steps.length).toBeLessThan(400);
  },
);

it("a message sweeps the databases that it names", async () => {
  const { bindings, seen, names } = environment();
  const shards = names.slice(24);
  await sweepSome(openPlatform(bindings, createExecutionContext()), { type: "sweeps.run", cron: "* * * * *", shards });
  expect(seen()).toEqual(shards);
});
