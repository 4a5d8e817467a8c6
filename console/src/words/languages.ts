import type { FirstWords } from "./first";
import type { PageWords } from "./words";

interface Language {
  /** Null for English, whose first texts are part of the scripts. */
  first: (() => Promise<FirstWords>) | null;
  pages(): Promise<{ pages: PageWords }>;
}

/** The languages of the console: a file each for the first screen, and one for all other pages. */
const languages: Record<string, Language> & { en: Language } = {
  en: { first: null, pages: () => import("./en/pages") },
  de: { first: async () => (await import("./de")).de, pages: () => import("./de/pages") },
  es: { first: async () => (await import("./es")).es, pages: () => import("./es/pages") },
  fr: { first: async () => (await import("./fr")).fr, pages: () => import("./fr/pages") },
  it: { first: async () => (await import("./it")).it, pages: () => import("./it/pages") },
  nl: { first: async () => (await import("./nl")).nl, pages: () => import("./nl/pages") },
  pt: { first: async () => (await import("./pt")).pt, pages: () => import("./pt/pages") },
};

/** Returns the first of the reader's languages that the console has; otherwise English. */
export function localeOf(wanted: readonly string[]): string {
  return wanted.find((locale) => codeOf(locale) in languages) ?? "en";
}

/** Loads the texts of the first screen. Null for English, which needs no file of its own. */
export async function loadFirstWords(locale: string): Promise<FirstWords | null> {
  return (await languages[codeOf(locale)]?.first?.()) ?? null;
}

/** Loads the texts of all other pages. */
export async function loadPageWords(locale: string): Promise<PageWords> {
  const { pages } = await (languages[codeOf(locale)] ?? languages.en).pages();
  return pages;
}

function codeOf(locale: string): string {
  return locale.split("-")[0]?.toLowerCase() ?? "";
}
