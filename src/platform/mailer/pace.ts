import type { AccountRule } from "../../core/mail/account";
import type { LaneState, Verdict } from "../../core/mail/breaker";
import type { Lane } from "../../core/mail/message";
import { type Grant, maxCallsAtOnce } from "../../core/mail/permits";
import type { Priority } from "../../core/mail/priority";
import type { MailCursor } from "../../core/mail/ring";
import type { Done, Drainer, NextTurn, PermitRequest, WithDrainer } from "../../core/mail/turns";
import { type Log, reasonOf } from "../log";
import type { NamedObjects } from "../objects";
import type { PaceObject } from "./pace-object";

/**
 * The provider's account, as the consumers of mail use it: see core/mail/turns.ts. When an answer has `drainAt`, the
 * caller must send a `mail.drain` message that arrives at that time.
 */
export interface Pace {
  /** Asks for permission to send fresh mail, and gets a grant for each request. Mail without a grant waits. */
  ask(requests: PermitRequest[]): Promise<WithDrainer<{ grants: Grant[] }>>;
  /** Returns the project whose waiting mail is sent next. */
  nextTurn(drainer: Drainer): Promise<NextTurn>;
  /** Returns how many mails a turn may read, for a project with its own pace. */
  takeShare(permitId: string, wanted: { perSecond: number; mails: number }): Promise<number>;
  /** Records that a turn has read this many emails, up to a cursor, which is null when there are no more. */
  readUpTo(permitId: string, read: { cursor: MailCursor | null; mails: number }): Promise<void>;
  /** Reports the outcome of a round, and returns whether the next one may start. */
  mayGoOn(permitId: string, verdict: Verdict, calls: number): Promise<boolean>;
  giveBack(dones: Done[]): Promise<{ drainAt: number | null }>;
  /** Reports the projects with waiting mail. */
  addWaiting(found: { project: number; priority: Priority }[]): Promise<{ drainAt: number | null }>;
  /** Whether the account has been paused long enough that transactional mail should use another one. */
  isTransactionalDown(): Promise<boolean>;
  /** The recent speed of campaigns in emails per second, measured while more mail was waiting; null when unknown. */
  campaignsPerSecond(): Promise<number | null>;
  /** The state of each lane; null when unknown. */
  lanes(): Promise<Lanes | null>;
}

export type Lanes = Readonly<Record<Lane, LaneState>>;

/**
 * Opens the pace of a provider's account, which one object keeps. The pace fails open: when the object does not answer,
 * fresh mail is sent, because pacing only protects the provider. Mail that is already waiting then waits for the next
 * sweep.
 */
export function openPace(objects: NamedObjects<PaceObject>, provider: string, rule: AccountRule, log: Log): Pace {
  async function reach<T>(call: (object: DurableObjectStub<PaceObject>) => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await call(objects.get(objects.idFromName(provider)));
    } catch (error) {
      log("warn", "The pace of the mail provider is unknown; mail is sent without it", { reason: reasonOf(error) });
      return otherwise;
    }
  }
  const nobody = { drainAt: null };
  return {
    ask: (requests) =>
      reach<WithDrainer<{ grants: Grant[] }>>((object) => object.askAll(requests, rule), wholeOf(requests)),
    nextTurn: (drainer) => reach<NextTurn>((object) => object.nextTurn(drainer, rule), { kind: "nothing to do" }),
    takeShare: (permitId, wanted) => reach<number>((object) => object.takeShare(permitId, wanted), 0),
    readUpTo: (permitId, read) => reach<void>((object) => object.readUpTo(permitId, read), undefined),
    mayGoOn: (permitId, verdict, calls) => reach<boolean>((object) => object.mayGoOn(permitId, verdict, calls), true),
    giveBack: (dones) => reach<{ drainAt: number | null }>((object) => object.giveBackAll(dones, rule), nobody),
    addWaiting: (found) => reach<{ drainAt: number | null }>((object) => object.addWaiting(found, rule), nobody),
    isTransactionalDown: () => reach<boolean>((object) => object.isTransactionalDown(), false),
    campaignsPerSecond: () => reach<number | null>((object) => object.campaignsPerSecond(), null),
    lanes: () => reach<Lanes | null>((object) => object.lanes(), null),
  };
}

function wholeOf(requests: PermitRequest[]): WithDrainer<{ grants: Grant[] }> {
  const grants = requests.map(({ mails }) => ({ calls: mails, callsAtOnce: Math.min(mails, maxCallsAtOnce), mails }));
  return { grants, drainAt: null };
}

/** The account for projects with a test clock. It is never busy, and waiting mail is drained at once. */
export const unlimitedPace: Pace = {
  ask: async (requests) => wholeOf(requests),
  nextTurn: async () => ({ kind: "nothing to do" }),
  takeShare: async (_, { mails }) => mails,
  readUpTo: async () => {},
  mayGoOn: async () => true,
  giveBack: async (dones) => ({ drainAt: dones.some(({ hasMore }) => hasMore) ? 0 : null }),
  addWaiting: async () => ({ drainAt: 0 }),
  isTransactionalDown: async () => false,
  campaignsPerSecond: async () => null,
  lanes: async () => null,
};
