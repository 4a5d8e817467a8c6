import { type ReactNode, useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import { SpokenContext } from "./first";
import { onOtherLanguage, shownWords } from "./shown";

/** Provides the pages with their texts. */
export function WordsProvider({ children }: { children: ReactNode }) {
  const { words, locale } = useSyncExternalStore(onOtherLanguage, shownWords);
  const spoken = useMemo(() => {
    const format = new Intl.NumberFormat(locale);
    const number = (value: number) => format.format(value);
    return { words, locale, number, count: (value: number) => ({ value, text: number(value) }) };
  }, [words, locale]);
  useLayoutEffect(() => {
    document.documentElement.lang = locale;
  }, [locale]);
  return <SpokenContext value={spoken}>{children}</SpokenContext>;
}
