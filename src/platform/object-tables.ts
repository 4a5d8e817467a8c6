/**
 * The statements that change the tables of an object, in order: the first entry creates them, and each later one is a
 * change. A deployed entry never changes, because objects have run it. A new one goes at the end, with a test on the
 * previous state.
 */
export type TableMigrations = readonly (readonly string[])[];

const versionKey = "tables";

/** The tables belong to a later version. This version would write rows that the later one does not expect. */
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
 * objects one by one. `adopt` repairs a state from before objects had a version. Throws NewerTables after a rollback:
 * each call of the object then fails, as if it were out of reach, and nothing is written.
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
