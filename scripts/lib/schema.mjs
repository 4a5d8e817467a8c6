import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "./failure.mjs";
import { BIN, ROOT } from "./paths.mjs";

const TOOL = fileURLToPath(new URL("schema-tool.mjs", import.meta.url));

/**
 * The queries by which `remoteFault` reads a deployed database. Triggers of a backup are left out, because they come
 * and go.
 */
export const SCHEMA_QUERIES = {
  applied: "SELECT name FROM d1_migrations ORDER BY id",
  rows:
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_' " +
    "AND substr(name, 1, 4) <> '_cf_' AND name <> 'd1_migrations' AND substr(name, 1, 8) <> 'capture_'",
};

/**
 * Refuses a local state that this version cannot serve: its tables differ from those that its migrations build, because
 * another version created them. Further migrations would leave columns missing, which shows as failing statements. An
 * object migrates older tables itself, and fails each call when its tables are newer.
 */
export async function requireKnownTables(state) {
  const databases = filesIn(join(state.folder, "v3", "d1", "miniflare-D1DatabaseObject"));
  const objects = foldersIn(join(state.folder, "v3", "do")).flatMap((folder) =>
    filesIn(folder).map(({ file }) => ({ file, object: basename(folder).split("-").at(-1) })),
  );
  const faults = await faultsOf([...databases, ...objects]);
  const fault = faults.find((one) => one !== null);
  if (fault === undefined) return;
  throw new Failure(
    `The data in ${state.shownAs} was made by another version of Petrel: ${fault}. ` +
      "Run `npm run reset` to start with empty databases, or set another STATE_DIR.",
  );
}

/** Returns the databases that miniflare stores in a folder, without its own metadata. */
function filesIn(folder) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)).map((name) => ({ file: join(folder, name) }));
}

/** Returns a folder for each class of objects, named after the Worker and the class. */
function foldersIn(folder) {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** Returns what is wrong with the tables of a deployed database; null when they are those that its migrations build. */
export async function remoteFault({ rows, applied }) {
  const [fault = null] = await faultsOf([{ rows, applied }]);
  return fault;
}

/** Returns the migrations that a database lacks, in order. */
export function pendingMigrations(applied) {
  return readMigrations()
    .map(({ name }) => name)
    .filter((name) => !applied.includes(name));
}

async function faultsOf(databases) {
  if (databases.length === 0) return [];
  return JSON.parse(await runTool(JSON.stringify({ migrations: readMigrations(), databases })));
}

function readMigrations() {
  const folder = join(ROOT, "migrations");
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.toSorted().map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));
}

function runTool(input) {
  const child = spawn(join(BIN, "node"), ["--no-warnings", TOOL], { stdio: ["pipe", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      said[name] += text;
    });
  }
  child.stdin.on("error", () => {}).end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(said.stdout);
      else reject(new Failure(`The tables could not be compared with the migrations:\n\n${said.stderr.trim()}`));
    });
  });
}
