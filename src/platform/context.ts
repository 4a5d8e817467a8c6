import { type SQL, sql } from "drizzle-orm";
import { type Cpu, openCpu } from "../core/cpu";
import type { KeyKind } from "../core/keys";
import { maxCallsAtOnce, maxRoundsPerInvocation } from "../core/mail/permits";
import type { Enqueue } from "../core/messages";
import type { DomainLists } from "../core/verification/lists";
import type { Warning } from "../core/warning";
import type { Spent } from "../db/batch";
import { controlDatabase, type Db, projectDatabase, shardsOf } from "../db/client";
import type { Project } from "../db/tables";

export type { Project };

import { type Blobs, openBlobs } from "./blobs";
import { type Dns, openDns } from "./dns";
import { openDomainLists } from "./domain-lists";
import { type Config, type Env, readConfig } from "./env";
import { type Gate, openGate } from "./gate";
import { type Log, log } from "./log";
import type { Mailer } from "./mailer/mailer";
import { outboxMailer } from "./mailer/outbox/send";
import { openPace, type Pace, unlimitedPace } from "./mailer/pace";
import type { Reporter } from "./mailer/reporter";
import { objectsAt } from "./objects";
import { openQueues } from "./queues";
import { openWorkflowShards, type WorkflowShards } from "./workflow-shards";

/**
 * Everything that a verb needs from the world, and nothing of the request. Operators' verbs and sweeps get only this.
 */
export interface Platform {
  /** The control database: projects, keys and global data. */
  control: Db;
  databaseOf(shard: string): Db;
  /** The names of all databases that hold projects' rows. */
  shards: readonly string[];
  /** Those databases, for sweeps. */
  databases: Db[];
  config: Config;
  /** When this request, job or tick began. */
  now: Date;
  /** The time of a commit by the database's clock, in milliseconds: an SQL expression. */
  databaseNow: SQL;
  /** The current time, for work that takes a while. */
  clock(): Date;
  /**
   * The current time also where the project has a clock of its own: for leases, waits, budgets of work, rate limits, and
   * whatever sweeps over all projects compare.
   */
  realClock(): Date;
  /** The same by the database's clock. */
  realDatabaseNow: SQL;
  /** Between 0 and 1. */
  random(): number;
  enqueue: Enqueue;
  blobs: Blobs;
  mailer: Mailer;
  /** The embedded provider: it takes the mail of projects with a clock of their own. */
  outboxAt(clock: () => Date): Mailer;
  /** The reader of the provider's reports; null when the provider is not set up for reports. */
  reporterOf(provider: string): Reporter | null;
  dns: Dns;
  /** Disposable and personal domains. */
  domainLists(): Promise<DomainLists>;
  pace: Pace;
  /** How many calls to the provider this work may have open at once. */
  callsAtOnce: number;
  /** How many rounds of such calls it may make, one after another: each is some twenty statements of the invocation's. */
  maxRounds: number;
  /** What this invocation may compute: loops that compute end by it, because no clock moves meanwhile. */
  cpu: Cpu;
  /** Executions of workflows that shards may move at the same time in one isolate. */
  executionsAtOnce: number;
  /** Waits in the middle of some work. */
  sleep(ms: number): Promise<void>;
  gate: Gate;
  /** The objects that keep the executions of workflows. */
  workflowShards: WorkflowShards;
  log: Log;
  /** The origin of this request's URL; null in jobs and sweeps. */
  origin: string | null;
  /** The host of this request when it may not become that of links: the caller has named it, and nobody has configured it. */
  foreignHost: string | null;
  spent: Spent;
  /** Lets work continue after the answer. Only for work that may be lost. */
  later(work: Promise<unknown>): void;
  /** The same for a request. A job or a sweep, which nobody waits for, waits for the work. */
  afterAnswer(work: Promise<void>): Promise<void>;
}

/** Everything that a verb on a project's data needs. `db` is the database that holds the project's rows. */
export interface Context extends Platform {
  project: Project;
  db: Db;
  /** The request's idempotency key, unique among callers of the same kind; null without one. */
  idempotencyKey: string | null;
  /** The hash of a request with a key: of its method, path and body. Empty without a key. */
  requestHash: string;
  /** The kind of the request's API key. Our own work counts as a server's. */
  keyKind: KeyKind;
  /** What the answer tells the caller beside its result. A verb adds to it. */
  warnings: Warning[];
}

/** Four full rounds. A read of another project waits for their batches in the database. */
const maxExecutionsAtOnce = 400;

const databaseNow = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

export function openPlatform(
  env: Env,
  execution: { waitUntil(work: Promise<unknown>): void },
  origin: string | null = null,
): Platform {
  const later = (work: Promise<unknown>) => execution.waitUntil(work);
  const afterAnswer = (work: Promise<void>) => (origin === null ? work : Promise.resolve(later(work)));
  const spent = { statements: 0, changes: 0 };
  return { ...worldOf(env), now: new Date(), cpu: openCpu(), spent, origin, foreignHost: null, later, afterAnswer };
}

/** The part that is the same for every request of an isolate, made from bindings and settings alone. */
type World = Omit<Platform, "now" | "cpu" | "spent" | "origin" | "foreignHost" | "later" | "afterAnswer">;

const worlds = new WeakMap<Env, World>();

function worldOf(env: Env): World {
  const known = worlds.get(env);
  if (known) return known;
  const world = openWorld(env);
  worlds.set(env, world);
  return world;
}

function openWorld(env: Env): World {
  const config = readConfig(env);
  const control = controlDatabase(env);
  const blobs = openBlobs(env.BLOBS);
  const mailer = config.mail.provider.open(control, blobs);
  return {
    control,
    databaseOf: (shard) => projectDatabase(env, shard),
    shards: shardsOf(env),
    databases: shardsOf(env).map((shard) => projectDatabase(env, shard)),
    config,
    databaseNow,
    realDatabaseNow: databaseNow,
    clock: () => new Date(),
    realClock: () => new Date(),
    random: Math.random,
    callsAtOnce: maxCallsAtOnce,
    maxRounds: maxRoundsPerInvocation,
    executionsAtOnce: maxExecutionsAtOnce,
    sleep: (ms) => scheduler.wait(ms),
    enqueue: openQueues(env),
    blobs,
    mailer,
    outboxAt: (clock) => outboxMailer(control, blobs, clock),
    reporterOf: (provider) => config.mail.reporters.get(provider) ?? null,
    dns: openDns(config.dnsResolvers, log),
    domainLists: openDomainLists(env.ASSETS),
    pace: openPace(
      objectsAt(config.dataLocation, env.PACE),
      mailer.name,
      { pace: config.mail.pace, mailsPerCall: mailer.mailsPerCall },
      log,
    ),
    gate: openGate(objectsAt(config.dataLocation, env.GATE), log),
    workflowShards: openWorkflowShards(objectsAt(config.dataLocation, env.WORKFLOWS)),
    log,
  };
}

/**
 * A context for work on a project: a request's, a job's or a sweep's. For a project with a clock of its own, the time is
 * that clock's, and its mail goes to the outbox alone.
 */
export function forProject(platform: Platform, project: Project, keyKind: KeyKind = "secret"): Context {
  const world = project.testClock ? onTestClock(platform, project) : platform;
  const unkeyed = { idempotencyKey: null, requestHash: "" };
  return { ...world, ...unkeyed, project, db: platform.databaseOf(project.shard), keyKind, warnings: [] };
}

function onTestClock(platform: Platform, project: Project): Platform {
  const at = timeOfProject(project);
  const clock = () => new Date(at);
  return {
    ...platform,
    now: clock(),
    clock,
    databaseNow: sql`CAST(${at} AS INTEGER)`,
    mailer: platform.outboxAt(clock),
    pace: unlimitedPace,
  };
}

/** The time of a project with its own clock. It stands still until somebody moves it. */
export function timeOfProject({ clockAt, createdAt }: Pick<Project, "clockAt" | "createdAt">): number {
  return clockAt ?? createdAt;
}

/**
 * What the column `clock` of a project's rows says: sweeps over all projects look for 0, and do not see the rows of a
 * project whose time is its own.
 */
export function clockOf({ project }: Pick<Context, "project">): number {
  return project.testClock ? project.number : 0;
}

/** The same context by the real clock, for what the outside world sees: signatures, DNS, deliveries to webhooks. */
export function inRealTime(ctx: Context): Context {
  const { realClock } = ctx;
  return ctx.project.testClock ? { ...ctx, now: realClock(), clock: realClock } : ctx;
}
