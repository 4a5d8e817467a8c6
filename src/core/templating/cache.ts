/** Parsed templates take several times the memory of their text, so this many characters are some tens of megabytes. */
const MAX_CHARACTERS = 4_000_000;

/** Keeps what was made from a text, dropping what was used longest ago when the texts together grow too long. */
export class TextCache<T> {
  readonly #entries = new Map<string, T>();
  #characters = 0;

  getOrMake(text: string, make: () => T): T {
    const found = this.#entries.get(text);
    const value = found ?? make();
    if (found !== undefined) this.#entries.delete(text);
    else this.#characters += text.length;
    this.#entries.set(text, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= MAX_CHARACTERS) break;
      this.#entries.delete(oldest);
      this.#characters -= oldest.length;
    }
    return value;
  }
}
