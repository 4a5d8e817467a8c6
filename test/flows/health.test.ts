import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { newId, newIdAt } from "../../src/core/ids";
import { openLane } from "../../src/core/mail/breaker";
import type { Priority } from "../../src/core/mail/priority";
import type { Health } from "../../src/core/operating/health-finding";
import { schedules } from "../../src/core/operating/schedules";
import { ticks } from "../../src/cron";
import type { Db } from "../../src/db/client";
import { latestMigration } from "../../src/db/latest-migration";
import {
  databaseSizes,
  deadLetters,
  domains,
  emails,
  events,
  jobs,
  projects,
  workflowExecutions,
} from "../../src/db/tables";
import { noteCron } from "../../src/engine/operating/note-cron";
import { noteSizes } from "../../src/engine/operating/note-sizes";
import { checks, examineAll, type HealthReport, health } from "../../src/features/health/examine";
import { metrics } from "../../src/features/metrics/metrics";
import type { Platform } from "../../src/platform/context";
import { Outside } from "../support/outside";
import { newProject } from "../support/project";
import { World } from "../support/world";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** No project has this number, so its rows are this file's alone. */
const project = 987_654;
const home = "https://mail.acme.example";

let world: World;
let outside: Outside;

/** The health is that of all projects, and files before this one left theirs. */
beforeAll(async () => {
  const { platform } = new World().process();
  for (const shard of platform.shards) {
    const db = platform.databaseOf(shard);
    await db.delete(emails);
    await db.delete(jobs);
    await db.update(domains).set({ failingSince: null });
    await db.update(events).set({ nextAnnounceAt: null });
    await db.update(workflowExecutions).set({ wakeAt: null });
  }
  await platform.control.delete(deadLetters);
  await platform.control.update(projects).set({ sendingPausedReason: null, sendingPausedAt: null, move: null });
});

/** An installation with nothing wrong: a provider that reports, a public URL that leads here, schedules that ran. */
beforeEach(async () => {
  outside = new Outside();
  outside.play("mail.acme.example", ({ headers }) => {
    return new Response("", { status: 404, headers: { "X-Request-ID": headers.get("X-Request-ID") ?? "" } });
  });
  world = new World();
  world.settings = { PUBLIC_URL: home };
  const { platform } = world.process();
  for (const cron of Object.keys(schedules)) await noteCron(platform, cron);
});

afterEach(async () => {
  world.outShard = null;
  const { platform } = world.process();
  const { control } = platform;
  for (const table of [domains, emails, events, jobs, workflowExecutions]) {
    await control.delete(table).where(eq(table.projectId, project));
  }
  await control.delete(deadLetters);
  await control.delete(databaseSizes);
  await control.update(projects).set({ sendingPausedReason: null, sendingPausedAt: null, move: null });
  await control.run(sql`DELETE FROM cron_runs`);
  await control.run(sql`DELETE FROM d1_migrations WHERE name = '9999_later.sql'`);
  await control.run(sql`INSERT INTO d1_migrations (name) SELECT ${latestMigration}
    WHERE NOT EXISTS (SELECT 1 FROM d1_migrations WHERE name = ${latestMigration})`);
});

/** The World's own sleep returns at once, and a check would never be in time. */
function wellPlatform(): Platform {
  const { platform } = world.process();
  return { ...platform, reporterOf: () => async () => null, sleep: (ms) => scheduler.wait(ms) };
}

async function found(name: string, change: Partial<Platform> = {}): Promise<HealthReport["checks"][number]> {
  const report = await examineAll({ ...wellPlatform(), ...change });
  const check = report.checks.find((each) => each.name === name);
  if (check === undefined) throw new Error(`There is no check ${name}`);
  return check;
}

const email = (values: {
  status?: "QUEUED" | "FAILED" | "UNKNOWN";
  priority?: Priority;
  dueAt?: number;
  endedAt?: number;
}) => ({
  ...{ projectId: project, id: newId(), contentId: newId(), contactId: newId(), toEmail: "a@example.com" },
  ...{ source: "TRANSACTIONAL" as const, status: "QUEUED" as const, clock: 0, createdAt: world.now, ...values },
});

const job = (values: Partial<typeof jobs.$inferInsert>) => ({
  ...{ projectId: project, id: newId(), type: "contacts.bulk" as const, errors: [], createdAt: world.now },
  ...{ status: "failed" as const, ...values },
});

interface Breakage {
  what: string;
  check: string;
  status: Health;
  /** What the finding must name. */
  says: RegExp;
  breaks(control: Db): Promise<unknown> | unknown;
  change?: () => Partial<Platform>;
}

const breakages: Breakage[] = [
  {
    what: "a database without the last migration",
    ...{ check: "migrations", status: "fail", says: /npm run deploy/ },
    breaks: (control) => control.run(sql`DELETE FROM d1_migrations WHERE name = ${latestMigration}`),
  },
  {
    what: "a database of a later version",
    ...{ check: "migrations", status: "warn", says: /9999_later/ },
    breaks: (control) => control.run(sql`INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')`),
  },
  {
    what: "a database that is 96 % full",
    ...{ check: "database_sizes", status: "fail", says: /DB: 9600\.0 MB, 96\.0 %.*new projects/ },
    breaks: () => {},
    change: () => ({ databaseOf: (shard) => ofSize(wellPlatform().databaseOf(shard), 9_600_000_000) }),
  },
  {
    what: "a database that is 85 % full",
    ...{ check: "database_sizes", status: "warn", says: /85\.0 %/ },
    breaks: () => {},
    change: () => ({ databaseOf: (shard) => ofSize(wellPlatform().databaseOf(shard), 8_500_000_000) }),
  },
  {
    what: "a database that grows by 400 MB a day",
    ...{ check: "database_sizes", status: "warn", says: /full on \d{4}-\d\d-\d\d/ },
    breaks: (control) => {
      const noted = { shard: "DB", notedAt: world.now - 10 * dayMs, bytes: 1_000_000_000 };
      return control.insert(databaseSizes).values(noted);
    },
    change: () => ({ databaseOf: (shard) => ofSize(wellPlatform().databaseOf(shard), 5_000_000_000) }),
  },
  {
    what: "no secret for links",
    ...{ check: "secrets", status: "fail", says: /LINK_SECRETS.*wrangler secret put/ },
    breaks: () => setting({ LINK_SECRETS: "" }),
  },
  {
    what: "a secret for webhooks that is too short",
    ...{ check: "secrets", status: "fail", says: /WEBHOOK_SECRETS/ },
    breaks: () => setting({ WEBHOOK_SECRETS: "short" }),
  },
  {
    what: "a second token that is too short",
    ...{ check: "secrets", status: "warn", says: /ADMIN_TOKEN/ },
    breaks: () => setting({ ADMIN_TOKEN: `${env.ADMIN_TOKEN},short` }),
  },
  {
    what: "no public URL",
    ...{ check: "public_url", status: "warn", says: /PUBLIC_URL/ },
    breaks: () => setting({ PUBLIC_URL: "", ENVIRONMENT: "production" }),
  },
  {
    what: "a public URL that leads to somebody else",
    ...{ check: "public_url", status: "fail", says: /answers 200, and not as this installation/ },
    breaks: () => outside.play("mail.acme.example", () => new Response("Parked")),
  },
  {
    what: "a firewall before the public URL",
    ...{ check: "public_url", status: "fail", says: /answers 403/ },
    breaks: () => outside.play("mail.acme.example", () => new Response("", { status: 403 })),
  },
  {
    what: "a public URL without a server",
    ...{ check: "public_url", status: "fail", says: /Nobody plays/ },
    breaks: () => setting({ PUBLIC_URL: "https://gone.example" }),
  },
  {
    what: "schedules that never ran",
    ...{ check: "crons", status: "warn", says: /No schedule has run yet/ },
    breaks: (control) => control.run(sql`DELETE FROM cron_runs`),
  },
  {
    what: "a schedule that stopped",
    ...{ check: "crons", status: "fail", says: /every minute: silent for 20 minutes/ },
    breaks: (control) =>
      control.run(sql`UPDATE cron_runs SET ran_at = ${world.now - 20 * minuteMs} WHERE cron = '* * * * *'`),
  },
  {
    what: "a message that a queue gave up on",
    ...{ check: "dead_letters", status: "warn", says: /petrel-jobs-dead: 1 message/ },
    breaks: (control) => {
      const id = newIdAt(world.now);
      return control.insert(deadLetters).values({ id, queue: "petrel-jobs-dead", body: "{}", createdAt: world.now });
    },
  },
  {
    what: "a job that failed",
    ...{ check: "jobs", status: "warn", says: /1 job failed/ },
    breaks: (control) => control.insert(jobs).values(job({ completedAt: world.now - hourMs })),
  },
  {
    what: "a job whose runs fail",
    ...{ check: "jobs", status: "warn", says: /1 open job/ },
    breaks: (control) =>
      control.insert(jobs).values(job({ status: "processing", failingSince: world.now - 2 * hourMs })),
  },
  {
    what: "an event that nobody hears of",
    ...{ check: "events", status: "warn", says: /1 event / },
    breaks: (control) => {
      const nextAnnounceAt = world.now - 10 * minuteMs;
      return control.insert(events).values({ projectId: project, id: newId(), name: "paid", data: {}, nextAnnounceAt });
    },
  },
  {
    what: "an execution that stands still",
    ...{ check: "workflow_shards", status: "warn", says: /1 execution / },
    breaks: (control) =>
      control.insert(workflowExecutions).values({
        ...{ projectId: project, workflowId: newId(), id: newId(), contactId: newId(), shard: 0, status: "WAITING" },
        ...{ clock: 0, wakeAt: world.now - 10 * minuteMs, startedAt: world.now, updatedAt: world.now },
      }),
  },
  {
    what: "a provider that does not answer",
    ...{ check: "mail_provider", status: "fail", says: /provider's status page/ },
    breaks: () => {
      world.outage = "provider";
    },
  },
  {
    what: "a provider that cannot report",
    ...{ check: "mail_reports", status: "warn", says: /\/hooks\/double/ },
    breaks: () => {},
    change: () => ({ reporterOf: () => null }),
  },
  {
    what: "a lane that is paused",
    ...{ check: "mail_lanes", status: "fail", says: /transactional mail by double since \d{4}-/ },
    breaks: () => {
      const pausedSince = world.now - 5 * minuteMs;
      world.account.lanes.transactional = { ...openLane, pausedSince, pausedUntil: world.now + minuteMs, pauses: 3 };
    },
  },
  {
    what: "a provider that throttles",
    ...{ check: "mail_lanes", status: "warn", says: /campaign mail.*MAIL_RATE_PER_SECOND/ },
    breaks: () => {
      world.account.lanes.campaign = { ...openLane, throttles: 2, restsUntil: world.now + minuteMs };
    },
  },
  {
    what: "mail that has waited for three minutes",
    ...{ check: "queued_mail", status: "warn", says: /transactional mail of 1 project for up to 3 minutes/ },
    breaks: (control) => control.insert(emails).values(email({ dueAt: world.now - 3 * minuteMs })),
  },
  {
    what: "mail that has waited for an hour",
    ...{ check: "queued_mail", status: "fail", says: /up to 1 hour/ },
    breaks: (control) => control.insert(emails).values(email({ dueAt: world.now - hourMs })),
  },
  {
    what: "campaign mail that has waited for seven hours",
    ...{ check: "queued_mail", status: "warn", says: /campaign mail of 1 project for up to 7 hours/ },
    breaks: (control) => control.insert(emails).values(email({ priority: 2, dueAt: world.now - 7 * hourMs })),
  },
  {
    what: "a mail that failed",
    ...{ check: "failed_mail", status: "warn", says: /1 email FAILED.*POST \/emails\/retry/ },
    breaks: (control) => control.insert(emails).values(email({ status: "FAILED", endedAt: world.now - minuteMs })),
  },
  {
    what: "ten mails whose outcome is unknown",
    ...{ check: "failed_mail", status: "fail", says: /The provider's answer for 10 emails was lost/ },
    breaks: (control) => {
      const unknown = () => email({ status: "UNKNOWN", endedAt: world.now - minuteMs });
      return control
        .insert(emails)
        .values(Array.from({ length: 2 }, unknown))
        .then(async () => {
          for (let more = 2; more < 10; more += 2) await control.insert(emails).values([unknown(), unknown()]);
        });
    },
  },
  {
    what: "a sender domain that lost its records",
    ...{ check: "sender_domains", status: "warn", says: /acme\.example since/ },
    breaks: (control) =>
      control.insert(domains).values({
        ...{ projectId: project, id: newId(), domain: "acme.example", status: "VERIFIED", records: [] },
        ...{ failingSince: world.now - hourMs, createdAt: world.now, updatedAt: world.now },
      }),
  },
  {
    what: "a project whose marketing mail is paused",
    ...{ check: "reputation", status: "warn", says: /too many bounces/ },
    breaks: async (control) => {
      const { id } = await newProject();
      const paused = { sendingPausedReason: "too many bounces", sendingPausedAt: world.now };
      await control.update(projects).set(paused).where(eq(projects.id, id));
    },
  },
  {
    what: "a move that keeps a project from writing",
    ...{ check: "project_moves", status: "fail", says: /DB to DB_01, copying.*DELETE \/admin\/projects\/\{id\}\/move/ },
    breaks: (control) => moving(control, { startedAt: world.now - hourMs, fencedAt: world.now - minuteMs }),
  },
  {
    what: "a move that does not come to its end",
    ...{
      check: "project_moves",
      status: "warn",
      says: /1 project moving for more than twelve hours.*GET \/admin\/jobs/,
    },
    breaks: (control) => moving(control, { startedAt: world.now - 13 * hourMs }),
  },
  {
    what: "a database that does not answer",
    ...{ check: "failed_mail", status: "fail", says: /could not be checked.*The database does not answer/ },
    breaks: () => {
      world.outShard = "DB";
    },
  },
];

async function moving(control: Db, times: { startedAt: number; fencedAt?: number }): Promise<void> {
  const { id } = await newProject();
  const move = { jobId: newId(), from: "DB", to: "DB_01", stage: "copying" as const, ...times };
  await control.update(projects).set({ move }).where(eq(projects.id, id));
}

function setting(settings: World["settings"]): void {
  world.settings = { ...world.settings, ...settings };
}

/** The same database, which says that it is of some size. */
function ofSize(db: Db, bytes: number): Db {
  const sized = { all: async () => ({ results: [], success: true, meta: { size_after: bytes } }) };
  const prepare = (text: string) => (text === "SELECT 1" ? sized : db.$client.prepare(text));
  const batch: D1Database["batch"] = (statements) => db.$client.batch(statements);
  return Object.assign(Object.create(db), { $client: { prepare, batch } });
}

it("finds nothing wrong where nothing is", async () => {
  const report = await examineAll(wellPlatform());
  expect(report.checks.filter(({ status }) => status !== "ok")).toEqual([]);
  expect(report.status).toBe("ok");
  expect(report.checks.map(({ name }) => name)).toEqual(checks.map(({ name }) => name));
  expect(report.checks.filter(({ mend }) => mend !== null)).toEqual([]);
});

it.each(breakages)("names $what", async ({ check, status, says, breaks, change }) => {
  await breaks(world.process().platform.control);
  const finding = await found(check, change?.());
  expect(finding.status).toBe(status);
  expect(`${finding.summary} ${finding.detail} ${finding.mend}`.replaceAll("\n", " ")).toMatch(says);
  expect(finding.mend).not.toBeNull();
});

it("answers within two seconds when a check hangs, and the others say what they found", async () => {
  const started = Date.now();
  const { accounts } = wellPlatform();
  const pace = { ...accounts.main.pace, lanes: () => new Promise<never>(() => {}) };
  const main = { ...accounts.main, pace };
  const report = await examineAll({ ...wellPlatform(), accounts: { ...accounts, main } });
  expect(Date.now() - started).toBeLessThan(4_000);
  const [failed, ...others] = report.checks.filter(({ status }) => status !== "ok");
  expect(failed).toMatchObject({ name: "mail_lanes", status: "fail", detail: "It had no answer after 1.8 seconds." });
  expect(others).toEqual([]);
  expect(report.status).toBe("fail");
});

it("is used again for fifteen seconds", async () => {
  const platform = wellPlatform();
  const first = await health(platform);
  world.outage = "provider";
  world.now += 14_000;
  expect(await health({ ...wellPlatform(), config: platform.config })).toBe(first);
  world.now += 2_000;
  expect((await health({ ...wellPlatform(), config: platform.config })).status).toBe("fail");
});

it("knows the schedules of cron, and no other", () => {
  expect(Object.keys(schedules).toSorted()).toEqual(Object.keys(ticks).toSorted());
});

it("names the projects whose mail and jobs fail, the worst first", async () => {
  const { control } = world.process().platform;
  const [one, two] = [await newProject(), await newProject()];
  const failed = { status: "FAILED" as const, endedAt: world.now - minuteMs };
  for (const { number } of [one, two, two])
    await control.insert(emails).values({ ...email(failed), projectId: number });
  await control.insert(jobs).values({ ...job({ completedAt: world.now - hourMs }), projectId: one.number });
  expect((await found("failed_mail")).detail).toContain(` Projects: ${two.id} (2), ${one.id} (1).`);
  expect((await found("jobs")).detail).toContain(` Projects: ${one.id} (1).`);
  for (const { number } of [one, two]) {
    for (const table of [emails, jobs]) await control.delete(table).where(eq(table.projectId, number));
  }
});

it("has metrics of what answers while a database does not, and no sums", async () => {
  const lines = async () => (await metrics(wellPlatform())).split("\n").filter((line) => !line.startsWith("#"));
  const sums = ["petrel_mail_events_total", "petrel_mail_accepted_this_month", "petrel_jobs_failing"];
  const all = (await lines()).join("\n");
  for (const name of [...sums.slice(1), 'petrel_database_up{database="DB"} 1']) expect(all).toContain(name);
  world = new World();
  world.outShard = world.process().platform.shards.at(-1) ?? "";
  const some = (await lines()).join("\n");
  expect(some).toContain(`petrel_database_up{database="${world.outShard}"} 0\n`);
  expect(some).toMatch(/petrel_database_bytes\{database="DB"\} \d{5,}/);
  expect(some).toContain("petrel_projects ");
  for (const name of sums) expect(some).not.toContain(name);
});

it("says of a provider that it takes no marketing mail", async () => {
  const { accounts } = wellPlatform();
  const main = { ...accounts.main, mailer: { ...accounts.main.mailer, allowsMarketing: false } };
  const { status, summary } = await found("mail_provider", { accounts: { ...accounts, main } });
  expect([status, summary]).toEqual([
    "ok",
    "double can be called. Marketing mail is refused, because double does not accept it.",
  ]);
});

it("notes the size of each database at night", async () => {
  const { platform } = world.process();
  await noteSizes(platform);
  await noteSizes(platform);
  const noted = await platform.control.select().from(databaseSizes);
  expect(noted.map(({ shard }) => shard).toSorted()).toEqual([...platform.shards].toSorted());
  for (const { bytes } of noted) expect(bytes).toBeGreaterThan(100_000);
});
