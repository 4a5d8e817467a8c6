/** U+0000 ends a string inside SQLite, and a lone surrogate has no UTF-8: what was sent would silently change. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

export const unstorableText =
  "Text may not contain the character U+0000 or an unpaired surrogate (half of a character)";

/** For a text that is stored as it was sent: `z.string().refine(...storable)`. */
export const storable = [isStorable, { message: unstorableText, params: { code: "invalid_string" } }] as const;
