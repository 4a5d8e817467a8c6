import { type ReactNode, useEffect, useMemo, useState } from "react";
import { en } from "./en";
import { loadWords, localeOf } from "./languages";
import { SpokenContext } from "./words";

/** Gives the pages their texts in the language of the browser. */
export function WordsProvider({ children }: { children: ReactNode }) {
  const locale = localeOf(navigator.languages);
  const [words, setWords] = useState(en);
  useEffect(() => {
    void loadWords(locale).then((loaded) => {
      setWords(loaded);
      document.documentElement.lang = locale;
    });
  }, [locale]);
  const spoken = useMemo(() => {
    const format = new Intl.NumberFormat(locale);
    return { words, locale, number: (value: number) => format.format(value) };
  }, [words, locale]);
  return <SpokenContext value={spoken}>{children}</SpokenContext>;
}
