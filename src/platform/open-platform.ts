import { sql } from "drizzle-orm";
import { openCpu } from "../core/cpu";
import { maxCallsAtOnce, maxRoundsPerInvocation } from "../core/mail/permits";
import { controlDatabase, controlShard, countedIn, type Db, projectDatabase, shardsOf } from "../db/client";
import { Spent } from "../db/spent";
import { type Blobs, openBlobs } from "./blobs";
import type { Platform } from "./context";
import { openDns } from "./dns";
import { openDocuments } from "./documents";
import { openDomainLists } from "./domain-lists";
import { type Config, type Env, readConfig } from "./env";
import { openGate } from "./gate";
import { log } from "./log";
import type { MailAccount, MailAccounts } from "./mailer/accounts";
import { outboxMailer } from "./mailer/outbox/send";
import { openPace } from "./mailer/pace";
import type { ConfiguredProvider } from "./mailer/provider";
import { objectsAt } from "./objects";
import { openQueues } from "./queues";
import { openWorkflowShards } from "./workflow-shards";

/**
 * The maximum number of executions that the shards in one isolate move at the same time, as many as in four full
 * passes. Batches of executions keep the database busy, and reads of other projects wait for these batches.
 */
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
  const own = {
    now: new Date(),
    cpu: openCpu(),
    spent,
    origin,
    foreignHost: null,
    audit: null,
    callEntry: null,
    later,
    afterAnswer,
  };
  return { ...isolatePlatformOf(env), ...openDatabases(env, spent), ...own };
}

type Databases = Pick<Platform, "control" | "databaseOf" | "databases">;

/** Opens the databases for one invocation, so that its statements are counted. */
function openDatabases(env: Env, spent: Spent): Databases {
  const counted = new Map(shardsOf(env).map((shard) => [shard, countedIn(spent, projectDatabase(env, shard))]));
  // `projectDatabase` throws for a shard without a database.
  const databaseOf = (shard: string) => counted.get(shard) ?? projectDatabase(env, shard);
  return { control: databaseOf(controlShard), databaseOf, databases: [...counted.values()] };
}

/**
 * The part of a platform that is the same for every request of an isolate, because it depends only on bindings and
 * settings.
 */
type IsolatePlatform = Omit<
  Platform,
  keyof Databases | "now" | "cpu" | "spent" | "origin" | "foreignHost" | "audit" | "callEntry" | "later" | "afterAnswer"
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
