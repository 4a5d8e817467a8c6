import { createContext, useContext } from "react";
import type { Count } from "./counting";
import type { en } from "./en";

/** Every text of the console, in one language. */
export type Words = typeof en;

export interface Spoken {
  words: Words;
  /** The locale in which numbers and times are written. */
  locale: string;
  number(value: number): string;
  /** A number for a text whose form depends on it. */
  count(value: number): Count;
}

export const SpokenContext = createContext<Spoken | null>(null);

export function useWords(): Spoken {
  const spoken = useContext(SpokenContext);
  if (spoken === null) throw new Error("Only what is inside of WordsProvider has words");
  return spoken;
}
