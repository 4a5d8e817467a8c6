import { patience, type Verdict } from "./breaker";

/**
 * One consumer's view of a lane while the consumer makes calls. The watch holds back calls that have not begun, because
 * the account only learns of an outage when the round is over.
 */
export interface Watch {
  /** Waits until a call may begin. Returns false when the provider accepts no more calls for now. */
  mayCall(): Promise<boolean>;
  /** Records that a call has ended. */
  ended(verdict: Verdict): void;
  isOver(): boolean;
}

/**
 * Limits the calls that may be lost in an outage. After an unanswered call, another call begins only while the
 * unanswered and the open calls together are fewer than the account tolerates in a row. Otherwise it waits for the open
 * calls, and any answer lets all waiting calls continue. An outage thus affects the calls that are open when it begins,
 * and at most three more.
 */
export function openWatch(): Watch {
  let [open, unanswered, isOver] = [0, 0, false];
  let next = Promise.withResolvers<void>();
  return {
    async mayCall() {
      while (!isOver && unanswered > 0 && open + unanswered >= patience) await next.promise;
      if (!isOver) open += 1;
      return !isOver;
    },
    ended({ kind }) {
      open -= 1;
      if (kind === "answered") unanswered = 0;
      if (kind === "failed") unanswered += 1;
      isOver ||= kind === "throttled" || kind === "blocked" || (open === 0 && unanswered >= patience);
      next.resolve();
      next = Promise.withResolvers();
    },
    isOver: () => isOver,
  };
}
