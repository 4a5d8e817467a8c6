import { patience, type Verdict } from "./breaker";

/**
 * One consumer's view of a lane while it calls. It holds back the calls that have not begun, because the account learns
 * of an outage only when the round is over.
 */
export interface Watch {
  /** Waits until a call may begin. False when the provider takes no more of them for now. */
  mayCall(): Promise<boolean>;
  /** A call that was let begin has ended. */
  ended(verdict: Verdict): void;
  isOver(): boolean;
}

/**
 * No call begins that could be one more in a row without an answer than the account has patience for. It waits for the
 * calls that are open: an answer lets all go on. So an outage costs the mails of the calls that are open when it begins, and
 * of three at most.
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
