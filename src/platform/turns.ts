/**
 * A holder that has not called `keep` for this long has died, or is waiting for something that does not use this
 * isolate's CPU.
 */
const silenceMs = 500;
const pollMs = 5;
const maxPollMs = 200;

/** A turn, held by the work that is running. */
export interface Turn {
  /** Reports that the holder is still working. */
  keep(): void;
  giveBack(): void;
}

/** A waiting line for one kind of work. This isolate runs only a limited amount of such work at a time. */
export interface Line {
  /**
   * Waits until this work, which has the size `size`, fits within `atOnce` together with the running work and all work
   * that asked earlier. Work that is larger than the limit runs alone.
   */
  take(atOnce: number, size?: number): Promise<Turn>;
}

interface LineEntry {
  size: number;
  /** When the holder last asked or called `keep`. */
  since: number;
}

/**
 * Opens a line for turns. Waiting work polls, because a promise of one Durable Object must not depend on another
 * object. Work far back in the line polls less often, because polling takes time too.
 */
export function openLine(): Line {
  /** Waiting entries, in the order in which they asked. */
  const waiting = new Set<LineEntry>();
  const running = new Set<LineEntry>();
  return {
    async take(atOnce, size = 1) {
      const entry: LineEntry = { size, since: 0 };
      for (;;) {
        entry.since = performance.now();
        forgetSilent(waiting, entry.since);
        forgetSilent(running, entry.since);
        waiting.add(entry);
        const before = [...running, ...beforeIn(waiting, entry)];
        if (before.length === 0 || total(before) + size <= atOnce) break;
        const pauseMs = Math.min((before.length - running.size + 1) * pollMs, maxPollMs);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      waiting.delete(entry);
      const keep = () => {
        entry.since = performance.now();
        running.add(entry);
      };
      keep();
      return { keep, giveBack: () => running.delete(entry) };
    },
  };
}

function beforeIn(waiting: Set<LineEntry>, entry: LineEntry): LineEntry[] {
  const all = [...waiting];
  return all.slice(0, all.indexOf(entry));
}

function total(entries: LineEntry[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0);
}

function forgetSilent(turns: Set<LineEntry>, now: number): void {
  for (const turn of turns) if (now - turn.since > silenceMs) turns.delete(turn);
}

/**
 * The line for CPU-bound work, which runs one piece at a time. If several pieces ran at once, any other request would
 * wait for all of them at each of its own steps.
 */
const computing = openLine();
const computingAtOnce = 1;

/** Waits for something outside this isolate, such as a database, while other work computes. */
export type Away = <T>(wait: () => Promise<T>) => Promise<T>;

/**
 * Runs work that both computes and waits. It holds a turn only while it computes. Work that waits for several things at
 * once takes its next turn when the first of them is ready.
 */
export async function inTurns<T>(work: (away: Away) => Promise<T>): Promise<T> {
  let turn: Turn | null = null;
  let taking: Promise<void> | null = null;
  let isOver = false;
  const give = () => {
    turn?.giveBack();
    turn = null;
  };
  const take = async () => {
    const taken = await computing.take(computingAtOnce);
    taking = null;
    turn = taken;
    if (isOver) give();
  };
  const takeAgain = async () => {
    if (turn !== null) return;
    taking ??= take();
    await taking;
  };
  try {
    await takeAgain();
    return await work(async (wait) => {
      give();
      try {
        return await wait();
      } finally {
        await takeAgain();
      }
    });
  } finally {
    isOver = true;
    give();
  }
}
