import type { pages } from "./en/pages";
import { type FirstWords, type Spoken, useFirstWords } from "./first";

/** The texts of all pages except the first one, in one language. */
export type PageWords = typeof pages;

/** Every text of the console, in one language. */
export type Words = FirstWords & PageWords;

/** Returns the texts of a page. Each page except the first one is loaded together with them: `withPageWords`. */
export function useWords(): Spoken<Words> {
  // `withPageWords` adds the texts of pages to the same object.
  return useFirstWords() as Spoken<Words>;
}
