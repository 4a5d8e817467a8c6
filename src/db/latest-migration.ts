/** The newest migration that this code needs, by the name of its file. */
export const latestMigration = "0002_trash_order.sql";
