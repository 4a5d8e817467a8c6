import type { FirstWords } from "./first";
import { loadFirstWords, loadPageWords, localeOf } from "./languages";
import type { Words } from "./words";

/** The language of the reader, if the console has it. */
const wanted = localeOf(navigator.languages);
const restMs = 1_000;

/** Starts with the first bytes. Null for English. */
const firstWords = twice(() => loadFirstWords(wanted));

export interface Shown {
  /** The names and texts of pages are added before the first of these pages is shown. */
  words: FirstWords;
  locale: string;
}

let shown: Shown = { words: {} as FirstWords, locale: wanted };
let english = {} as FirstWords;
/** A file of the reader's language could not be loaded: until the page is reloaded, it speaks English. */
let isForeign = false;
const readers = new Set<() => void>();

/** The texts, and their language. */
export function shownWords(): Shown {
  return shown;
}

/** Calls back when the page begins to speak another language. Returns how to stop that. */
export function onOtherLanguage(tell: () => void): () => void {
  readers.add(tell);
  return () => readers.delete(tell);
}

/** Shows the texts of the first screen in the language of the reader, or in English, whose texts come with the scripts. */
export async function sayFirst(en: FirstWords): Promise<void> {
  english = en;
  const own = await firstWords.catch(() => en);
  if (own === en) isForeign = true;
  // Texts of pages may have failed to load meanwhile.
  say(isForeign ? en : (own ?? en));
}

/** Loads something together with the texts of all pages, which are available when it is shown. */
export function withPageWords<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    const [part] = await Promise.all([load(), sayAll()]);
    return part;
  };
}

/** Both files are of one language, so that no page speaks two: when one of them cannot be loaded, English is spoken. */
async function sayAll(): Promise<void> {
  const own = isForeign ? null : await ownWords().catch(() => null);
  if (own === null) isForeign = true;
  // Another load may have failed meanwhile, so English is spoken although this one did not.
  say(own === null || isForeign ? { ...english, ...(await loadPageWords("en")) } : own);
}

async function ownWords(): Promise<Words> {
  const [first, pages] = await Promise.all([firstWords, twice(() => loadPageWords(wanted))]);
  return { ...(first ?? english), ...pages };
}

/** A file that did not come is asked for once more. */
function twice<Part>(load: () => Promise<Part>): Promise<Part> {
  return load().catch(async () => {
    await new Promise((rested) => setTimeout(rested, restMs));
    return load();
  });
}

function say(words: FirstWords): void {
  const locale = isForeign ? "en" : wanted;
  if (locale === shown.locale) {
    Object.assign(shown.words, words);
    return;
  }
  shown = { words: { ...shown.words, ...words }, locale };
  for (const tell of readers) tell();
}
