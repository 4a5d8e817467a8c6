import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { askWrangler } from "./cloudflare.mjs";
import { BIN, ROOT } from "./paths.mjs";
import { refusalOf } from "./reasons.mjs";
import { command } from "./screen.mjs";

const MIGRATIONS = join(ROOT, "migrations");
const TABLES = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL";
const APPLIED = "SELECT name FROM d1_migrations ORDER BY id";
const SHOWN = 5;

/**
 * Compares each database that is there with what its applied migrations build, before anything is changed. A Worker on
 * tables of another shape would fail one statement after the other.
 */
export async function shapeObstacles(databases) {
  const each = await Promise.all(databases.map(obstacleOf));
  return each.filter((obstacle) => obstacle !== null);
}

async function obstacleOf({ binding, name }) {
  const found = await rowsOf(binding, TABLES);
  if (found.obstacle) return found.obstacle;
  const there = shapesOf(found.rows);
  const migrated = there.has("d1_migrations") ? await rowsOf(binding, APPLIED) : { rows: [] };
  if (migrated.obstacle) return migrated.obstacle;
  const ours = readdirSync(MIGRATIONS).filter((file) => file.endsWith(".sql"));
  const applied = migrated.rows.map((row) => row.name);
  const newer = applied.filter((file) => !ours.includes(file));
  if (newer.length > 0) {
    return `The database ${binding} (${name}) was migrated by a version that this one does not know (${newer.join(", ")}). Deploy that version or a newer one.`;
  }
  const [expected, all] = await Promise.all([builtBy(applied), builtBy(ours)]);
  const names = new Set([...expected.keys(), ...all.keys()]);
  const different = [...names].filter((table) => there.get(table) !== expected.get(table)).toSorted();
  return different.length === 0 ? null : olderShape(binding, name, different);
}

function olderShape(binding, name, different) {
  const more = different.length > SHOWN ? ` and ${different.length - SHOWN} more` : "";
  return [
    `The database ${binding} (${name}) has another shape than its migrations build: ${different.slice(0, SHOWN).join(", ")}${more} differ.`,
    "It was made before the migrations were frozen, or was changed by hand, and no migration leads from there to here.",
    `To keep its data, save it (${command(`npx wrangler d1 export ${name} --remote --output ${name}.sql`)}) and deploy under another name, which petrel.toml gives.`,
    `Without data to keep, delete it (${command(`npx wrangler d1 delete ${name}`)}), remove ${binding} from [deployed] in petrel.toml, and deploy again.`,
  ].join(" ");
}

async function rowsOf(binding, statement) {
  const { code, stdout, output } = await askWrangler([
    ...["d1", "execute", binding, "--remote", "--json"],
    ...["--command", statement],
  ]);
  if (code !== 0) return { obstacle: `The tables of ${binding} cannot be read. ${refusalOf("D1 database", output)}` };
  return { rows: JSON.parse(stdout)[0].results };
}

async function builtBy(files) {
  const paths = files.map((file) => join(MIGRATIONS, file));
  const { stdout } = await promisify(execFile)(join(BIN, "node"), [join(ROOT, "scripts/lib/tables-of.mjs"), ...paths]);
  return shapesOf(JSON.parse(stdout));
}

/** SQLite keeps the text that made a table: quotes, blanks and the case of letters are no difference. */
function shapesOf(rows) {
  const plain = (sql) =>
    sql
      .replaceAll(/["`[\]]/g, "")
      .replaceAll(/\s+/g, " ")
      .replaceAll(/ ?([(),]) ?/g, "$1")
      .trim()
      .toLowerCase();
  return new Map(rows.map(({ name, sql }) => [name, plain(sql)]));
}
