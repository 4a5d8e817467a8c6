/** A holder that was not heard of for this long has died, or waits for something that takes no time of this isolate. */
const silenceMs = 500;
const askAgainMs = 5;
const longestPauseMs = 200;

/** A turn that somebody has. */
export interface Turn {
  /** Says that its holder is there still. */
  keep(): void;
  giveBack(): void;
}

/** The work of one kind that takes turns in this isolate. */
export interface Line {
  /** Waits until `size` fits beside what is under way and what asked before, all of which may be `atOnce` together. */
  take(atOnce: number, size?: number): Promise<Turn>;
}

interface Entry {
  size: number;
  /** When it was last heard of. */
  since: number;
}

/**
 * A line for turns. Work that is larger than the limit has its turn alone. Waiting work asks again and again, because a
 * promise of one object must not depend on another; far behind it asks less often, as asking takes time too.
 */
export function openLine(): Line {
  /** In their order. */
  const asking = new Set<Entry>();
  const begun = new Set<Entry>();
  return {
    async take(atOnce, size = 1) {
      const entry: Entry = { size, since: 0 };
      for (;;) {
        entry.since = performance.now();
        forgetSilent(asking, entry.since);
        forgetSilent(begun, entry.since);
        asking.add(entry);
        const before = [...begun, ...beforeIn(asking, entry)];
        if (before.length === 0 || total(before) + size <= atOnce) break;
        const pauseMs = Math.min((before.length - begun.size + 1) * askAgainMs, longestPauseMs);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      asking.delete(entry);
      const keep = () => {
        entry.since = performance.now();
        begun.add(entry);
      };
      keep();
      return { keep, giveBack: () => begun.delete(entry) };
    },
  };
}

function beforeIn(asking: Set<Entry>, entry: Entry): Entry[] {
  const all = [...asking];
  return all.slice(0, all.indexOf(entry));
}

function total(entries: Entry[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0);
}

function forgetSilent(turns: Set<Entry>, now: number): void {
  for (const turn of turns) if (now - turn.since > silenceMs) turns.delete(turn);
}

/** The work that computes. A request in between waits for each of them at each of its own steps, so it is one at a time. */
const computing = openLine();
const computingAtOnce = 1;

/** Waits for something outside of this isolate, such as a database, while others compute. */
export type Away = <T>(wait: () => Promise<T>) => Promise<T>;

/**
 * Does work that computes and waits by turns, with a turn while it computes and none while it waits. Work that waits for
 * several things at once has its turn again when the first of them is there.
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
  const comeBack = async () => {
    if (turn !== null) return;
    taking ??= take();
    await taking;
  };
  try {
    await comeBack();
    return await work(async (wait) => {
      give();
      try {
        return await wait();
      } finally {
        await comeBack();
      }
    });
  } finally {
    isOver = true;
    give();
  }
}
