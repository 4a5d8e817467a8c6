import { minuteMs } from "../time";
import { type LaneState, openLane } from "./breaker";
import { type CampaignSpeed, unknownSpeed } from "./campaign-speed";
import type { Lane } from "./message";
import type { PaceRule, PaceState } from "./pace";
import type { Priority } from "./priority";
import { newProjectPaces, type ProjectPaces } from "./project-pace";
import { newRing, type Ring } from "./ring";

/**
 * The provider's account, which all projects share, and the order in which they use it.
 *
 * Waiting mail stays in its rows, and costs nothing while it waits. This state only records which projects wait: a ring
 * of projects, each with the priorities of its mail. A call to the provider needs a permit. A consumer of fresh mail
 * asks for a permit; if none is granted, the mail's project joins the ring. A drainer, a consumer of waiting mail, asks
 * for the next turn and does not name a project.
 *
 * All of this is in memory. When it is lost, a sweep finds the waiting projects again; only the pauses of the lanes and
 * the speed of campaigns are stored.
 */
export interface Account {
  pace: PaceState | null;
  lanes: Record<Lane, LaneState>;
  permits: Map<string, Permit>;
  ring: Ring;
  /** The projects' own paces, which campaign mail obeys in addition to the account's. */
  paces: ProjectPaces;
  speed: CampaignSpeed;
  /** When campaign mail was last read. Null when that read reached the end of a project's waiting campaign mail. */
  readAt: number | null;
  /** When the requested drainer should start; null when no drainer was requested. */
  drainerAt: number | null;
}

export interface AccountRule {
  /** Null when the account has no rate limit. */
  pace: PaceRule | null;
  /** The maximum number of emails that the provider accepts in one call. */
  mailsPerCall: number;
  /** Whether fresh transactional mail goes through another account while this one is down. */
  failsOver?: boolean;
}

/** A permission to call the provider for a limited time. */
export interface Permit {
  project: number;
  priority: Priority;
  lane: Lane;
  /** How many calls the permit still allows, at most `callsAtOnce` of them concurrently. */
  calls: number;
  /**
   * The maximum number of concurrent calls. A fraction when the consumer shares its concurrent calls among several
   * projects.
   */
  callsAtOnce: number;
  mailsAtOnce: number;
  until: number;
  isProbe: boolean;
  isDrainer: boolean;
  /** Whether the project's emails are handled one at a time, because an earlier consumer of its mail died. */
  isSuspect: boolean;
  /** How many mails the project's own pace allows this permit to read; null when the project has no pace of its own. */
  share: number | null;
}

export const lanes: readonly Lane[] = ["transactional", "campaign"];

/** How long a consumer may be silent before its permit counts as lost. A round of provider calls takes less time. */
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

/** The current time and a random number. */
export interface Moment {
  now: number;
  /** From 0 up to 1. */
  random: number;
}
