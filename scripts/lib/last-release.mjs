/**
 * The version that installations run while this one is deployed, and to which a rollback leads. Nothing is released
 * yet: until then, it is a commit whose tables databases have had. `npm run release` prints what to write here.
 */
export const lastRelease = {
  /** A tag or a commit, for `git`. */
  commit: "e4cf4652",
  /** The version's last migration. */
  migration: "0004_fewer_rows.sql",
  /** The version of each kind of object's tables: see src/platform/object-tables.ts. */
  objectTables: { gate: 2, shard: 2 },
  /** Tables, indexes and `table.column` that the version no longer names, so that a migration may drop them now. */
  unused: [],
};
