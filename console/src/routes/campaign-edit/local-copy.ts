import type { Draft } from "./draft";

/** The text that was typed and is not saved in the service yet. */
export interface Copy {
  /** The version on which it was written. */
  version: number;
  changes: Partial<Draft>;
  at: number;
}

const prefix = "petrel-draft:";
const maxAgeMs = 30 * 86_400_000;

/**
 * Keeps what was typed in the browser until the service has it: a lost network or a closed tab loses nothing. Another
 * person at the same browser does not get to see it.
 */
export class LocalCopy {
  readonly #name: string;

  constructor(person: string, campaign: string) {
    this.#name = `${prefix}${person}:${campaign}`;
    forgetOld();
  }

  read(): Copy | null {
    try {
      return parse(localStorage.getItem(this.#name));
    } catch {
      // The browser keeps nothing for this page.
      return null;
    }
  }

  /** Returns whether the browser keeps it: it may be forbidden, or full. */
  write(copy: Copy): boolean {
    try {
      localStorage.setItem(this.#name, JSON.stringify(copy));
      return true;
    } catch {
      return false;
    }
  }

  remove(): void {
    try {
      localStorage.removeItem(this.#name);
    } catch {
      // There is none.
    }
  }
}

function parse(text: string | null): Copy | null {
  // Only `write` stores under this name.
  return text === null ? null : (JSON.parse(text) as Copy);
}

function forgetOld(): void {
  try {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(prefix)) continue;
      const copy = parse(localStorage.getItem(name));
      if (copy === null || copy.at < Date.now() - maxAgeMs) localStorage.removeItem(name);
    }
  } catch {
    // The browser keeps nothing for this page.
  }
}
