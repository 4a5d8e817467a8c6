/**
 * What a case-insensitive search looks through, and what it looks for, in one form. Made by us, because SQLite's own
 * lower() knows ASCII only. A line break keeps a search from matching across two fields.
 */
export function searchText(...fields: (string | null)[]): string {
  return fields
    .filter((field) => field !== null)
    .join("\n")
    .normalize("NFC")
    .toLowerCase();
}
