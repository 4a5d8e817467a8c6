/** Typed text that the service has not saved yet. */
export interface Copy<Draft> {
  /** The version that the text is based on. */
  version: number;
  changes: Partial<Draft>;
  at: number;
}

const prefix = "petrel-draft:";
const maxAgeMs = 30 * 86_400_000;

/**
 * Keeps typed text in the browser until the service has it, so that a lost network or a closed tab loses nothing.
 * Another person at the same browser does not see it. Each tab has its own copy, so that no tab loses what another one
 * typed.
 */
export class LocalCopy<Draft> {
  readonly #campaign: string;
  readonly #own: string;
  /** The copy that an earlier page or another tab left. */
  #found: { name: string; text: string } | null = null;

  constructor(person: string, campaign: string) {
    this.#campaign = `${prefix}${person}:${campaign}`;
    this.#own = `${this.#campaign}:${crypto.randomUUID()}`;
    forgetOld();
  }

  /** Returns the newest copy. An older one is found the next time the page is opened. */
  read(): Copy<Draft> | null {
    try {
      const names = Object.keys(localStorage).filter((name) => name.startsWith(this.#campaign));
      const all = names.flatMap((name) => {
        const text = localStorage.getItem(name);
        return text === null ? [] : [{ name, text, copy: parse<Draft>(text) }];
      });
      const newest = all.toSorted((one, other) => other.copy.at - one.copy.at)[0];
      this.#found = newest ?? null;
      return newest?.copy ?? null;
    } catch {
      // The browser stores nothing for this page.
      return null;
    }
  }

  /** Returns whether the browser stores the copy. Storage may be forbidden, or full. */
  write(copy: Copy<Draft>): boolean {
    try {
      localStorage.setItem(this.#own, JSON.stringify(copy));
      this.#removeFound();
      return true;
    } catch {
      return false;
    }
  }

  remove(): void {
    try {
      localStorage.removeItem(this.#own);
      this.#removeFound();
    } catch {
      // There is no copy.
    }
  }

  /** Removes the copy that is now part of the draft. A tab that is still open may have written a newer one. */
  #removeFound(): void {
    if (this.#found === null) return;
    const { name, text } = this.#found;
    if (localStorage.getItem(name) === text) localStorage.removeItem(name);
    this.#found = null;
  }
}

function parse<Draft>(text: string): Copy<Draft> {
  // Only `write` stores values under this name.
  return JSON.parse(text) as Copy<Draft>;
}

function forgetOld(): void {
  try {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(prefix)) continue;
      const text = localStorage.getItem(name);
      if (text !== null && parse(text).at < Date.now() - maxAgeMs) localStorage.removeItem(name);
    }
  } catch {
    // The browser stores nothing for this page.
  }
}
