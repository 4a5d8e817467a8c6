import { DurableObject } from "cloudflare:workers";
import { type Account, type AccountRule, type Moment, newAccount } from "../../core/mail/account";
import type { LaneState, Verdict } from "../../core/mail/breaker";
import { type CampaignSpeed, perSecondOf } from "../../core/mail/campaign-speed";
import type { Lane } from "../../core/mail/message";
import type { Grant } from "../../core/mail/permits";
import type { Priority } from "../../core/mail/priority";
import type { MailCursor } from "../../core/mail/ring";
import {
  addWaiting,
  askFor,
  type Done,
  type Drainer,
  giveBack,
  isTransactionalDown,
  mayGoOn,
  type NextTurn,
  nextTurn,
  type PermitRequest,
  readUpTo,
  takeShare,
  type WithDrainer,
} from "../../core/mail/turns";

const lanes: readonly Lane[] = ["transactional", "campaign"];

const speedKey = "speed of campaigns";

/** The speed is only an estimate and each write costs money, so only one change in this many is stored. */
const speedsPerWrite = 20;

/**
 * The provider's account, shared by all projects and isolates. It pauses while the provider does not answer, enforces
 * the account's pace, and decides which project is next. Each method is one synchronous step. See core/mail/turns.ts.
 */
export class PaceObject extends DurableObject {
  private account: Account | null = null;
  private speedsToStore = 0;

  askAll(requests: PermitRequest[], rule: AccountRule): WithDrainer<{ grants: Grant[] }> {
    return this.do((account, moment) => askFor(account, requests, rule, moment));
  }

  nextTurn(drainer: Drainer, rule: AccountRule): NextTurn {
    return this.do((account, moment) => nextTurn(account, drainer, rule, moment));
  }

  takeShare(permitId: string, wanted: { perSecond: number; mails: number }): number {
    return this.do((account, moment) => takeShare(account, permitId, wanted, moment));
  }

  readUpTo(permitId: string, read: { cursor: MailCursor | null; mails: number }): void {
    this.do((account, moment) => readUpTo(account, permitId, read, moment));
  }

  mayGoOn(permitId: string, verdict: Verdict, calls: number): boolean {
    return this.do((account, moment) => mayGoOn(account, permitId, verdict, calls, moment));
  }

  giveBackAll(dones: Done[], rule: AccountRule): { drainAt: number | null } {
    return this.do((account, moment) => giveBack(account, dones, rule, moment));
  }

  addWaiting(found: { project: number; priority: Priority }[], rule: AccountRule): { drainAt: number | null } {
    return this.do((account, moment) => addWaiting(account, found, rule, moment));
  }

  isTransactionalDown(): boolean {
    return this.do((account, { now }) => isTransactionalDown(account, now));
  }

  campaignsPerSecond(): number | null {
    return this.do(({ speed }) => perSecondOf(speed));
  }

  lanes(): Record<Lane, LaneState> {
    return this.do(({ lanes }) => ({ ...lanes }));
  }

  /**
   * Performs a step, and stores the state that must survive an eviction: the pauses of the lanes, and the speed of
   * campaigns.
   */
  private do<T>(step: (account: Account, moment: Moment) => T): T {
    this.account ??= this.stored();
    const { account } = this;
    const { speed } = account;
    const before = { ...account.lanes };
    const result = step(account, { now: Date.now(), random: Math.random() });
    for (const lane of lanes) {
      if (account.lanes[lane] !== before[lane]) this.ctx.storage.kv.put(keyOf(lane), account.lanes[lane]);
    }
    if (account.speed !== speed) this.storeSpeed(account.speed);
    return result;
  }

  private storeSpeed(speed: CampaignSpeed): void {
    this.speedsToStore += 1;
    if (this.speedsToStore < speedsPerWrite) return;
    this.speedsToStore = 0;
    this.ctx.storage.kv.put(speedKey, speed);
  }

  private stored(): Account {
    const { kv } = this.ctx.storage;
    const states = lanes.flatMap((lane): [Lane, LaneState][] => {
      const state = kv.get<LaneState>(keyOf(lane));
      return state === undefined ? [] : [[lane, state]];
    });
    return newAccount(Object.fromEntries(states), kv.get<CampaignSpeed>(speedKey));
  }
}

function keyOf(lane: Lane): string {
  return `lane:${lane}`;
}
