import type { Admission } from "../../core/mail/breaker";
import type { Lane } from "../../core/mail/message";
import type { Grant, PaceRule, Waiting } from "../../core/mail/pace";
import { type Log, reasonOf } from "../log";
import type { PaceObject } from "./pace-object";

/** The pace of the provider's account, as the consumers of mail use it. */
export interface Pace {
  enter(lane: Lane): Promise<Admission>;
  /** Returns when the lane's pause ends; null when it does not pause. */
  leave(lane: Lane, outcome: "answered" | { thrown: number }): Promise<number | null>;
  /** How many of the wanted calls may be made now, and when each of the others should ask again. */
  take(lane: Lane, wanted: number): Promise<Grant>;
  /** What mail of the lane waits for by itself. Null when it waits for nothing: then a sweep has to look for it. */
  waitsFor(lane: Lane): Promise<Waiting | null>;
}

/**
 * One object for each provider's account. Mail goes on when the object is out of reach: it only protects against a
 * provider that is. `rule` is null when the account has no pace limit; the object is then not asked for one.
 */
export function openPace(
  objects: DurableObjectNamespace<PaceObject>,
  provider: string,
  rule: PaceRule | null,
  log: Log,
): Pace {
  const object = () => objects.get(objects.idFromName(provider));
  return {
    async enter(lane) {
      try {
        return await object().enter(lane);
      } catch (error) {
        log("warn", "The pace of the mail provider is unknown; mail goes on", { lane, reason: reasonOf(error) });
        return { kind: "open", troubled: false };
      }
    },
    async leave(lane, outcome) {
      try {
        return await object().leave(lane, outcome);
      } catch (error) {
        log("warn", "The outcome of a round could not be kept", { lane, reason: reasonOf(error) });
        return null;
      }
    },
    async take(lane, wanted) {
      if (rule === null || wanted === 0) return { calls: wanted, laterMs: [] };
      try {
        return await object().take(lane, wanted, rule);
      } catch (error) {
        log("warn", "The pace of the mail provider is unknown; mail goes on", { lane, reason: reasonOf(error) });
        return { calls: wanted, laterMs: [] };
      }
    },
    async waitsFor(lane) {
      try {
        return await object().waitsFor(lane);
      } catch (error) {
        log("warn", "The pace of the mail provider is unknown; mail goes on", { lane, reason: reasonOf(error) });
        return null;
      }
    },
  };
}
