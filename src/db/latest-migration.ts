/** The newest migration that this code needs, by the name of its file. */
export const latestMigration = "0000_tables.sql";
