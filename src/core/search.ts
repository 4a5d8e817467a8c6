/**
 * The text that a case-insensitive search scans, and the text that it looks for, in one form. SQLite's own lower()
 * knows ASCII only, so this is not done in SQL. A line break keeps a match from spanning two fields.
 */
export function searchText(...fields: (string | null)[]): string {
  return fields
    .filter((field) => field !== null)
    .join("\n")
    .normalize("NFC")
    .toLowerCase();
}
