import type { Enqueue, Queued } from "./messages";
import { secondMs } from "./time";

/**
 * A message without an effect for this long counts as lost: the queue took none, or the isolate died before it was sent.
 * Rows are due after it, and the sweeps of every five seconds look for them.
 */
export const lostAfterMs = 5 * secondMs;

/** The surroundings of a nudge: a platform. */
export interface Nudging {
  enqueue: Enqueue;
  /** A request answers without waiting for this work. A job or a sweep waits for it. */
  afterAnswer(work: Promise<void>): Promise<void>;
  log(level: "error", message: string, details: Record<string, unknown>): void;
}

/**
 * Sends messages about rows that are committed. The rows are the truth, and a sweep finds those whose message is lost, so
 * a failure is logged and not thrown, and no caller waits for the queue.
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
