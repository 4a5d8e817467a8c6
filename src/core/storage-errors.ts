import { Unavailable } from "./errors";

/**
 * A storage that does not answer at the moment. `effect` tells whether the request took effect: not at all, perhaps, or
 * completely.
 */
interface Away {
  what: "database" | "file storage" | "moving project";
  effect: "none" | "unknown" | "done";
  hasKey: boolean;
  cause: unknown;
}

export class StorageOutOfReach extends Unavailable {
  constructor({ what, effect, hasKey, cause }: Away) {
    const happened = {
      none: "This request had no effect.",
      unknown: "This request may or may not have taken effect.",
      done: "This request took effect, but its answer was lost.",
    }[effect];
    const suggestion = adviceAfter(effect, hasKey);
    super(`${saidOf[what]} ${happened}`, {
      retryAfterSeconds: 2,
      suggestion,
      details: { effect },
      cause,
    });
  }
}

const saidOf: Record<Away["what"], string> = {
  database: "The database does not answer at the moment.",
  "file storage": "The file storage does not answer at the moment.",
  "moving project": "This project is being moved to another database, and cannot be changed for a moment.",
};

function adviceAfter(effect: "none" | "unknown" | "done", hasKey: boolean): string {
  if (effect === "none") return "Send it again in two seconds.";
  if (hasKey) return "Send it again in two seconds with the same Idempotency-Key, so that it takes effect only once.";
  return (
    "Check the current state before you send it again. With an Idempotency-Key, a repeated request takes " +
    "effect only once."
  );
}
