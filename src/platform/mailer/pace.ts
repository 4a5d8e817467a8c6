import type { AccountRule } from "../../core/mail/account";
import type { Verdict } from "../../core/mail/breaker";
import { type Grant, maxCallsAtOnce } from "../../core/mail/permits";
import type { Priority } from "../../core/mail/priority";
import type { Place } from "../../core/mail/ring";
import type { Done, Drainer, NextTurn, Wish, WithDrainer } from "../../core/mail/turns";
import { type Log, reasonOf } from "../log";
import type { NamedObjects } from "../objects";
import type { PaceObject } from "./pace-object";

/**
 * The provider's account, as the consumers of mail use it: see core/mail/turns.ts. `drainAt` in an answer asks the caller
 * to send a `mail.drain` message that arrives then.
 */
export interface Pace {
  /** Asks for calls for fresh mail, and gets a grant for each wish. What is not granted waits. */
  ask(wishes: Wish[]): Promise<WithDrainer<{ grants: Grant[] }>>;
  /** Whose waiting mail goes next. */
  nextTurn(drainer: Drainer): Promise<NextTurn>;
  /** How many mails of a turn may be read, of a project that has a pace of its own. */
  takeShare(permitId: string, wanted: { perSecond: number; mails: number }): Promise<number>;
  /** So many mails of a turn are read, up to a place; null when there is no more. */
  readUpTo(permitId: string, read: { place: Place | null; mails: number }): Promise<void>;
  /** Tells the outcome of a round, and asks whether the next one may be made. */
  mayGoOn(permitId: string, verdict: Verdict, calls: number): Promise<boolean>;
  giveBack(dones: Done[]): Promise<{ drainAt: number | null }>;
  /** Says whose mail waits. */
  addWaiting(found: { project: number; priority: Priority }[]): Promise<{ drainAt: number | null }>;
  /** How many mails of campaigns went out in a second, of late, while more of them waited; null when that is unknown. */
  campaignsPerSecond(): Promise<number | null>;
}

/**
 * One object for each provider's account. Fresh mail goes on when the object is out of reach: it only protects against a
 * provider that is. Mail that waits then waits for the next sweep.
 */
export function openPace(objects: NamedObjects<PaceObject>, provider: string, rule: AccountRule, log: Log): Pace {
  async function reach<T>(call: (object: DurableObjectStub<PaceObject>) => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await call(objects.get(objects.idFromName(provider)));
    } catch (error) {
      log("warn", "The pace of the mail provider is unknown; mail goes on", { reason: reasonOf(error) });
      return otherwise;
    }
  }
  const nobody = { drainAt: null };
  return {
    ask: (wishes) => reach<WithDrainer<{ grants: Grant[] }>>((object) => object.askAll(wishes, rule), wholeOf(wishes)),
    nextTurn: (drainer) => reach<NextTurn>((object) => object.nextTurn(drainer, rule), { kind: "nothing to do" }),
    takeShare: (permitId, wanted) => reach<number>((object) => object.takeShare(permitId, wanted), 0),
    readUpTo: (permitId, read) => reach<void>((object) => object.readUpTo(permitId, read), undefined),
    mayGoOn: (permitId, verdict, calls) => reach<boolean>((object) => object.mayGoOn(permitId, verdict, calls), true),
    giveBack: (dones) => reach<{ drainAt: number | null }>((object) => object.giveBackAll(dones, rule), nobody),
    addWaiting: (found) => reach<{ drainAt: number | null }>((object) => object.addWaiting(found, rule), nobody),
    campaignsPerSecond: () => reach<number | null>((object) => object.campaignsPerSecond(), null),
  };
}

function wholeOf(wishes: Wish[]): WithDrainer<{ grants: Grant[] }> {
  const grants = wishes.map(({ mails }) => ({ calls: mails, callsAtOnce: Math.min(mails, maxCallsAtOnce), mails }));
  return { grants, drainAt: null };
}

/** The account for projects with a clock of their own: it is never busy. Mail that waits is asked for at once. */
export const unlimitedPace: Pace = {
  ask: async (wishes) => wholeOf(wishes),
  nextTurn: async () => ({ kind: "nothing to do" }),
  takeShare: async (_, { mails }) => mails,
  readUpTo: async () => {},
  mayGoOn: async () => true,
  giveBack: async (dones) => ({ drainAt: dones.some(({ hasMore }) => hasMore) ? 0 : null }),
  addWaiting: async () => ({ drainAt: 0 }),
  campaignsPerSecond: async () => null,
};
