import { type ReactNode, useMemo } from "react";
import { type FirstWords, SpokenContext } from "./first";

interface WordsProviderProps {
  words: FirstWords;
  /** The locale of numbers and times. */
  locale: string;
  children: ReactNode;
}

/** Provides the pages with their texts. */
export function WordsProvider({ words, locale, children }: WordsProviderProps) {
  const spoken = useMemo(() => {
    const format = new Intl.NumberFormat(locale);
    const number = (value: number) => format.format(value);
    return { words, locale, number, count: (value: number) => ({ value, text: number(value) }) };
  }, [words, locale]);
  return <SpokenContext value={spoken}>{children}</SpokenContext>;
}
