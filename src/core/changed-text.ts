/**
 * Returns the new value of a text: the old one when the change leaves the text out, and null when it sends null or an
 * empty text.
 */
export function changedText<Before>(sent: string | null | undefined, before: Before): string | null | Before {
  return sent === undefined ? before : sent || null;
}
