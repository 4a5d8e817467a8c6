/**
 * A step that renders may take more than its object has, and then the platform ends the object in the middle. Whoever comes
 * after it would do the same for ever. So the steps are noted before they are done: a note that is found when the object
 * wakes is of one that died. Those steps are done one by one from then on, and the one that the object dies of again and
 * again fails. A deployment ends objects too, and leaves the same note: so two deaths are not enough.
 */

const noteKey = "underWay";

interface Note {
  /** The effects under way, by their ids. */
  taken: string[];
  /** How often an object died at an effect, where it did. */
  deaths: Record<string, number>;
}

/** An effect at which so many objects have died is not tried again. */
const maxDeaths = 3;

export const gaveUp =
  "This step was given up, because the work on it broke off three times without a result. Simplify its templates, or give them less data.";

export interface Deaths {
  /** The effects in groups that are done together: those that nobody died at, and then each of the others alone. */
  inGroups<T>(effects: T[], idOf: (effect: T) => string): T[][];
  isHopeless(id: string): boolean;
  /** Goes before the first await of what may be the last. */
  begin(ids: string[]): void;
  survived(ids: string[]): void;
  /** Nothing is under way any more. */
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
