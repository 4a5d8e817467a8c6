/**
 * Reports whether a text can be stored unchanged: U+0000 ends a string inside SQLite, and a lone surrogate cannot be
 * encoded in UTF-8.
 */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

export const unstorableText =
  "Text may not contain the character U+0000 or an unpaired surrogate (half of a character)";

/** The check for strings that are stored as sent: `z.string().refine(...storable)`. */
export const storable = [isStorable, { message: unstorableText, params: { code: "invalid_string" } }] as const;
