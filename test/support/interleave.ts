import type { Random } from "./random";

/** Waits until it is this actor's turn. */
export type Turn = () => Promise<void>;

/**
 * Runs several actors, of which only one moves at a time. Each waits for its turn before it begins, and wherever it asks
 * for one. When all wait or have ended, `pick` says who of those that wait goes on: so its picks are all that decides the
 * order in which things happen.
 */
export async function interleave(
  actors: ((turn: Turn) => Promise<void>)[],
  pick: (waiting: number[]) => number,
): Promise<void> {
  const waiting = new Map<number, () => void>();
  let moving = actors.length;
  let whenAllWait = () => {};
  const stop = () => {
    moving -= 1;
    if (moving === 0) whenAllWait();
  };
  const run = async (act: (turn: Turn) => Promise<void>, actor: number) => {
    const turn = () =>
      new Promise<void>((go, refuse) => {
        if (waiting.has(actor)) {
          refuse(new Error("An actor takes two steps at once: then no order of turns is the order"));
          return;
        }
        waiting.set(actor, go);
        stop();
      });
    try {
      await turn();
      await act(turn);
    } finally {
      stop();
    }
  };
  const ends = Promise.allSettled(actors.map(run));
  for (;;) {
    if (moving > 0) {
      await new Promise<void>((resolve) => {
        whenAllWait = resolve;
      });
    }
    if (waiting.size === 0) break;
    const next = pick([...waiting.keys()].toSorted((a, b) => a - b));
    const go = waiting.get(next);
    waiting.delete(next);
    moving += 1;
    go?.();
  }
  for (const end of await ends) if (end.status === "rejected") throw end.reason;
}

/**
 * Who goes on, of those that wait. The first in line does, until it is put behind all others, so that they overtake it
 * between two of its steps: often just once, sometimes again and again.
 */
export function inLine(random: Random, actors: number): { pick(waiting: number[]): number; order: number[] } {
  const line = Array.from({ length: actors }, (_, actor) => actor);
  const order: number[] = [];
  const [first, restlessness] = [random.below(12), random.of([0, 0, 15, 50])];
  return {
    order,
    pick(waiting) {
      const next = line.find((actor) => waiting.includes(actor)) ?? random.of(waiting);
      order.push(next);
      const isOvertaken = order.length === first || random.isIn(restlessness);
      if (isOvertaken) line.push(...line.splice(line.indexOf(next), 1));
      return next;
    },
  };
}
