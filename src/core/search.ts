/**
 * Returns the form in which a case-insensitive search compares both the stored text and the searched text. It is not
 * computed in SQL, because SQLite's lower() changes only ASCII letters. A line break keeps a match from spanning two
 * fields.
 */
export function searchText(...fields: (string | null)[]): string {
  return fields
    .filter((field) => field !== null)
    .join("\n")
    .normalize("NFC")
    .toLowerCase();
}
