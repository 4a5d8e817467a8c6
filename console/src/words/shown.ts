import type { FirstWords } from "./first";
import { loadFirstWords, loadPageWords, localeOf } from "./languages";

export const locale = localeOf(navigator.languages);

/** Starts with the first bytes. Null for English. */
export const firstWords = loadFirstWords(locale);

/** Read by all components. The names and texts of pages are added before the first of these pages is shown. */
export const shownWords = {};

/** Sets the texts of the first screen to a language. */
export function sayFirst(words: FirstWords): FirstWords {
  return Object.assign(shownWords, words);
}

/** Loads something together with the texts of all pages, which are available when it is shown. */
export function withPageWords<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    const [part, words] = await Promise.all([load(), loadPageWords(locale)]);
    Object.assign(shownWords, words);
    return part;
  };
}
