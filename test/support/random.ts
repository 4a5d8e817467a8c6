/** Chance that comes out the same for the same seed. */
export interface Random {
  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number;
  /** Is true so often, of 100 times. */
  isIn(percent: number): boolean;
  of<T>(several: readonly T[]): T;
}

/** Each number is one of a counter, mixed until no bit of it says anything of the next. */
export function randomOf(seed: number): Random {
  let counter = Math.imul(seed, 0x9e3779b1);
  const below = (end: number) => {
    counter = (counter + 0x6d2b79f5) | 0;
    let mixed = counter;
    for (const factor of [0x21f0aaad, 0x735a2d97]) mixed = Math.imul(mixed ^ (mixed >>> 16), factor);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % end;
  };
  return {
    below,
    isIn: (percent) => below(100) < percent,
    of(several) {
      const chosen = several[below(several.length)];
      if (chosen === undefined) throw new Error("There is nothing to choose from");
      return chosen;
    },
  };
}
