import { createHash, createHmac } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const rowsPerStatement = 50_000;
const dayMs = 24 * 60 * 60 * 1000;

/** Opens the database of a binding in a local state, while no Worker holds it. */
function openDatabase(state, binding) {
  return new DatabaseSync(join(state.folder, "v3", "d1", kind, `${objectIdOf(binding)}.sqlite`));
}

const kind = "miniflare-D1DatabaseObject";

/** A local database is a Durable Object named by its binding, and its file is named by the id that follows from that. */
function objectIdOf(name) {
  const key = createHash("sha256").update(kind).digest();
  const digest = (data) => createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const named = digest(name);
  return Buffer.concat([named, digest(named)]).toString("hex");
}

/** Ids that sort by time, as the product's own do: the time in milliseconds, then a number. */
const idOf = (timeMs, n) =>
  `substr(printf('%012x', ${timeMs}), 1, 8) || '-' || substr(printf('%012x', ${timeMs}), 9) || '-7000-8000-' || printf('%012x', ${n})`;

/**
 * Fills projects with `contacts` people of five fields each, spread over a year, and `events` events of the last 90 days,
 * as many of each person. No field says anything of another, or of the events. Indexes are made when the rows are there,
 * and what triggers would count row by row is counted once at the end.
 */
export function seed(state, projects) {
  const control = openDatabase(state, "DB");
  const shardOf = ({ id }) => control.prepare("SELECT shard FROM projects WHERE id = ?").get(id).shard;
  const byShard = Map.groupBy(projects, shardOf);
  control.close();
  for (const [shard, together] of byShard) {
    const database = openDatabase(state, shard);
    seedDatabase(database, together);
    database.close();
  }
}

function seedDatabase(database, projects) {
  const made = database
    .prepare(
      "SELECT type, name, sql FROM sqlite_master WHERE tbl_name IN ('contacts', 'events') AND type IN ('index', 'trigger') AND sql <> ''",
    )
    .all();
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000");
  for (const { type, name } of made) database.exec(`DROP ${type} ${name}`);
  for (const project of projects) fill(database, project);
  for (const { sql } of made) database.exec(sql);
  database.exec(`
    INSERT OR REPLACE INTO contact_counts SELECT project_id, count(*), sum(subscribed), count(*) FROM contacts GROUP BY project_id;
    INSERT OR REPLACE INTO event_names SELECT project_id, name, count(*), count(DISTINCT contact_id), max(created_at) FROM events
      GROUP BY project_id, name;
    INSERT OR REPLACE INTO event_days SELECT project_id, created_at / 86400000, name, count(*) FROM events GROUP BY 1, 2, 3`);
}

function fill(database, { id: projectId, contacts, events = 0 }) {
  const now = Date.now();
  const joinedAt = (n) => `(${now - 365 * dayMs} + ${n} * ${Math.floor((365 * dayMs) / contacts)})`;
  inChunks(contacts, (numbers) =>
    database.exec(`
      INSERT INTO contacts (id, project_id, email, subscribed, data, created_at, updated_at)
      SELECT ${idOf(joinedAt("n"), "n")}, '${projectId}', 'person' || n || '@' || (n % 1000) || '.example.com', n % 10 <> 0,
        json_object('firstName', 'Name' || n, 'plan', CASE n % 4 WHEN 0 THEN 'pro' WHEN 1 THEN 'team' ELSE 'free' END,
          'seats', n / 4 % 100, 'trial', json(CASE n / 400 % 2 WHEN 0 THEN 'true' ELSE 'false' END),
          'signedUpAt', strftime('%Y-%m-%dT%H:%M:%SZ', ${joinedAt("n")} / 1000, 'unixepoch')),
        ${joinedAt("n")}, ${joinedAt("n")} FROM (${numbers})`),
  );
  const happenedAt = `(${now - 90 * dayMs} + n * ${Math.floor((90 * dayMs) / Math.max(events, 1))})`;
  // Through all people in another order for each fifth of the events: 7919 is a prime that divides no number of people.
  inChunks(events, (numbers) =>
    database.exec(`
      INSERT INTO events (id, project_id, name, contact_id, data, created_at, dispatched_at)
      SELECT ${idOf(happenedAt, "n")}, '${projectId}',
        CASE n % 5 WHEN 0 THEN 'purchase' WHEN 1 THEN 'login' ELSE 'page_view' END, ${idOf(joinedAt("who"), "who")},
        '{"amount":12}', ${happenedAt}, ${happenedAt}
      FROM (SELECT n, (n / 5 * 7919 + n % 5 * 31) % ${contacts} AS who FROM (${numbers}))`),
  );
  database.exec(`
    INSERT OR IGNORE INTO contact_fields (project_id, key, type, created_at)
      SELECT '${projectId}', column1, column2, 0 FROM (VALUES ('firstName', 'string'), ('plan', 'string'), ('seats', 'number'),
        ('trial', 'boolean'), ('signedUpAt', 'date'))`);
}

function inChunks(total, insert) {
  for (let from = 0; from < total; from += rowsPerStatement) {
    const to = Math.min(from + rowsPerStatement, total);
    insert(
      `WITH RECURSIVE numbers(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${to}) SELECT n FROM numbers`,
    );
  }
}
