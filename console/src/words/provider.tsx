import { type ReactNode, useEffect, useMemo, useState } from "react";
import { en } from "./en";
import { loadWords, localeOf } from "./languages";
import { SpokenContext, type Words } from "./words";

/** Gives the pages their texts in the language of the browser. Nothing is shown before they are there. */
export function WordsProvider({ children }: { children: ReactNode }) {
  const locale = localeOf(navigator.languages);
  const [words, setWords] = useState<Words | null>(null);
  useEffect(() => {
    // Without the file of a language, as when the network is gone, English does.
    loadWords(locale).then(
      (loaded) => {
        document.documentElement.lang = locale;
        setWords(loaded);
      },
      () => setWords(en),
    );
  }, [locale]);
  const spoken = useMemo(() => {
    const format = new Intl.NumberFormat(locale);
    return words && { words, locale, number: (value: number) => format.format(value) };
  }, [words, locale]);
  return spoken && <SpokenContext value={spoken}>{children}</SpokenContext>;
}
