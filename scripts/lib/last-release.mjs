/**
 * The version that installations run while this one is deployed, and to which a rollback leads: 1.0.0. `npm run release`
 * prints what to write here.
 */
export const lastRelease = {
  /** A tag or a commit, for `git`. A commit is also there in a clone without tags. */
  commit: "a9131eea",
  /** The version's last migration. */
  migration: "0000_tables.sql",
  /** The version of each kind of object's tables: see src/platform/object-tables.ts. */
  objectTables: { gate: 1, shard: 1 },
  /** Tables, indexes and `table.column` that the version no longer names, so that a migration may drop them now. */
  unused: [],
};
