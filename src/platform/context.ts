import { type SQL, sql } from "drizzle-orm";
import type { AuditedCall } from "../core/audit/call";
import { type Cpu, openCpu } from "../core/cpu";
import type { Section } from "../core/documents/find-sections";
import type { CallerKind, KeyKind } from "../core/keys";
import { maxCallsAtOnce, maxRoundsPerInvocation } from "../core/mail/permits";
import type { Enqueue } from "../core/messages";
import type { DomainLists } from "../core/verification/lists";
import type { Warning } from "../core/warning";
import { controlDatabase, controlShard, countedIn, type Db, projectDatabase, shardsOf } from "../db/client";
import { Spent } from "../db/spent";
import type { Project } from "../db/tables";

export type { Project };

import { type Blobs, openBlobs } from "./blobs";
import { type Dns, openDns } from "./dns";
import { openDocuments } from "./documents";
import { openDomainLists } from "./domain-lists";
import { type Config, type Env, readConfig } from "./env";
import { type Gate, openGate } from "./gate";
import { type Log, log } from "./log";
import { type MailAccount, type MailAccounts, through } from "./mailer/accounts";
import type { Mailer } from "./mailer/mailer";
import { outboxMailer } from "./mailer/outbox/send";
import { openPace, type Pace, unlimitedPace } from "./mailer/pace";
import type { ConfiguredProvider } from "./mailer/provider";
import type { Reporter } from "./mailer/reporter";
import { objectsAt } from "./objects";
import { openQueues } from "./queues";
import { openWorkflowShards, type WorkflowShards } from "./workflow-shards";

/**
 * Everything that a verb needs from the outside, except the request. The verbs of operators and the sweeps receive only
 * this.
 */
export interface Platform {
  /** The control database: projects, keys and global data. */
  control: Db;
  databaseOf(shard: string): Db;
  /** The names of all databases that hold projects' rows. */
  shards: readonly string[];
  /** All databases that hold projects' rows, for sweeps. */
  databases: Db[];
  config: Config;
  /** When this request, job or tick began. */
  now: Date;
  /** The time of a commit by the database's clock, in milliseconds: an SQL expression. */
  databaseNow: SQL;
  /** The current time, for work that takes a while. */
  clock(): Date;
  /**
   * The real time, even for a project with its own clock. Used for leases, waits, work budgets, rate limits, and times
   * that sweeps compare over all projects.
   */
  realClock(): Date;
  /** The real time of a commit by the clock of the database. */
  realDatabaseNow: SQL;
  /** A random number from 0 up to 1. */
  random(): number;
  enqueue: Enqueue;
  blobs: Blobs;
  /** Sends the mail of this work, through `accounts.main` unless the work has chosen another account. */
  mailer: Mailer;
  accounts: MailAccounts;
  /** Opens the embedded provider, which stores the mail of projects with their own clock. */
  outboxAt(clock: () => Date): Mailer;
  /** Returns the reader of a provider's reports; null when the provider is not set up for reports. */
  reporterOf(provider: string): Reporter | null;
  dns: Dns;
  /** Loads the lists of disposable and personal domains. */
  domainLists(): Promise<DomainLists>;
  /** Loads the sections of the documents in `docs`. */
  documents(): Promise<Section[]>;
  /** The pace of the account of `mailer`. */
  pace: Pace;
  /** The number of calls to the provider that this work may have open at once. */
  callsAtOnce: number;
  /**
   * The most rounds of such calls that this work may make one after another. Each round takes about twenty statements
   * of the invocation, and more with reports.
   */
  maxRounds: number;
  /**
   * The CPU budget of this invocation. Loops that compute stop when it is used up, because no clock advances while they
   * run.
   */
  cpu: Cpu;
  /** The number of databases that a sweep asks at the same time. */
  databasesAtOnce: number;
  /** The number of executions that the shards in one isolate may move at the same time. */
  executionsAtOnce: number;
  /** Waits in the middle of work. */
  sleep(ms: number): Promise<void>;
  gate: Gate;
  /** The objects that store the executions of workflows. */
  workflowShards: WorkflowShards;
  log: Log;
  /** The origin of this request's URL; null in jobs and sweeps. */
  origin: string | null;
  /**
   * The host of this request, when links must not use it: the caller chose the host, and the operator did not configure
   * it. Otherwise null.
   */
  foreignHost: string | null;
  spent: Spent;
  /** The call whose changes the audit log tells; null for our own work, and for calls that the log leaves out. */
  audit: AuditedCall | null;
  /** Lets work continue after the answer. Only for work that may be lost. */
  later(work: Promise<unknown>): void;
  /**
   * Like `later` when there is a request. In a job or a sweep, no caller is waiting, so the returned promise waits for
   * the work.
   */
  afterAnswer(work: Promise<void>): Promise<void>;
}

/** Everything that a verb on a project's data needs. `db` is the database that holds the project's rows. */
export interface Context extends Platform {
  project: Project;
  db: Db;
  /** The request's idempotency key, unique among callers of the same kind; null without one. */
  idempotencyKey: string | null;
  /** The hash of a request with a key, over its method, path and body. Empty without a key. */
  requestHash: string;
  /** The version of the row that the caller expects; null for any. */
  ifMatch: number | null;
  /** The kind of the request's API key. Work of the product itself counts as a server. */
  keyKind: KeyKind;
  /** Like `keyKind`, except that a person with a session has a kind of its own. */
  callerKind: CallerKind;
  /** False for a person whose last proof of identity is more than ten minutes old. */
  hasProof: boolean;
  /** Warnings that the answer contains in addition to its result. A verb adds to them. */
  warnings: Warning[];
}

/** The executions of four full passes. A read of another project waits for their batches in the database. */
const maxExecutionsAtOnce = 400;

const databaseNow = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

export function openPlatform(
  env: Env,
  execution: { waitUntil(work: Promise<unknown>): void },
  origin: string | null = null,
): Platform {
  const later = (work: Promise<unknown>) => execution.waitUntil(work);
  const afterAnswer = (work: Promise<void>) => (origin === null ? work : Promise.resolve(later(work)));
  const spent = new Spent();
  const own = { now: new Date(), cpu: openCpu(), spent, origin, foreignHost: null, audit: null, later, afterAnswer };
  return { ...isolatePlatformOf(env), ...openDatabases(env, spent), ...own };
}

type Databases = Pick<Platform, "control" | "databaseOf" | "databases">;

/** Opens the databases for one invocation, so that its statements are counted. */
function openDatabases(env: Env, spent: Spent): Databases {
  const counted = new Map(shardsOf(env).map((shard) => [shard, countedIn(spent, projectDatabase(env, shard))]));
  // Throws for a shard without a database.
  const databaseOf = (shard: string) => counted.get(shard) ?? projectDatabase(env, shard);
  return { control: databaseOf(controlShard), databaseOf, databases: [...counted.values()] };
}

/**
 * The part of a platform that is the same for every request of an isolate, because it depends only on bindings and
 * settings.
 */
type IsolatePlatform = Omit<
  Platform,
  keyof Databases | "now" | "cpu" | "spent" | "origin" | "foreignHost" | "audit" | "later" | "afterAnswer"
>;

const isolatePlatforms = new WeakMap<Env, IsolatePlatform>();

function isolatePlatformOf(env: Env): IsolatePlatform {
  const known = isolatePlatforms.get(env);
  if (known) return known;
  const world = openIsolatePlatform(env);
  isolatePlatforms.set(env, world);
  return world;
}

function openIsolatePlatform(env: Env): IsolatePlatform {
  const config = readConfig(env);
  const control = controlDatabase(env);
  const blobs = openBlobs(env.BLOBS);
  const accounts = openAccounts(env, config, control, blobs);
  const { mailer, pace } = accounts.main;
  return {
    shards: shardsOf(env),
    config,
    databaseNow,
    realDatabaseNow: databaseNow,
    clock: () => new Date(),
    realClock: () => new Date(),
    random: Math.random,
    callsAtOnce: maxCallsAtOnce,
    maxRounds: maxRoundsPerInvocation,
    databasesAtOnce: 1,
    executionsAtOnce: maxExecutionsAtOnce,
    sleep: (ms) => scheduler.wait(ms),
    enqueue: openQueues(env),
    blobs,
    mailer,
    pace,
    accounts,
    outboxAt: (clock) => outboxMailer(control, blobs, clock),
    reporterOf: (provider) => config.mail.reporters.get(provider) ?? null,
    dns: openDns(config.dnsResolvers, log),
    domainLists: openDomainLists(env.ASSETS),
    documents: openDocuments(env.ASSETS),
    gate: openGate(objectsAt(config.dataLocation, env.GATE), log),
    workflowShards: openWorkflowShards(objectsAt(config.dataLocation, env.WORKFLOWS)),
    log,
  };
}

/** Opens the accounts. One account may have two roles. */
function openAccounts(env: Env, { mail, dataLocation }: Config, control: Db, blobs: Blobs): MailAccounts {
  const { provider, marketing, fallback } = mail;
  const open = (each: ConfiguredProvider): MailAccount => {
    const mailer = each.open(control, blobs);
    const rate = mail.rateOf(each.name);
    const failsOver = each === provider && fallback !== null;
    const rule = { pace: rate, mailsPerCall: mailer.mailsPerCall, failsOver };
    return { mailer, rate, pace: openPace(objectsAt(dataLocation, env.PACE), mailer.name, rule, log) };
  };
  const second = marketing && open(marketing);
  const isShared = marketing !== null && fallback?.name === marketing.name;
  return { main: open(provider), marketing: second, fallback: isShared ? second : fallback && open(fallback) };
}

/**
 * Returns a context for work on a project by a request, a job or a sweep. For a project with its own clock, the time is
 * that of the clock, and mail goes only to the outbox.
 */
export function forProject(platform: Platform, project: Project, callerKind: CallerKind = "secret"): Context {
  const world = project.testClock ? onTestClock(platform, project) : platform;
  const keyKind: KeyKind = callerKind === "public" ? callerKind : "secret";
  const unkeyed = { idempotencyKey: null, requestHash: "", ifMatch: null };
  const caller = { keyKind, callerKind, hasProof: true };
  return { ...world, ...unkeyed, ...caller, project, db: platform.databaseOf(project.shard), warnings: [] };
}

function onTestClock(platform: Platform, project: Project): Platform {
  const at = timeOfProject(project);
  const clock = () => new Date(at);
  const main = { mailer: platform.outboxAt(clock), pace: unlimitedPace, rate: null };
  return {
    ...through(platform, main),
    accounts: { main, marketing: null, fallback: null },
    now: clock(),
    clock,
    databaseNow: sql`CAST(${at} AS INTEGER)`,
  };
}

/** Returns the time of a project with its own clock. The clock stands still until a call moves it. */
export function timeOfProject({ clockAt, createdAt }: Pick<Project, "clockAt" | "createdAt">): number {
  return clockAt ?? createdAt;
}

/**
 * Returns the value of the column `clock` in the rows of a project. Sweeps over all projects look for 0, so they skip
 * the rows of a project with its own clock.
 */
export function clockOf({ project }: Pick<Context, "project">): number {
  return project.testClock ? project.number : 0;
}

/**
 * Returns the same context on the real clock. Needed for everything that the outside world sees: signatures, DNS,
 * deliveries to webhooks.
 */
export function inRealTime(ctx: Context): Context {
  const { realClock } = ctx;
  return ctx.project.testClock ? { ...ctx, now: realClock(), clock: realClock } : ctx;
}
