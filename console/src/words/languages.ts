import type { Words } from "./words";

/** The languages of the console, one file each. English comes with the pages, the others when they are asked for. */
const languages: Record<string, (() => Promise<Words>) | null> = {
  en: null,
  de: async () => (await import("./de")).de,
  es: async () => (await import("./es")).es,
  fr: async () => (await import("./fr")).fr,
  it: async () => (await import("./it")).it,
  nl: async () => (await import("./nl")).nl,
  pt: async () => (await import("./pt")).pt,
};

/** The first of the reader's languages that the console has, and English without any. */
export function localeOf(wanted: readonly string[]): string {
  return wanted.find((locale) => languageOf(locale) in languages) ?? "en";
}

/** Loads the texts of a language. Null for English, which needs no file of its own. */
export function loadWords(locale: string): Promise<Words> | null {
  return languages[languageOf(locale)]?.() ?? null;
}

function languageOf(locale: string): string {
  return locale.split("-")[0]?.toLowerCase() ?? "";
}
