import type { Admission } from "../../core/mail/breaker";
import type { Lane } from "../../core/mail/message";
import { type Log, reasonOf } from "../log";
import type { PaceObject } from "./pace-object";

/** The provider account's pace, as the consumers of mail see it. */
export interface Pace {
  enter(lane: Lane): Promise<Admission>;
  /** Returns until when the lane pauses, null if it does not. */
  leave(lane: Lane, outcome: "answered" | { thrown: number }): Promise<number | null>;
}

/** Mail goes on when the object is out of reach: it only guards against a provider that is. */
export function openPace(objects: DurableObjectNamespace<PaceObject>, provider: string, log: Log): Pace {
  const objectOf = (lane: Lane) => objects.get(objects.idFromName(`${provider}:${lane}`));
  return {
    async enter(lane) {
      try {
        return await objectOf(lane).enter();
      } catch (error) {
        log("warn", "The pace of the mail provider is unknown; mail goes on", { lane, reason: reasonOf(error) });
        return { kind: "open", troubled: false };
      }
    },
    async leave(lane, outcome) {
      try {
        return await objectOf(lane).leave(outcome);
      } catch (error) {
        log("warn", "The outcome of a round could not be kept", { lane, reason: reasonOf(error) });
        return null;
      }
    },
  };
}
