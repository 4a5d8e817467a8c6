/**
 * The statements that change an object's tables, in order: the first makes them, and each later one is a change. One that
 * is out never changes, because objects have had it. A new one goes to the end, with a test on the state before it.
 */
export type TableMigrations = readonly (readonly string[])[];

const versionKey = "tables";

/** The tables are those of a later version: this one would write what that one does not expect. */
export class NewerTables extends Error {
  override readonly name = "NewerTables";

  constructor(found: number, known: number) {
    super(
      `The tables of this object are at version ${found}, and this code knows ${known}: deploy the later version again`,
    );
  }
}

/**
 * Brings an object's tables to the version of this code. An object does it by itself, because a deployment reaches objects
 * one by one. `adopt` mends a state from before objects had a version. Throws NewerTables after a rollback: then each call
 * of the object fails, as if it were out of reach, and nothing is written.
 */
export function migrateTables(
  storage: DurableObjectStorage,
  migrations: TableMigrations,
  adopt: (sql: SqlStorage) => void = () => {},
): void {
  const version = storage.kv.get<number>(versionKey) ?? 0;
  if (version > migrations.length) throw new NewerTables(version, migrations.length);
  if (version === migrations.length) return;
  storage.transactionSync(() => {
    if (version === 0) adopt(storage.sql);
    for (const statement of migrations.slice(version).flat()) storage.sql.exec(statement);
    storage.kv.put(versionKey, migrations.length);
  });
}
