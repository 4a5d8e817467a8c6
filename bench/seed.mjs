import { createHash, createHmac } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const rowsPerStatement = 50_000;
export const dayMs = 24 * 60 * 60 * 1000;

/** Opens the database of a binding in a local state, while no Worker holds it. */
export function openDatabase(state, binding) {
  return new DatabaseSync(join(state.folder, "v3", "d1", kind, `${objectIdOf(binding)}.sqlite`));
}

const kind = "miniflare-D1DatabaseObject";

/**
 * A local database is a Durable Object whose id follows from the binding's name, and the file is named after that id.
 */
function objectIdOf(name) {
  const key = createHash("sha256").update(kind).digest();
  const digest = (data) => createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const named = digest(name);
  return Buffer.concat([named, digest(named)]).toString("hex");
}

/** Returns, in SQL, an id of a time and a number: 22 characters that sort by time (see src/core/ids.ts). */
export function idOf(timeMs, n) {
  const letters = [42, 36, 30, 24, 18, 12, 6, 0].map(
    (shift) => `substr('${idAlphabet}', 1 + ((${timeMs} >> ${shift}) & 63), 1)`,
  );
  return `(${letters.join(" || ")} || 'R-1' || printf('%010d', ${n}) || '-')`;
}

const idAlphabet = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/**
 * Fills projects with `contacts` people of five fields each, spread over a year, and with `events` events of the last
 * 90 days, equally many per person. Their names are given by the SQL expression `name` over their number `n`. All
 * fields are independent of each other and of the events. Indexes are created after the rows, and the counts that a
 * call updates in each batch are computed once at the end.
 */
export function seed(state, projects) {
  const control = openDatabase(state, "DB");
  const placed = projects.map((project) => ({ ...project, ...placeOf(control, project.id) }));
  control.close();
  for (const [shard, together] of Map.groupBy(placed, (project) => project.shard)) {
    const database = openDatabase(state, shard);
    seedDatabase(database, together);
    database.close();
  }
}

/** The number of a project, and the binding of its database. */
export function placeOf(control, id) {
  return control.prepare("SELECT number, shard FROM projects WHERE id = ?").get(id);
}

function seedDatabase(database, projects) {
  withoutIndexes(database, ["contacts", "events"], () => {
    for (const project of projects) fill(database, project);
  });
}

/** Fills tables, and makes their indexes when the rows are there. */
export function withoutIndexes(database, tables, insert) {
  const made = database
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE tbl_name IN (SELECT value FROM json_each(?)) AND type = 'index' AND sql <> ''",
    )
    .all(JSON.stringify(tables));
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000");
  for (const { name } of made) database.exec(`DROP INDEX ${name}`);
  insert();
  for (const { sql } of made) database.exec(sql);
}

/** Returns, in SQL, the time at which a person joined. The people are spread over the year before. */
export function joiningOf(contacts, now) {
  return (n) => `(${now - 365 * dayMs} + ${n} * ${Math.floor((365 * dayMs) / Math.max(contacts, 1))})`;
}

const usualNames = "CASE n % 5 WHEN 0 THEN 'purchase' WHEN 1 THEN 'login' ELSE 'page_view' END";

function fill(database, { number, contacts = 0, events = 0, eventNames = 0, name = usualNames }) {
  const now = Date.now();
  const joinedAt = joiningOf(contacts, now);
  inChunks(contacts, (numbers) =>
    database.exec(`
      INSERT INTO contacts (project_id, id, email, subscribed, source, data, created_at, updated_at)
      SELECT ${number}, ${idOf(joinedAt("n"), "n")}, 'person' || n || '@' || (n % 1000) || '.example.com', n % 10 <> 0, 'API',
        json_object('firstName', 'Name' || n, 'plan', CASE n % 4 WHEN 0 THEN 'pro' WHEN 1 THEN 'team' ELSE 'free' END,
          'seats', n / 4 % 100, 'trial', json(CASE n / 400 % 2 WHEN 0 THEN 'true' ELSE 'false' END),
          'signedUpAt', strftime('%Y-%m-%dT%H:%M:%SZ', ${joinedAt("n")} / 1000, 'unixepoch')),
        ${joinedAt("n")}, ${joinedAt("n")} FROM (${numbers})`),
  );
  const happenedAt = `(${now - 90 * dayMs} + n * ${Math.floor((90 * dayMs) / Math.max(events, 1))})`;
  // Visits all people in a different order for each fifth of the events: 7919 is a prime that divides no number of
  // people.
  inChunks(events, (numbers) =>
    database.exec(`
      INSERT INTO events (project_id, id, name, contact_id, data)
      SELECT ${number}, ${idOf(happenedAt, "n")}, ${name}, ${idOf(joinedAt("who"), "who")}, '{"amount":12}'
      FROM (SELECT n, (n / 5 * 7919 + n % 5 * 31) % ${contacts} AS who FROM (${numbers}))`),
  );
  database.exec(`
    INSERT OR REPLACE INTO project_counts (project_id, contacts, subscribed, contacts_version)
      SELECT ${number}, count(*), coalesce(sum(subscribed), 0), count(*) FROM contacts WHERE project_id = ${number};
    INSERT INTO event_days (project_id, name, day, count, last_at)
      SELECT ${number}, ${name}, ${happenedAt} / ${dayMs}, count(*), max(${happenedAt}) FROM (${numbersTo(events)}) GROUP BY 2, 3;
    INSERT INTO event_names (project_id, name, count, contacts, last_at, day, day_count)
      SELECT project_id, name, sum(count), min(sum(count), ${contacts}), max(last_at), max(day), 0 FROM event_days
      WHERE project_id = ${number} GROUP BY name;
    UPDATE event_names SET day_count = d.count FROM event_days d
      WHERE event_names.project_id = ${number} AND d.project_id = ${number} AND d.name = event_names.name AND d.day = event_names.day;
    DELETE FROM event_days WHERE project_id = ${number} AND day = (SELECT day FROM event_names n
      WHERE n.project_id = ${number} AND n.name = event_days.name);
    INSERT OR IGNORE INTO contact_fields (project_id, key, type, created_at)
      SELECT ${number}, column1, column2, 0 FROM (VALUES ('firstName', 'string'), ('plan', 'string'), ('seats', 'number'),
        ('trial', 'boolean'), ('signedUpAt', 'date'));
    INSERT INTO event_names (project_id, name, count, contacts, last_at, day, day_count)
      SELECT ${number}, 'name ' || n, 1, 1, ${now}, ${Math.floor(now / dayMs)}, 1 FROM (${numbersTo(eventNames)})`);
}

function numbersTo(total) {
  return `WITH RECURSIVE numbers(n) AS (SELECT 0 WHERE ${total} > 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${total}) SELECT n FROM numbers`;
}

export function inChunks(total, insert) {
  for (let from = 0; from < total; from += rowsPerStatement) {
    const to = Math.min(from + rowsPerStatement, total);
    insert(
      `WITH RECURSIVE numbers(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${to}) SELECT n FROM numbers`,
    );
  }
}
