import { type SQL, sql } from "drizzle-orm";
import type { Enqueue } from "../core/jobs";
import type { KeyKind } from "../core/keys";
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

/** What every verb is given: the world, and nothing of the request. Operators' verbs and sweeps get just this. */
export interface Platform {
  /** The control database: projects, keys, and what is global. */
  control: Db;
  databaseOf(shard: string): Db;
  /** The names of all databases that hold projects' rows. */
  shards: readonly string[];
  /** Those databases, for sweeps. */
  databases: Db[];
  config: Config;
  /** When this request, job or tick began. */
  now: Date;
  /** The time of a commit, in milliseconds, as the database has it: an SQL expression. */
  databaseNow: SQL;
  /** The time at this moment, for work that goes on for a while. */
  clock(): Date;
  /** Between 0 and 1. */
  random(): number;
  enqueue: Enqueue;
  blobs: Blobs;
  mailer: Mailer;
  /** Who reads the reports of the provider of that name; null when it has none here. */
  reporterOf(provider: string): Reporter | null;
  dns: Dns;
  pace: Pace;
  gate: Gate;
  log: Log;
  /** The address by which this request reached us; null in jobs and sweeps. */
  origin: string | null;
  /** Lets work go on after the answer. Only for what may be lost. */
  later(work: Promise<unknown>): void;
}

/** What a verb on a project's data is given. `db` is the database that holds this project's rows. */
export interface Context extends Platform {
  project: Project;
  db: Db;
  /** The key under which this request's effect happens once, among those of callers of this kind; null without one. */
  idempotencyKey: string | null;
  /** Of the API key that the request came with. What we do by ourselves counts as a server's. */
  keyKind: KeyKind;
}

const databaseNow = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

export function openPlatform(
  env: Env,
  execution: { waitUntil(work: Promise<unknown>): void },
  origin: string | null = null,
): Platform {
  return { ...worldOf(env), now: new Date(), origin, later: (work) => execution.waitUntil(work) };
}

/** What is the same for every request of an isolate: it is made of the bindings and settings alone. */
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
    enqueue: openQueues(env),
    blobs,
    mailer,
    reporterOf: (provider) => openReporters(config.mail).get(provider) ?? null,
    dns: openDns(config.dnsResolvers, log),
    pace: openPace(env.PACE, mailer.name, config.mail.pace, log),
    gate: openGate(env.GATE, log),
    log,
  };
}

/** A sweep and a job act for a project just as a request does. */
export function forProject(platform: Platform, project: Project, keyKind: KeyKind = "secret"): Context {
  return { ...platform, project, db: platform.databaseOf(project.shard), idempotencyKey: null, keyKind };
}
