/**
 * The statements that change the tables of an object, in order: the first entry creates the tables, and each later one
 * changes them. A deployed entry must never change, because objects have run it already. New entries go at the end,
 * each with a test on the previous state.
 */
export type TableMigrations = readonly (readonly string[])[];

const versionKey = "tables";

/** The tables belong to a later version. This version would write rows that the later version does not expect. */
export class NewerTables extends Error {
  override readonly name = "NewerTables";

  constructor(found: number, known: number) {
    super(
      `The tables of this object are at version ${found}, and this code knows ${known}: deploy the later version again`,
    );
  }
}

/**
 * Brings the tables of an object to the version of this code. Each object does so itself, because a deployment reaches
 * objects one by one. `adopt` repairs tables from the time before objects had a version. Throws NewerTables after a
 * rollback: each call of the object then fails, as if it did not answer, and nothing is written.
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
