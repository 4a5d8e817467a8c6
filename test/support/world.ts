import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { Unavailable } from "../../src/core/errors";
import { newAccount } from "../../src/core/mail/account";
import { perSecondOf } from "../../src/core/mail/campaign-speed";
import type { Message } from "../../src/core/mail/message";
import type { PaceRule } from "../../src/core/mail/pace";
import type { Receipt } from "../../src/core/mail/receipt";
import {
  addWaiting,
  askFor,
  giveBack,
  isTransactionalDown,
  mayGoOn,
  nextTurn,
  readUpTo,
  takeShare,
} from "../../src/core/mail/turns";
import { type Queued, redelivered } from "../../src/core/messages";
import { runSweeps } from "../../src/cron";
import type { WorkflowShardObject } from "../../src/engine/workflows/shard/shard-object";
import { getProject } from "../../src/features/projects/project";
import type { Blobs } from "../../src/platform/blobs";
import { type Context, forProject, type Platform } from "../../src/platform/context";
import type { Dns } from "../../src/platform/dns";
import type { Env } from "../../src/platform/env";
import type { MailAccount } from "../../src/platform/mailer/accounts";
import type { AddedDomain, Mailer, SenderDomain } from "../../src/platform/mailer/mailer";
import type { Pace } from "../../src/platform/mailer/pace";
import { openPlatform } from "../../src/platform/open-platform";
import { nameOf, type ShardAddress, type WorkflowShard, type WorkflowShards } from "../../src/platform/workflow-shards";
import { eventListeners, handleMessage } from "../../src/queue";
import { databaseOf, shards } from "./database";
import type { DatabaseFault } from "./database-fault";
import { type Death, killableDatabase, Process, type Way, wasKilled } from "./killable";
import { noteMessages } from "./limit-check";
import type { TestProject } from "./project";

export const accepts = (): Receipt => ({ kind: "accepted", providerMessageId: "m-1", reports: [] });

/** A provider beside the first one, with an account of its own. */
export class SecondProvider {
  taken: Message[] = [];
  calls: { key: string; emailIds: string[] }[] = [];
  answer: (message: Message) => Receipt | Promise<Receipt> = accepts;
  idempotencyWindowMs = 0;
  allowsMarketing = true;
  account = newAccount();

  constructor(readonly name = "second") {}
}

/**
 * The outside of the Worker under control: a clock that stands still, a queue that holds its messages, a provider
 * that does as told. The database, and everything in it, is real. `process()` makes a Platform that can be killed.
 */
export class World {
  now = Date.now();
  queue: { queued: Queued; due: number }[] = [];
  /** What the provider took, in order; a mail it took twice is here twice. */
  taken: Message[] = [];
  /** How the provider answers; throws when it does not. */
  answer: (message: Message) => Receipt | Promise<Receipt> = accepts;
  idempotencyWindowMs = 0;
  mailsPerCall = 1;
  sharesCallsWithFiles = true;
  allowsMarketing = true;
  /** What the provider says when it is asked about a call: message ids by email id. Null for one that cannot be asked. */
  lookUp: ((key: string) => Record<string, string>) | null = null;
  /** The calls about which the provider was asked. */
  lookedUp: string[] = [];
  /** Between 0 and 1. */
  random = () => 0;
  /** The calls that the provider got: their keys, and their mails. */
  calls: { key: string; emailIds: string[] }[] = [];
  /** How fast the provider's account may be called; null for as fast as mail comes. */
  paceRule: PaceRule | null = null;
  /** Settings of the Worker beside those of the tests. A `MAIL_PROVIDER` among them carries the mail instead of the double. */
  settings: Partial<Env> = {};
  /** More providers, each with an account of its own: see `SecondProvider`. */
  marketing: SecondProvider | null = null;
  fallback: SecondProvider | null = null;
  logged: string[] = [];
  /** The details of each of them. */
  loggedDetails: Record<string, unknown>[] = [];
  /** `"TXT acme.com"` → what DNS says. All else has no records. */
  dnsRecords: Record<string, string[]> = {};
  /** The part of the outside that does not answer. */
  outage: "dns" | "provider" | "queue" | "files" | null = null;
  /** The database that does not answer. */
  outShard: string | null = null;
  /** What happens to the next round trips to a database; null while all is well. */
  fault: Pick<DatabaseFault, "meet"> | null = null;
  /** How the provider stands with every sender domain; null when it knows none of them. */
  senderDomain: SenderDomain | null = { verified: true, records: [] };
  addedDomains: string[] = [];
  /** What the provider's account had before we came. */
  foreignDomains: string[] = [];
  removedDomains: string[] = [];
  /** Who hears of events: those of the Worker, and whom a test adds. */
  listeners = [...eventListeners];
  private processes: Process[] = [];
  /** The provider's account: a new one is what an evicted object starts with. */
  account = newAccount();

  process(death?: Death): { platform: Platform; process: Process } {
    const process = new Process(death);
    this.processes.push(process);
    const databases = Object.fromEntries(
      shards.map((shard) => [shard, killableDatabase(databaseOf(shard), process, this.wayTo(shard))]),
    );
    const real = openPlatform({ ...env, ...databases, ...this.settings }, { waitUntil: () => {} });
    const mailer = this.settings.MAIL_PROVIDER ? real.mailer : this.mailer(process);
    const pace = this.pace(process, mailer);
    const second = (own: SecondProvider | null) => own && this.second(process, mailer, own);
    const platform: Platform = {
      ...real,
      now: new Date(this.now),
      // As whole as the database's own: D1 takes a number as a REAL.
      databaseNow: sql`CAST(${this.now} AS INTEGER)`,
      realDatabaseNow: sql`CAST(${this.now} AS INTEGER)`,
      clock: () => new Date(this.now),
      realClock: () => new Date(this.now),
      random: () => this.random(),
      sleep: async (ms) => {
        this.now += ms;
      },
      enqueue: (queued) => process.step("enqueue", async () => this.hold(queued)),
      blobs: this.blobs(real.blobs),
      mailer,
      pace,
      accounts: {
        main: { mailer, pace, rate: real.accounts.main.rate },
        marketing: second(this.marketing),
        fallback: second(this.fallback),
      },
      workflowShards: this.workflowShards(process),
      dns: this.dns(process),
      log: (_level, message, details) => {
        this.logged.push(message);
        this.loggedDetails.push(details ?? {});
      },
    };
    return { platform, process };
  }

  private wayTo(shard: string): Way {
    return async (trip, make) => {
      if (this.outShard === shard) throw new Error("The database does not answer");
      return this.fault === null ? make() : this.fault.meet(trip, make);
    };
  }

  async context(project: TestProject, death?: Death): Promise<{ ctx: Context; process: Process }> {
    const row = await getProject(this.process().platform, project.id);
    const { platform, process } = this.process(death);
    return { ctx: forProject(platform, row), process };
  }

  /** Every statement that any process prepared. */
  get statements(): Process["statements"] {
    return this.processes.flatMap(({ statements }) => statements);
  }

  /** The texts of every batch that any process made. */
  get batches(): string[][] {
    return this.processes.flatMap(({ batches }) => batches);
  }

  /** What all processes have written, as D1 counts it. */
  get rowsWritten(): number {
    return this.processes.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  }

  /** Runs what is due in the queue until nothing is. A job that throws stays there, as in the real queue. */
  async drain(): Promise<void> {
    for (let turn = 0; turn < 1_000; turn++) {
      const index = this.queue.findIndex(({ due }) => due <= this.now);
      const [next] = index < 0 ? [] : this.queue.splice(index, 1);
      if (!next) return;
      try {
        await handleMessage(this.process().platform, next.queued.message, this.listeners);
      } catch (error) {
        this.bringAgain(next);
        throw error;
      }
    }
    throw new Error("The queue never comes to rest");
  }

  /** One job in a process that dies on the way; its message comes back, as nobody acknowledged it. */
  async runAndDie(death: Death): Promise<string[]> {
    const next = this.queue.shift();
    if (!next) throw new Error("The queue is empty");
    const { platform, process } = this.process(death);
    try {
      await handleMessage(platform, next.queued.message, this.listeners);
    } catch (error) {
      if (!wasKilled(error)) throw error;
      this.bringAgain(next);
    }
    return process.steps;
  }

  async sweep(cron = "* * * * *"): Promise<void> {
    await runSweeps(this.process().platform, cron);
  }

  /**
   * Lets time pass as it does: minute by minute, with the cron's tick and the queue after each. In larger steps the cron
   * comes late.
   */
  async pass(minutes: number, step = 1): Promise<void> {
    for (let passed = step; passed <= minutes; passed += step) {
      this.now += step * 60_000;
      await this.sweep();
      if (passed % 5 < step) await this.sweep("*/5 * * * *");
      await this.drain();
    }
  }

  /** What the next turns of shards take for the world: a test may let them die. */
  shardPlatform: () => Platform = () => this.process().platform;

  /** The alarm of a shard that is due rings. Returns whether it was. */
  async ring(address: ShardAddress): Promise<boolean> {
    return runInDurableObject(shardStub(address), async (object, state) => {
      const at = await state.storage.getAlarm();
      if (at === null || at > this.now) return false;
      await state.storage.deleteAlarm();
      object.openPlatform = () => this.shardPlatform();
      await object.alarm();
      return true;
    });
  }

  /** Shards answer when their pump rests, so that a test sees what came of a call. */
  private workflowShards(process: Process): WorkflowShards {
    return {
      of: (address) => {
        const call = (name: keyof WorkflowShard, values: unknown[]) =>
          process.step(`shard ${name}`, () =>
            runInDurableObject(shardStub(address), async (object) => {
              object.openPlatform = () => this.shardPlatform();
              // Its name says which of its methods it is, and the caller's types which values that takes.
              const method = object[name] as (...values: unknown[]) => Promise<unknown>;
              const result = await method.apply(object, values);
              await object.rest();
              return result;
            }),
          );
        return new Proxy({} as WorkflowShard, {
          get:
            (_, name) =>
            (...values: unknown[]) =>
              call(name as keyof WorkflowShard, values),
        });
      },
    };
  }

  private bringAgain({ queued, due }: World["queue"][number]): void {
    this.queue.push({ queued: { ...queued, message: redelivered(queued.message) }, due });
  }

  private hold(queued: Queued[]): void {
    if (this.outage === "queue") throw new Error("The queue does not answer");
    // The real one splits them into calls.
    for (const { message } of queued) noteMessages([{ body: message }]);
    this.queue.push(...queued.map((queued) => ({ queued, due: this.now + (queued.delaySeconds ?? 0) * 1_000 })));
  }

  private blobs(real: Blobs): Blobs {
    const answers = <Given extends unknown[], T>(method: (...given: Given) => Promise<T>) => {
      return async (...given: Given): Promise<T> => {
        if (this.outage === "files") throw new Error("The bucket does not answer");
        return method(...given);
      };
    };
    return {
      put: answers(real.put),
      putIncoming: answers(real.putIncoming),
      getRange: answers(real.getRange),
      describe: answers(real.describe),
      open: answers(real.open),
      get: answers(real.get),
      delete: answers(real.delete),
      list: answers(real.list),
      listAfter: answers(real.listAfter),
      measure: answers(real.measure),
    };
  }

  private mailer(process: Process): Mailer {
    return {
      name: "double",
      idempotencyWindowMs: this.idempotencyWindowMs,
      mailsPerCall: this.mailsPerCall,
      sharesCallsWithFiles: this.sharesCallsWithFiles,
      maxMessageBytes: Number.POSITIVE_INFINITY,
      steeringHeaders: [],
      allowsMarketing: this.allowsMarketing,
      deliver: (messages, key) =>
        process.step("provider", async () => {
          this.calls.push({ key, emailIds: messages.map(({ emailId }) => emailId) });
          const receipts = await Promise.all(messages.map((message) => this.answer(message)));
          this.taken.push(...messages.filter((_, index) => receipts[index]?.kind === "accepted"));
          return receipts;
        }),
      ...(this.lookUp && {
        lookUp: (key: string) =>
          process.step("look up", async () => {
            this.lookedUp.push(key);
            return new Map(Object.entries(this.lookUp?.(key) ?? {}));
          }),
      }),
      addDomain: (domain) => process.step("add domain", async () => this.registered(domain)),
      domainStatus: () =>
        process.step("domain status", async () => {
          if (this.outage === "provider") throw new Error("No answer");
          return this.senderDomain;
        }),
      removeDomain: async (domain) => {
        this.removedDomains.push(domain);
      },
    };
  }

  private registered(domain: string): AddedDomain {
    const isNew = ![...this.foreignDomains, ...this.addedDomains].includes(domain);
    this.addedDomains.push(domain);
    this.senderDomain ??= { verified: true, records: [] };
    return { ...this.senderDomain, isNew };
  }

  private dns(process: Process): Dns {
    const lookup = (name: string, type: string) =>
      process.step("dns", async () => {
        if (this.outage === "dns") throw new Unavailable("No resolver answers.", { retryAfterSeconds: 30 });
        return this.dnsRecords[`${type} ${name}`] ?? [];
      });
    return { lookup, lookupUncached: lookup };
  }

  private second(process: Process, main: Mailer, own: SecondProvider): MailAccount {
    const { name, idempotencyWindowMs, allowsMarketing, account } = own;
    const mailer: Mailer = {
      ...main,
      ...{ name, idempotencyWindowMs, allowsMarketing },
      deliver: (messages, key) =>
        process.step(name, async () => {
          own.calls.push({ key, emailIds: messages.map(({ emailId }) => emailId) });
          const receipts = await Promise.all(messages.map((message) => own.answer(message)));
          own.taken.push(...messages.filter((_, index) => receipts[index]?.kind === "accepted"));
          return receipts;
        }),
    };
    return { mailer, rate: null, pace: this.pace(process, mailer, account) };
  }

  private pace(process: Process, { mailsPerCall }: Mailer, account = this.account): Pace {
    const failsOver = account === this.account && this.fallback !== null;
    const rule = { pace: this.paceRule, mailsPerCall, failsOver };
    const moment = () => ({ now: this.now, random: 0 });
    const step = <T>(name: string, effect: () => T) => process.step(name, async () => effect());
    return {
      ask: (wishes) => step("ask", () => askFor(account, wishes, rule, moment())),
      nextTurn: (drainer) => step("turn", () => nextTurn(account, drainer, rule, moment())),
      takeShare: (permitId, wanted) => step("take share", () => takeShare(account, permitId, wanted, moment())),
      readUpTo: (permitId, read) => step("read up to", () => readUpTo(account, permitId, read, moment())),
      mayGoOn: (permitId, verdict, calls) =>
        step("may go on", () => mayGoOn(account, permitId, verdict, calls, moment())),
      giveBack: (dones) => step("give back", () => giveBack(account, dones, rule, moment())),
      addWaiting: (found) => step("add waiting", () => addWaiting(account, found, rule, moment())),
      isTransactionalDown: () => step("is down", () => isTransactionalDown(account, this.now)),
      campaignsPerSecond: async () => perSecondOf(account.speed),
      lanes: async () => ({ ...account.lanes }),
    };
  }
}

/** The same, with another provider behind MAIL_PROVIDER. */
export function withMailer<On extends Platform>(on: On, mailer: Mailer): On {
  return { ...on, mailer, accounts: { ...on.accounts, main: { ...on.accounts.main, mailer } } };
}

/** The object of a shard. */
export function shardStub(address: ShardAddress): DurableObjectStub<WorkflowShardObject> {
  const objects = env.WORKFLOWS as unknown as DurableObjectNamespace<WorkflowShardObject>;
  return objects.get(objects.idFromName(nameOf(address)));
}
