import { minuteMs } from "../time";
import { type LaneState, openLane } from "./breaker";
import { type CampaignSpeed, unknownSpeed } from "./campaign-speed";
import type { Lane } from "./message";
import type { PaceRule, PaceState } from "./pace";
import type { Priority } from "./priority";
import { newProjectPaces, type ProjectPaces } from "./project-pace";
import { newRing, type Ring } from "./ring";

/**
 * The provider's account, which all projects share, and whose turn it is.
 *
 * Mail that waits stays in its rows, and costs nothing while it does. This state only says which projects wait: a ring
 * of them, each with the priorities of its mail. Calling the provider needs a permit. Fresh mail asks for one, and
 * joins the ring when it gets none. A drainer asks for the next turn instead of naming a project.
 *
 * All of this is in memory. When it is forgotten, a sweep finds the waiting projects again; only the lanes' pauses and
 * the speed of campaigns are stored.
 */
export interface Account {
  pace: PaceState | null;
  lanes: Record<Lane, LaneState>;
  permits: Map<string, Permit>;
  ring: Ring;
  /** Campaign mail also keeps to the pace of its project. */
  paces: ProjectPaces;
  speed: CampaignSpeed;
  /** When campaign mail was read last, if more of that project was left then. */
  readAt: number | null;
  /** When a drainer has been asked to come. */
  drainerAt: number | null;
}

export interface AccountRule {
  /** Null when the account has no limit per second. */
  pace: PaceRule | null;
  /** How many mails the provider takes in one call. */
  mailsPerCall: number;
  /** Fresh transactional mail goes through another account while this one is down. */
  failsOver?: boolean;
}

/** Leave to call the provider, for a while. */
export interface Permit {
  project: number;
  priority: Priority;
  lane: Lane;
  /** Calls that it may still make, one after another or `callsAtOnce` together. */
  calls: number;
  /** A part of one where its consumer shares its calls among many projects. */
  callsAtOnce: number;
  mailsAtOnce: number;
  until: number;
  isProbe: boolean;
  isDrainer: boolean;
  /** It takes each mail alone, because one before it died. */
  isSuspect: boolean;
  /** The mails that the project's own pace allows it and that are not read yet; null without such a pace. */
  share: number | null;
}

export const lanes: readonly Lane[] = ["transactional", "campaign"];

/** Longer than a round of provider calls may take. A permit without a sign of its consumer for this time is lost. */
export const permitMs = 2 * minuteMs;

export function newAccount(lanes: Partial<Record<Lane, LaneState>> = {}, speed = unknownSpeed): Account {
  return {
    pace: null,
    lanes: { transactional: openLane, campaign: openLane, ...lanes },
    permits: new Map(),
    ring: newRing(),
    paces: newProjectPaces(),
    speed,
    readAt: null,
    drainerAt: null,
  };
}

/** When it is, and chance. */
export interface Moment {
  now: number;
  /** Between 0 and 1. */
  random: number;
}
