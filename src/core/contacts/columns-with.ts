import { type ColumnName, type ContactColumn, contactColumns, type NameWith } from "./columns";

/** Returns a column of contacts by its name, typed with all the properties that a column may have. */
export function columnNamed(name: ColumnName): ContactColumn {
  return contactColumns[name];
}

// The cast is needed because Object.keys does not return the literal types of the keys.
export const columnNames = Object.keys(contactColumns) as ColumnName[];

/** Returns the names of the columns that have a property, in the order in which lists show them. */
export function columnsWith<Key extends keyof ContactColumn>(key: Key): NameWith<Key>[] {
  return columnNames.filter((name): name is NameWith<Key> => key in contactColumns[name]);
}
