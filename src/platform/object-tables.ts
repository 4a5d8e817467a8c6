/**
 * The statements that change the tables of an object, in order: the first entry creates the tables, and each later one
 * changes them. A deployed entry must never change, because objects have already run it. New entries go at the end,
 * each with a test on the previous state.
 */
export type TableMigrations = readonly (readonly string[])[];

interface Options {
  /**
   * The earliest version whose code can work with the tables after the last migration. A version is the number of
   * migrations that its code knows. A migration that only adds something leaves this number unchanged. A migration
   * raises it if it removes something, or if earlier code must not write rows after it. A migration that removes
   * something comes one release after the last code that needs it.
   */
  readableFrom?: number;
}

const versionKey = "tables";
const readableFromKey = "tables readable from";

/** Thrown when the tables belong to a later version of the code, and this version cannot work with them. */
export class NewerTables extends Error {
  override readonly name = "NewerTables";

  constructor(found: number, known: number) {
    super(
      `The tables of this object are at version ${found}, and this code knows ${known}: deploy the later version again`,
    );
  }
}

/**
 * Brings the tables of an object to the version of this code. Each object migrates itself, because a deployment reaches
 * objects one by one, and a gradual deployment that is rolled back returns an object to earlier code. Earlier code
 * continues to work if the later version declares that its tables only have more than before. Otherwise NewerTables is
 * thrown: each call of the object fails, as if it did not answer, and nothing is written.
 */
export function migrateTables(
  storage: DurableObjectStorage,
  migrations: TableMigrations,
  { readableFrom = migrations.length }: Options = {},
): void {
  const version = storage.kv.get<number>(versionKey) ?? 0;
  const known = migrations.length;
  if (version > known && (storage.kv.get<number>(readableFromKey) ?? version) > known)
    throw new NewerTables(version, known);
  if (version >= known) return;
  storage.transactionSync(() => {
    for (const statement of migrations.slice(version).flat()) storage.sql.exec(statement);
    storage.kv.put(versionKey, known);
    // Nothing is stored if only this version and later ones can work with the tables.
    if (readableFrom < known) storage.kv.put(readableFromKey, readableFrom);
    else storage.kv.delete(readableFromKey);
  });
}
