import type { Enqueue, Queued } from "./messages";
import { secondMs } from "./time";

/**
 * The time after which a message without effect counts as lost: the queue did not accept it, or the isolate died before
 * it was sent. The message's rows are then due, and the five-second sweeps find them.
 */
export const lostAfterMs = 5 * secondMs;

/** The parts of the platform that a nudge needs. */
export interface Nudging {
  enqueue: Enqueue;
  /** Runs work after the answer of a request. A job or a sweep waits for the work. */
  afterAnswer(work: Promise<void>): Promise<void>;
  log(level: "error", message: string, details: Record<string, unknown>): void;
}

/**
 * Sends messages about committed rows. A sweep finds rows whose message was lost, so a failure is logged and not
 * thrown, and no caller waits for the queue.
 */
export async function nudge({ enqueue, afterAnswer, log }: Nudging, queued: Queued[]): Promise<void> {
  if (queued.length === 0) return;
  const sending = enqueue(queued).catch((error: unknown) => {
    log("error", "Messages could not be sent; the sweep finds their rows", {
      types: [...new Set(queued.map(({ message }) => message.type))],
      reason: error instanceof Error ? error.message : String(error),
    });
  });
  return afterAnswer(sending);
}
