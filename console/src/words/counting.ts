/** The forms in which each language writes counted things: those of the CLDR for whole numbers. `test/core/console-words.test.ts` compares them. */
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

/** The Portuguese of the texts is that of Europe, where nothing is not one. */
export const spoken: Record<Language, string> = {
  en: "en",
  de: "de",
  es: "es",
  fr: "fr",
  it: "it",
  nl: "nl",
  pt: "pt-PT",
};

/** A number, as it decides about the form, and as it is written. */
export interface Count {
  value: number;
  text: string;
}

/** A number that the real one is at least. Even one stands for several then. */
export function atLeast({ value, text }: Count): Count {
  return { value: Math.max(2, value), text: `≥ ${text}` };
}

type Text<Rest extends string[]> = (count: string, ...rest: Rest) => string;

/** Makes texts about a number of things. A text without one of the forms of its language does not compile. */
export function counting<Spoken extends Language>(language: Spoken) {
  const rules = new Intl.PluralRules(spoken[language]);
  return <Rest extends string[] = []>(forms: Record<(typeof formsOf)[Spoken][number], Text<Rest>>) => {
    // An older browser may know fewer forms of a language, and none has more.
    const texts = new Map<string, Text<Rest>>(Object.entries(forms));
    return ({ value, text }: Count, ...rest: Rest): string =>
      (texts.get(rules.select(value)) ?? texts.get("other"))?.(text, ...rest) ?? text;
  };
}
