import { constants, DatabaseSync } from "node:sqlite";

// Runs on the lockfile's Node, which has SQLite.

const laterRelease =
  "Stop using it in one release, and take it away in the next one, which names it in scripts/lib/last-release.mjs.";
const inCode = "Leave that to a job or a sweep of the code.";
const ownRelease = "Keep to it in the code for one release, and add it in the next one.";

/**
 * Returns what a Worker of the last release could not cope with in new migrations. For some minutes of a deployment,
 * and after a rollback, that Worker runs on the migrated tables. SQLite itself runs the migrations, and the tables
 * before and after are compared. `released` are the statements of the last release; `later` are named texts that come
 * after them; `unused` are tables, indexes and `table.column` that the last release no longer names. Statements over
 * rows may only fill new tables and new columns. Each returned sentence says what to do instead.
 */
export function breaksOf(released, later, unused = []) {
  const database = new DatabaseSync(":memory:");
  try {
    for (const sql of released) database.exec(sql);
    const before = shapeOf(database);
    // A table, a column or an index that is newer than the release may still change.
    const isReleased = (table) => before.tables.has(table);
    const said = new Set();
    return later.flatMap(({ name, sql }) => {
      const losses = execWatched(database, sql, { before, unused });
      const found = new Set([...losses, ...changesOf(before, shapeOf(database, isReleased), unused)]);
      const fresh = [...found].filter((fault) => !said.has(fault));
      for (const fault of fresh) said.add(fault);
      return fresh.map((fault) => `${name} ${fault}`);
    });
  } finally {
    database.close();
  }
}

/** Runs statements, and names what they remove from the earlier tables, even if they put something in its place. */
function execWatched(database, sql, { before, unused }) {
  const found = [];
  database.setAuthorizer((action, name, table) => {
    if (unused.includes(name)) return constants.SQLITE_OK;
    if (action === constants.SQLITE_DROP_TABLE && before.tables.has(name)) {
      found.push(`drops the table ${name}, which the last release uses. ${laterRelease}`);
    }
    if (action === constants.SQLITE_DROP_INDEX && before.indexes.has(name)) {
      found.push(`drops the index ${name} of ${table}, which statements of the last release may name. ${laterRelease}`);
    }
    if (action === constants.SQLITE_DELETE && before.tables.has(name)) {
      found.push(`deletes rows of ${name}, which the last release reads. ${inCode}`);
    }
    if (action === constants.SQLITE_INSERT && before.tables.has(name)) {
      found.push(`adds rows to ${name}, which the last release reads. ${inCode}`);
    }
    // For an update, the third argument is the column.
    const column = `${name}.${table}`;
    if (action === constants.SQLITE_UPDATE && before.tables.get(name)?.columns.has(table) && !unused.includes(column)) {
      found.push(
        `changes values of ${column}, which the last release reads. Write into a new column, or leave it to a job or a sweep of the code.`,
      );
    }
    return constants.SQLITE_OK;
  });
  database.exec(sql);
  database.setAuthorizer(null);
  return found;
}

function changesOf(before, after, unused) {
  return [
    ...[...before.tables].flatMap(([name, shape]) => changesOfTable(name, shape, after.tables.get(name), unused)),
    ...[...after.indexes].flatMap(([name, { table, isUnique, sql }]) => {
      const known = before.indexes.get(name);
      if (known && known.sql !== sql) return [`makes another index of ${name}. Give the new one another name.`];
      return !known && isUnique
        ? [`makes ${name} unique over ${table}, so writes of the last release may be refused. ${ownRelease}`]
        : [];
    }),
    ...[...after.triggers].flatMap(([name, table]) =>
      !before.triggers.has(name)
        ? [`makes the trigger ${name}, which writes of the last release to ${table} would set off. Do it in the code.`]
        : [],
    ),
  ];
}

function changesOfTable(table, before, after, unused) {
  if (after === undefined && unused.includes(table)) return [];
  if (after === undefined) return [`takes away the table ${table}, which the last release uses. ${laterRelease}`];
  const gone = [...before.columns.keys()].filter((name) => !after.columns.has(name));
  const faults = gone
    .filter((name) => !unused.includes(`${table}.${name}`))
    .map((name) => `takes away the column ${table}.${name}, which the last release uses. ${laterRelease}`);
  for (const [name, column] of after.columns) {
    const known = before.columns.get(name);
    if (known && known !== column) {
      faults.push(`changes the column ${table}.${name} from ${known} to ${column}. Add another column instead.`);
    }
    if (!known && /NOT NULL(?! DEFAULT)/.test(column)) {
      const what = `adds the column ${table}.${name} as NOT NULL without a DEFAULT`;
      faults.push(`${what}, so writes of the last release would be refused. Give it a DEFAULT, or let it be NULL.`);
    }
  }
  const added = insertedInto(before.sql, after.sql);
  if (
    faults.length + gone.length === 0 &&
    (added === null || /\b(check|unique|references|foreign|primary)\b/i.test(added))
  ) {
    faults.push(`changes the constraints of ${table}, so writes of the last release may be refused. ${ownRelease}`);
  }
  return faults;
}

/** Returns the text that was inserted at one place of another text; null if more than that has changed. */
function insertedInto(before, after) {
  let from = 0;
  while (from < before.length && before[from] === after[from]) from += 1;
  const rest = before.slice(from);
  return after.length >= before.length && after.endsWith(rest) ? after.slice(from, after.length - rest.length) : null;
}

/** Returns the columns and indexes of tables, by name. `isOurs` leaves other tables out. */
function shapeOf(database, isOurs = () => true) {
  const master = database.prepare(
    "SELECT type, name, tbl_name AS tableName, sql FROM sqlite_master WHERE substr(name, 1, 7) <> 'sqlite_' AND sql IS NOT NULL",
  );
  const rows = master.all().filter(({ tableName }) => isOurs(tableName));
  const ofType = (type) => rows.filter((row) => row.type === type);
  const uniques = new Set(
    database
      .prepare("SELECT i.name FROM sqlite_master t, pragma_index_list(t.name) i WHERE t.type = 'table' AND i.[unique]")
      .all()
      .map(({ name }) => name),
  );
  return {
    tables: new Map(ofType("table").map(({ name, sql }) => [name, { sql, columns: columnsOf(database, name) }])),
    indexes: new Map(
      ofType("index").map(({ name, tableName, sql }) => [name, { table: tableName, sql, isUnique: uniques.has(name) }]),
    ),
    triggers: new Map(ofType("trigger").map(({ name, tableName }) => [name, tableName])),
  };
}

/** Returns each column in SQLite's words, such as `TEXT NOT NULL DEFAULT 'x'`. */
function columnsOf(database, table) {
  const columns = database.prepare("SELECT * FROM pragma_table_xinfo(?)").all(table);
  return new Map(
    columns.map(({ name, type, notnull, dflt_value, pk, hidden }) => {
      const words = [
        ...[type, notnull ? "NOT NULL" : "", dflt_value === null ? "" : `DEFAULT ${dflt_value}`],
        ...[pk ? `PRIMARY KEY ${pk}` : "", hidden ? "GENERATED" : ""],
      ];
      return [name, words.filter((word) => word !== "").join(" ")];
    }),
  );
}
