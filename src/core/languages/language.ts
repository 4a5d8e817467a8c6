import de from "./de.json";
import en from "./en.json";
import es from "./es.json";
import fr from "./fr.json";
import it from "./it.json";
import nl from "./nl.json";
import pt from "./pt.json";

/** The texts that recipients read, in one language. `{name}` stands for a value. */
export type Words = typeof en;

export interface Language {
  /** The language tag, as in `<html lang>`. */
  tag: string;
  words: Words;
}

/** The texts of each language. A new language needs a file next to this one, and its name here. */
const words: Record<string, Words> = { en, nl, de, fr, es, it, pt };

export const languages: ReadonlyMap<string, Language> = new Map(
  Object.entries(words).map(([tag, words]) => [tag, { tag, words }]),
);

const english: Language = { tag: "en", words: en };

/**
 * Chooses the language of the first locale that we support: `de-AT` and `de_AT` mean German. If we support none of
 * them, the best language of the header `Accept-Language` is chosen, or English.
 */
export function chooseLanguage(locales: unknown[], accepted = ""): Language {
  for (const locale of locales) {
    const language = typeof locale === "string" ? languageOf(locale) : undefined;
    if (language) return language;
  }
  return acceptedLanguage(accepted) ?? english;
}

function languageOf(locale: string): Language | undefined {
  const [tag = ""] = locale.trim().split(/[-_]/, 1);
  return languages.get(tag.toLowerCase());
}

/** The maximum number of characters of the header that are parsed. Browsers send fewer. */
const maxAcceptedLength = 1_000;

/** Returns the language with the highest weight; among equal weights, the first (RFC 9110, section 12.5.4). */
function acceptedLanguage(header: string): Language | undefined {
  let best: { language: Language | undefined; weight: number } = { language: undefined, weight: 0 };
  for (const range of header.slice(0, maxAcceptedLength).split(",")) {
    const [locale = "", ...parameters] = range.split(";");
    const weight = weightOf(parameters);
    const language = languageOf(locale);
    if (language && weight > best.weight) best = { language, weight };
  }
  return best.language;
}

function weightOf(parameters: string[]): number {
  const written = parameters.map((parameter) => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1]);
  return Number(written.find((weight) => weight !== undefined) ?? 1);
}

const placeholder = /\{(\w+)\}/;

/** Splits a text at its placeholders: every second element is the name of a value. */
export function splitAtValues(text: string): string[] {
  return text.split(placeholder);
}

/** Fills the values into a text. */
export function filledIn(text: string, values: Record<string, string>): string {
  return splitAtValues(text)
    .map((piece, at) => (at % 2 === 0 ? piece : (values[piece] ?? "")))
    .join("");
}

/** Formats a time as a day, because an hour would require the reader's time zone. */
export function dayIn({ words }: Language, time: number): string {
  return new Intl.DateTimeFormat(words.dates, { dateStyle: "long", timeZone: "UTC" }).format(time);
}
