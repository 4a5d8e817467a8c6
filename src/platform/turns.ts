/**
 * A holder that has not called `keep` for this long has died, or waits for something that takes no time of this
 * isolate.
 */
const silenceMs = 500;
const pollMs = 5;
const maxPollMs = 200;

/** A turn that its holder has now. */
export interface Turn {
  /** Reports that the holder is still working. */
  keep(): void;
  giveBack(): void;
}

/** Work of one kind that takes turns in this isolate. */
export interface Line {
  /** Waits until `size` fits together with running work and work that asked earlier: at most `atOnce` in total. */
  take(atOnce: number, size?: number): Promise<Turn>;
}

interface LineEntry {
  size: number;
  /** When the holder last asked or called `keep`. */
  since: number;
}

/**
 * Opens a line for turns. Work that is larger than the limit has its turn alone. Waiting work polls, because a promise
 * of one object must not depend on another. Work far back in the line polls less often, because polling takes time too.
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
 * Work that computes. A request in between waits at each of its steps for all such work, so only one computes at a
 * time.
 */
const computing = openLine();
const computingAtOnce = 1;

/** Waits for something outside of this isolate, such as a database, while other work computes. */
export type Away = <T>(wait: () => Promise<T>) => Promise<T>;

/**
 * Runs work that both computes and waits. It has a turn while it computes and none while it waits. Work that waits for
 * several things at once takes its next turn when the first of them is ready.
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
