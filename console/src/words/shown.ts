import type { FirstWords } from "./first";
import { loadFirstWords, loadPageWords, localeOf } from "./languages";

export const locale = localeOf(navigator.languages);

/** Comes with the first bytes. Null for English. */
export const firstWords = loadFirstWords(locale);

/** All components read it. What pages are called and say is added to it before the first of them is shown. */
export const shownWords = {};

/** Says the texts of the first screen in a language. */
export function sayFirst(words: FirstWords): FirstWords {
  return Object.assign(shownWords, words);
}

/** Loads something beside the texts of all pages, which are there when it is shown. */
export function withPageWords<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    const [part, words] = await Promise.all([load(), loadPageWords(locale)]);
    Object.assign(shownWords, words);
    return part;
  };
}
