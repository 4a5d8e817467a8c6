import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { type MessageOf, QueueMessage } from "../../src/core/messages";
import { runSweeps, sweepLostMessages, sweepSome, tick, ticks } from "../../src/cron";
import { openBatch } from "../../src/db/batch";
import type { Db } from "../../src/db/client";
import { asNumber, columns } from "../../src/db/rows";
import { select, statement } from "../../src/db/statement";
import type { Platform } from "../../src/platform/context";
import { findDue } from "../../src/platform/due";
import { openPlatform } from "../../src/platform/open-platform";
import { maxSweptRows, sweepDatabases, walkDatabases } from "../../src/platform/sweep";
import { databaseOf } from "../support/database";
import { FarDatabase } from "../support/far-database";
import { killableDatabase, Process } from "../support/killable";

const namesOf = (count: number) => [
  "DB",
  ...Array.from({ length: count - 1 }, (_, index) => `DB_${String(index + 1).padStart(2, "0")}`),
];

/** Many databases are named, and one stands in for all of them. */
function environment(count = 30) {
  const process = new Process();
  const trips: string[][] = [];
  const names = namesOf(count);
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
    expect(process.spent).toBeLessThan(400);
  },
);

it("a message sweeps the databases that it names", async () => {
  const { bindings, seen, names } = environment();
  const shards = names.slice(24);
  await sweepSome(openPlatform(bindings, createExecutionContext()), { type: "sweeps.run", cron: "* * * * *", shards });
  expect(seen()).toEqual(shards);
});

describe("what a tick asks first", () => {
  /** Sweeps two databases of another world, in which nothing else happens. */
  async function sweepQuiet(cron: string, fails = (_: string) => false) {
    const trips: string[] = [];
    const databases = namesOf(2).map((name) => [
      name,
      killableDatabase(databaseOf("DB"), new Process(), ({ sql }, make) => {
        trips.push(sql.join("; "));
        if (fails(sql.join("; "))) throw new Error("The database does not answer");
        return make();
      }),
    ]);
    const { bindings } = environment(1);
    const platform = openPlatform({ ...bindings, ...Object.fromEntries(databases) }, createExecutionContext());
    await runSweeps({ ...platform, log: () => {} }, cron);
    return trips;
  }

  it("is one statement for each database, and nothing else in a quiet minute", async () => {
    const trips = await sweepQuiet("* * * * *");
    expect(trips).toHaveLength(2);
    expect(trips[0]).toMatch(/^SELECT json_array\(/);
  });

  it("does not hold up the sweeps when a database does not answer to it", async () => {
    const trips = await sweepQuiet("* * * * *", (text) => text.startsWith("SELECT json_array("));
    for (const table of ["events", "jobs", "contacts", "campaign_runs", "workflow_executions", "workflows"]) {
      expect(
        trips.filter((text) =>
          new RegExp(`^(UPDATE|SELECT .* FROM|INSERT INTO events .* FROM) ${table}`, "s").test(text),
        ),
        table,
      ).not.toEqual([]);
    }
  });
});

it("lets every sweep try where no statement was left to ask", async () => {
  const { bindings } = environment(3);
  const platform = openPlatform(bindings, createExecutionContext());
  platform.spent.spend(750);
  const due = await findDue(platform, { nothing: () => sql`false`, something: () => sql`true` });
  expect([...due]).toEqual([
    ["nothing", platform.shards],
    ["something", platform.shards],
  ]);
});

const full = "a tick whose rows never end";

describe("a tick whose databases are always full", () => {
  const taken = new Map<string, number>();
  afterEach(() => {
    delete ticks[full];
    taken.clear();
  });

  /** A sweep that takes five hundred rows in each round, by so many statements. */
  function always(name: string, statements: number) {
    const round = async (platform: Platform, db: Db) => {
      taken.set(name, (taken.get(name) ?? 0) + 1);
      const one = sql`SELECT 1 AS n`;
      await select(db, one, columns({ n: asNumber }));
      const batch = openBatch({ ...platform, db });
      for (let more = 1; more < statements; more++) batch.add(statement(one));
      await batch.commit();
      return maxSweptRows;
    };
    return {
      rounds: (platform: Platform) => sweepDatabases(platform, (db) => round(platform, db)),
      pages: (platform: Platform) =>
        walkDatabases<number>(platform, `full-${name}`, async (db, after = 0) => (await round(platform, db)) + after),
    };
  }

  /** Runs the tick, and the messages that go on, each in an invocation of its own. Returns the statements of each. */
  async function run(): Promise<{ statements: number[]; messages: MessageOf<"sweeps.run">[] }> {
    const statements: number[] = [];
    const messages: MessageOf<"sweeps.run">[] = [];
    const waiting: (MessageOf<"sweeps.run"> | null)[] = [null];
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      const { bindings, process, sent } = environment(13);
      if (message === null) await tick(createScheduledController({ cron: full }), bindings, createExecutionContext());
      else await sweepSome(openPlatform(bindings, createExecutionContext()), message);
      statements.push(process.spent);
      const more = sent.filter((one) => one.type === "sweeps.run");
      messages.push(...more);
      waiting.push(...more);
      if (statements.length > 50) throw new Error("The messages never end");
    }
    return { statements, messages };
  }

  it("makes at most 800 statements an invocation, and a message goes on with the sweeps that are left", async () => {
    ticks[full] = {
      first: always("first", 2).rounds,
      second: always("second", 4).rounds,
      last: always("last", 1).rounds,
    };
    const { statements, messages } = await run();
    expect(Math.max(...statements)).toBeLessThanOrEqual(800);
    const ofFirst = messages.filter(({ shards }) => shards[0] === "DB").map(({ sweeps }) => sweeps);
    expect(ofFirst).toEqual([["second", "last"], ["last"]]);
    // Twenty rounds for each of thirteen databases, unless one sweep alone has used an invocation up.
    expect(taken.get("last")).toBe(260);
    expect(taken.get("first")).toBe(260);
    expect(taken.get("second")).toBeGreaterThan(200);
  });

  it("gives each database its round before another has a second one", async () => {
    ticks[full] = { heavy: always("heavy", 30).rounds };
    const { bindings, process, seen, names } = environment();
    await tick(createScheduledController({ cron: full }), bindings, createExecutionContext());
    expect(process.spent).toBeLessThanOrEqual(800);
    expect(seen()).toEqual(names.slice(0, 12));
  });

  it("stops also where it walks through all rows, and a message goes on", async () => {
    ticks[full] = { walk: always("walk", 10).pages, last: always("last", 1).rounds };
    const { statements, messages } = await run();
    expect(Math.max(...statements)).toBeLessThanOrEqual(800);
    expect(messages.filter(({ shards }) => shards[0] === "DB").map(({ sweeps }) => sweeps)).toEqual([["last"]]);
  });
});

describe("the sweeps of every five seconds", () => {
  it("ask a hundred databases, six at a time", async () => {
    const far = new FarDatabase(10);
    const names = namesOf(100);
    const databases = Object.fromEntries(names.map((name) => [name, far.of(databaseOf("DB"))]));
    await sweepLostMessages(openPlatform({ ...env, ...databases }, createExecutionContext()));
    expect(far.trips).toBe(100);
    expect(far.mostAtOnce).toBe(6);
  });
});
