/**
 * A step that renders may use more memory or CPU time than its object has; the platform then ends the object in the
 * middle of the step. Without a countermeasure, every later object would die in the same way. So the object records the
 * steps before it runs them. If it finds such a record when it wakes, its predecessor died at one of these steps. Those
 * steps then run one at a time, and a step at which the object has died three times fails. Fewer deaths prove nothing,
 * because a deployment also ends objects and leaves a record.
 */

const noteKey = "underWay";

interface Note {
  /** The ids of the effects in progress. */
  taken: string[];
  /** How often an object died at an effect, by the effect's id. */
  deaths: Record<string, number>;
}

/** An effect at which this many objects have died is not tried again. */
const maxDeaths = 3;

export const gaveUp =
  "This step was given up, because the work on it broke off three times without a result. Simplify its templates, or give them less data.";

export interface Deaths {
  /** Groups effects that run together: first all those at which no object has died, then each of the others alone. */
  inGroups<T>(effects: T[], idOf: (effect: T) => string): T[][];
  isHopeless(id: string): boolean;
  /** Must be called before the first await of an effect that may kill the object. */
  begin(ids: string[]): void;
  survived(ids: string[]): void;
  /** Records that nothing is in progress. */
  rest(): void;
}

export function openDeaths(kv: SyncKvStorage): Deaths {
  const found = kv.get<Note>(noteKey);
  const deaths = new Map(Object.entries(found?.deaths ?? {}));
  for (const id of found?.taken ?? []) deaths.set(id, (deaths.get(id) ?? 0) + 1);
  let isNoted = found !== undefined;
  const write = (taken: string[]) => {
    const note: Note = { taken, deaths: Object.fromEntries(deaths) };
    if (taken.length > 0 || deaths.size > 0) kv.put(noteKey, note);
    else kv.delete(noteKey);
    isNoted = taken.length > 0;
  };
  if (isNoted) write([]);
  return {
    inGroups(effects, idOf) {
      const alone = effects.filter((effect) => deaths.has(idOf(effect)));
      const others = effects.filter((effect) => !deaths.has(idOf(effect)));
      return [...(others.length > 0 ? [others] : []), ...alone.map((effect) => [effect])];
    },
    isHopeless: (id) => (deaths.get(id) ?? 0) >= maxDeaths,
    begin: write,
    survived(ids) {
      for (const id of ids) deaths.delete(id);
    },
    rest() {
      if (isNoted) write([]);
    },
  };
}
