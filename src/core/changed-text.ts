/** Returns a text after a change: as before when the change does not name it, and null when it is sent empty. */
export function changedText<Before>(sent: string | null | undefined, before: Before): string | null | Before {
  return sent === undefined ? before : sent || null;
}
