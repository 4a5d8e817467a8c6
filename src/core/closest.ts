import { editsBetween } from "./edits";

const mostEdits = 2;
const longestWord = 64;

/**
 * Returns the word that was probably meant; null when none is similar. The shorter the word, the fewer differences are
 * allowed.
 */
export function closestTo(written: string, words: Iterable<string>): string | null {
  if (written.length > longestWord) return null;
  let best: { word: string; edits: number } | null = null;
  for (const word of words) {
    const edits = editsBetween(written.toLowerCase(), word.toLowerCase());
    if (edits <= Math.min(mostEdits, (word.length - 1) / 2) && (best === null || edits < best.edits))
      best = { word, edits };
  }
  return best?.word ?? null;
}
