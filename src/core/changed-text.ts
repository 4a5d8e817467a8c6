/**
 * Returns a text after a change: unchanged when the change does not include it, and null when an empty text is sent.
 */
export function changedText<Before>(sent: string | null | undefined, before: Before): string | null | Before {
  return sent === undefined ? before : sent || null;
}
