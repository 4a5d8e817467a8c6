import { type ColumnName, type ContactColumn, contactColumns, type NameWith } from "./columns";

/** Returns a column of contacts by its name, with all the properties that a column may have. */
export function columnNamed(name: ColumnName): ContactColumn {
  return contactColumns[name];
}

// Object.keys loses the type of a literal object's keys.
export const columnNames = Object.keys(contactColumns) as ColumnName[];

/** Returns the names of the columns that have a property, in the order of lists. */
export function columnsWith<Key extends keyof ContactColumn>(key: Key): NameWith<Key>[] {
  return columnNames.filter((name): name is NameWith<Key> => key in contactColumns[name]);
}
