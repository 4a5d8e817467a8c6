import { Unavailable } from "./errors";

/** A storage that does not answer now. `effect` is the effect of the request: none, perhaps all of it, or all. */
interface Away {
  what: "database" | "file storage";
  effect: "none" | "unknown" | "done";
  hasKey: boolean;
  cause: unknown;
}

export class StorageOutOfReach extends Unavailable {
  constructor({ what, effect, hasKey, cause }: Away) {
    const happened = {
      none: "This request had no effect.",
      unknown: "This request may have had its effect, or not.",
      done: "This request had its effect, and only its answer is lost.",
    }[effect];
    const suggestion = adviceAfter(effect, hasKey);
    super(`The ${what} does not answer at the moment. ${happened}`, {
      retryAfterSeconds: 2,
      suggestion,
      details: { effect },
      cause,
    });
  }
}

function adviceAfter(effect: "none" | "unknown" | "done", hasKey: boolean): string {
  if (effect === "none") return "Send it again in two seconds.";
  if (hasKey) return "Send it again in two seconds with the same Idempotency-Key: it has its effect once.";
  return "Read what is there before you send it again. With an Idempotency-Key, a repeated request has its effect once.";
}
