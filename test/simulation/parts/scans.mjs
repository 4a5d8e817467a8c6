/** Tables of all projects of which few rows are there at once, and indexes that have few. */
const small = new Set(["moves", "project_counts"]);
const smallIndex = / INDEX ix_jobs_open\b/;

/**
 * Returns how a statement reads more with every row that there is: by a scan of a table with rows of projects that no LIMIT
 * ends, or by an index that is made for it.
 */
export function scansOf(sqlite, sql) {
  if (/\bLIMIT\b/i.test(sql) || !/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(sql)) return [];
  const tables = tenantTables(sqlite);
  return sqlite
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail)
    .filter(
      (step) =>
        step.includes("AUTOMATIC") ||
        (tables.has(nameIn(step, sql)) && !smallIndex.test(step) && !isOfAsking(step, sql)),
    )
    .map((step) => `${step}: ${sql.replaceAll(/\s+/g, " ")}`);
}

/** A tick asks whether an index of open work has a row, and reads none but the first. */
function isOfAsking(step, sql) {
  return /^\s*SELECT json_array\(\(EXISTS \(SELECT 1 /.test(sql) && step.includes(" INDEX ix_");
}

/** The table that a step scans, by its own name or by that which the statement gives it. */
function nameIn(step, sql) {
  const [, name] = /^SCAN (\w+)/.exec(step) ?? [];
  if (name === undefined) return undefined;
  const [, table] = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO)\\s+"?(\\w+)"? (?:AS )?"?${name}\\b`, "i").exec(sql) ?? [];
  return table ?? name;
}

const known = new WeakMap();

function tenantTables(sqlite) {
  const found =
    known.get(sqlite) ??
    new Set(
      sqlite
        .prepare(
          "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'project_id' WHERE m.type = 'table'",
        )
        .all()
        .map(({ name }) => name)
        .filter((name) => !small.has(name)),
    );
  known.set(sqlite, found);
  return found;
}
