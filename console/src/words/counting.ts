/**
 * The plural forms of each language: those of the CLDR for whole numbers. `test/core/console-words.test.ts` compares
 * them.
 */
export const formsOf = {
  en: ["one", "other"],
  de: ["one", "other"],
  es: ["one", "many", "other"],
  fr: ["one", "many", "other"],
  it: ["one", "many", "other"],
  nl: ["one", "other"],
  pt: ["one", "many", "other"],
} as const;

type Language = keyof typeof formsOf;

/** The texts are in European Portuguese, in which 0 does not take the singular. */
export const spoken: Record<Language, string> = {
  en: "en",
  de: "de",
  es: "es",
  fr: "fr",
  it: "it",
  nl: "nl",
  pt: "pt-PT",
};

/** A number, both as it decides the plural form and as it is written. */
export interface Count {
  value: number;
  text: string;
}

/** Returns a lower bound for a number. Even one then counts as several. */
export function atLeast({ value, text }: Count): Count {
  return { value: Math.max(2, value), text: `≥ ${text}` };
}

type Text<Rest extends string[]> = (count: string, ...rest: Rest) => string;

/**
 * Returns a function that makes texts about a number of things. A text that lacks a form of its language does not
 * compile.
 */
export function counting<Spoken extends Language>(language: Spoken) {
  const rules = new Intl.PluralRules(spoken[language]);
  return <Rest extends string[] = []>(forms: Record<(typeof formsOf)[Spoken][number], Text<Rest>>) => {
    // An older browser may know fewer forms of a language, but none knows more.
    const texts = new Map<string, Text<Rest>>(Object.entries(forms));
    return ({ value, text }: Count, ...rest: Rest): string =>
      (texts.get(rules.select(value)) ?? texts.get("other"))?.(text, ...rest) ?? text;
  };
}
