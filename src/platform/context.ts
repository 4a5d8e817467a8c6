import { type SQL, sql } from "drizzle-orm";
import type { AuditedCall } from "../core/audit/call";
import type { Cpu } from "../core/cpu";
import type { Section } from "../core/documents/find-sections";
import type { CallerKind, KeyKind } from "../core/keys";
import type { Enqueue } from "../core/messages";
import type { DomainLists } from "../core/verification/lists";
import type { Warning } from "../core/warning";
import type { CallEntry } from "../db/audit-entry";
import type { Db } from "../db/client";
import type { Spent } from "../db/spent";
import type { Project } from "../db/tables";
import type { Blobs } from "./blobs";
import type { Dns } from "./dns";
import type { Config } from "./env";
import type { Gate } from "./gate";
import type { Log } from "./log";
import { type MailAccounts, through } from "./mailer/accounts";
import type { Mailer } from "./mailer/mailer";
import { type Pace, unlimitedPace } from "./mailer/pace";
import type { Reporter } from "./mailer/reporter";
import type { WorkflowShards } from "./workflow-shards";

export type { Project };

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
  /** An SQL expression for the time of a commit by the database's clock, in milliseconds. */
  databaseNow: SQL;
  /** The current time, for work that takes a while. */
  clock(): Date;
  /**
   * The real time, even for a project with a test clock. Used for leases, waits, work budgets, rate limits, and times
   * that sweeps compare over all projects.
   */
  realClock(): Date;
  /** An SQL expression for the real time of a commit by the database's clock. */
  realDatabaseNow: SQL;
  /** A random number from 0 up to 1. */
  random(): number;
  enqueue: Enqueue;
  blobs: Blobs;
  /** Sends the mail of this work, through `accounts.main` unless the work has chosen another account. */
  mailer: Mailer;
  accounts: MailAccounts;
  /** Opens the outbox, which stores the mail of projects with a test clock. */
  outboxAt(clock: () => Date): Mailer;
  /** Returns the reader of a provider's reports; null when the provider is not set up for reports. */
  reporterOf(provider: string): Reporter | null;
  dns: Dns;
  /** Loads the lists of disposable and personal domains. */
  domainLists(): Promise<DomainLists>;
  /** Loads the sections of the documents in `docs`. */
  documents(): Promise<Section[]>;
  /** The pace of the provider's account that `mailer` uses. */
  pace: Pace;
  /** The maximum number of calls to the provider that this work may have open at once. */
  callsAtOnce: number;
  /**
   * The maximum number of rounds of calls to the provider that this work may make one after another. Each round takes
   * about twenty statements of the invocation, and more with reports.
   */
  maxRounds: number;
  /**
   * The CPU budget of this invocation. Loops that compute stop when it is used up. They cannot watch the time instead,
   * because no clock advances while they run.
   */
  cpu: Cpu;
  /** The maximum number of databases that a sweep asks at the same time. */
  databasesAtOnce: number;
  /** The maximum number of executions that the shards in one isolate may move at the same time. */
  executionsAtOnce: number;
  /** Pauses the work. */
  sleep(ms: number): Promise<void>;
  gate: Gate;
  /** The objects that store the executions of workflows. */
  workflowShards: WorkflowShards;
  log: Log;
  /** The origin of this request's URL; null in jobs and sweeps. */
  origin: string | null;
  /**
   * The host of this request if links must not use it, because the caller chose it and the operator did not configure
   * it. Otherwise null.
   */
  foreignHost: string | null;
  spent: Spent;
  /** The call whose changes the audit log records; null for our own work, and for calls that the log leaves out. */
  audit: AuditedCall | null;
  /**
   * The audit entry of the whole call; null unless a person or the operator makes the call and its changes are not
   * recorded one by one.
   */
  callEntry: CallEntry | null;
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
  /** The kind of the request's API key. Work without a request, and a person's request, count as a secret key. */
  keyKind: KeyKind;
  /** Like `keyKind`, except that a person with a session has a separate kind. */
  callerKind: CallerKind;
  /** False for a person whose last proof of identity is more than ten minutes old. */
  hasProof: boolean;
  /** Warnings that the answer contains in addition to its result. A verb adds to them. */
  warnings: Warning[];
}

/**
 * Returns a context for work on a project by a request, a job or a sweep. For a project with a test clock, the time is
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

/** Returns the time of a project with a test clock. The clock stands still until a call moves it. */
export function timeOfProject({ clockAt, createdAt }: Pick<Project, "clockAt" | "createdAt">): number {
  return clockAt ?? createdAt;
}

/**
 * Returns the value of the column `clock` in the rows of a project. Sweeps over all projects look for 0, so they skip
 * the rows of a project with a test clock.
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
