import { RenderLimitError } from "./errors";

/**
 * The maximum number of units of work for all that one email, step or call renders. A clock cannot measure the work,
 * because on Workers the clock stands still while a request computes. So work is counted in units of about ten
 * nanoseconds, and each constant below is a measured cost, rounded up.
 */
export const MAX_UNITS = 10_000_000;

export const NODE_UNITS = 80;
export const SOURCE_CHARACTER_UNITS = 25;
export const ELEMENT_UNITS = 10;
const KEY_UNITS = 30;

/** Counts down the units of one email, step or call, however many texts it renders. */
export class Budget {
  #left = MAX_UNITS;
  #noted = 0;

  /** The number of units spent so far. Refused work is not done and does not count. */
  get spent(): number {
    return MAX_UNITS - Math.max(0, this.#left) + this.#noted;
  }

  /** Counts work that has a limit of its own, such as parsing, without reducing the budget for rendering. */
  note(units: number): void {
    this.#noted += units;
  }

  charge(units: number): void {
    this.#left -= units;
    if (this.#left < 0) {
      throw new RenderLimitError(
        "The template does too much work for one email. Use fewer or shorter loops, filters on smaller values, or less data.",
      );
    }
  }

  /** Pays for reading all of a value once, and returns the cost. */
  chargeReading(value: unknown): number {
    const units = readingUnits(value, this.#left);
    this.charge(units);
    return units;
  }

  /** Pays for listing the elements or keys of a value, without reading them. */
  chargeListing(value: unknown): void {
    this.charge(elementCount(value) * (Array.isArray(value) ? ELEMENT_UNITS : KEY_UNITS));
  }

  /**
   * Pays for a text in which every inner value has a line of its own, indented by its depth, and for comparing each
   * value with all those around it. `width` is the number of spaces per level.
   */
  chargeIndenting(value: unknown, width: number): void {
    const pending: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      this.charge(next.depth * (1 + Math.max(0, width)));
      if (typeof next.value !== "object" || next.value === null) continue;
      const depth = next.depth + 1;
      for (const inner of Object.values(next.value)) pending.push({ value: inner, depth });
    }
  }
}

/** Returns the number of elements of an array, or of keys of an object. */
export function elementCount(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/**
 * Returns one unit per character, and some for every inner value. A part that occurs several times counts each time,
 * because it is read each time.
 */
function readingUnits(value: unknown, stopAt: number): number {
  let units = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && units <= stopAt) {
    const next = pending.pop();
    units += ELEMENT_UNITS;
    if (typeof next === "string") units += next.length;
    else if (Array.isArray(next)) for (const element of next) pending.push(element);
    else if (typeof next === "object" && next !== null) {
      for (const [key, inner] of Object.entries(next)) {
        units += KEY_UNITS + key.length;
        pending.push(inner);
      }
    }
  }
  return units;
}
