import { type SQL, sql } from "drizzle-orm";
import type { KeyKind } from "../core/keys";
import { maxCallsAtOnce, maxRoundsPerInvocation } from "../core/mail/turns";
import type { Enqueue } from "../core/messages";
import type { Warning } from "../core/warning";
import { controlDatabase, type Db, projectDatabase, shardsOf } from "../db/client";
import type { Project } from "../db/tables";

export type { Project };

import { type Blobs, openBlobs } from "./blobs";
import { type Dns, openDns } from "./dns";
import { type Config, type Env, readConfig } from "./env";
import { type Gate, openGate } from "./gate";
import { type Log, log } from "./log";
import type { Mailer } from "./mailer/mailer";
import { openMailer } from "./mailer/open";
import { openPace, type Pace } from "./mailer/pace";
import type { Reporter } from "./mailer/reporter";
import { openReporters } from "./mailer/reporters";
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
  /** Between 0 and 1. */
  random(): number;
  enqueue: Enqueue;
  blobs: Blobs;
  mailer: Mailer;
  /** The reader of the provider's reports; null when the provider is not set up for reports. */
  reporterOf(provider: string): Reporter | null;
  dns: Dns;
  pace: Pace;
  /** How many calls to the provider this work may have open at once. */
  callsAtOnce: number;
  /** How many rounds of such calls it may make, one after another: each is some twenty statements of the invocation's. */
  maxRounds: number;
  /** Waits in the middle of some work. */
  sleep(ms: number): Promise<void>;
  gate: Gate;
  /** The objects that keep the executions of workflows. */
  workflowShards: WorkflowShards;
  log: Log;
  /** The origin of this request's URL; null in jobs and sweeps. */
  origin: string | null;
  /** Lets work continue after the answer. Only for work that may be lost. */
  later(work: Promise<unknown>): void;
}

/** Everything that a verb on a project's data needs. `db` is the database that holds the project's rows. */
export interface Context extends Platform {
  project: Project;
  db: Db;
  /** The request's idempotency key, unique among callers of the same kind; null without one. */
  idempotencyKey: string | null;
  /** The kind of the request's API key. Our own work counts as a server's. */
  keyKind: KeyKind;
  /** What the answer tells the caller beside its result. A verb adds to it. */
  warnings: Warning[];
}

const databaseNow = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

export function openPlatform(
  env: Env,
  execution: { waitUntil(work: Promise<unknown>): void },
  origin: string | null = null,
): Platform {
  return { ...worldOf(env), now: new Date(), origin, later: (work) => execution.waitUntil(work) };
}

/** The part that is the same for every request of an isolate, made from bindings and settings alone. */
type World = Omit<Platform, "now" | "origin" | "later">;

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
  const mailer = openMailer(config, control, blobs);
  return {
    control,
    databaseOf: (shard) => projectDatabase(env, shard),
    shards: shardsOf(env),
    databases: shardsOf(env).map((shard) => projectDatabase(env, shard)),
    config,
    databaseNow,
    clock: () => new Date(),
    random: Math.random,
    callsAtOnce: maxCallsAtOnce,
    maxRounds: maxRoundsPerInvocation,
    sleep: (ms) => scheduler.wait(ms),
    enqueue: openQueues(env),
    blobs,
    mailer,
    reporterOf: (provider) => openReporters(config.mail).get(provider) ?? null,
    dns: openDns(config.dnsResolvers, log),
    pace: openPace(env.PACE, mailer.name, { pace: config.mail.pace, mailsPerCall: mailer.mailsPerCall }, log),
    gate: openGate(env.GATE, log),
    workflowShards: openWorkflowShards(env.WORKFLOWS),
    log,
  };
}

/** A context for work without a request: sweeps and jobs act for a project just as a request does. */
export function forProject(platform: Platform, project: Project, keyKind: KeyKind = "secret"): Context {
  return { ...platform, project, db: platform.databaseOf(project.shard), idempotencyKey: null, keyKind, warnings: [] };
}
