import { createContext, useContext } from "react";
import type { Count } from "./counting";
import type { en } from "./en";

/** The texts of the first screen, and those that every page has, in one language. */
export type FirstWords = typeof en;

export interface Spoken<Texts> {
  words: Texts;
  /** The locale in which numbers and times are written. */
  locale: string;
  number(value: number): string;
  /** A number for a text whose form depends on it. */
  count(value: number): Count;
}

export const SpokenContext = createContext<Spoken<FirstWords> | null>(null);

/**
 * Returns the texts that come with the first bytes. The first screen has no others, which `console/first-screen.mjs`
 * checks.
 */
export function useFirstWords(): Spoken<FirstWords> {
  const spoken = useContext(SpokenContext);
  if (spoken === null) throw new Error("Only what is inside of WordsProvider has words");
  return spoken;
}
