import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../scripts/lib/paths.mjs";
import { findFreePort } from "../scripts/lib/port.mjs";
import { randomHex, writeEnvFile } from "../scripts/lib/settings.mjs";
import { locateState } from "../scripts/lib/state.mjs";
import { applyMigrations, startWorker, untilReady } from "../scripts/lib/worker.mjs";

/** Makes a separate state for one bench: empty databases with their tables. */
export async function openBenchState({ databases = 1, settings = {} } = {}) {
  const folder = join(ROOT, ".wrangler", "bench");
  mkdirSync(folder, { recursive: true });
  const stateDir = mkdtempSync(join(folder, "state-"));
  const state = locateState({ STATE_DIR: stateDir });
  const adminToken = randomHex();
  writeEnvFile(state.settings, { ENVIRONMENT: "development", ADMIN_TOKEN: adminToken, ...settings });
  const bench = { state, adminToken, databases, remove: () => rmSync(stateDir, { recursive: true }) };
  const config = writeConfig(bench, "src/index.ts", false);
  await applyMigrations(state, new AbortController().signal, config);
  rmSync(config);
  return bench;
}

/**
 * Starts a Worker on wrangler.toml, except for its entry file and for the consumers of mail. Without these, the
 * measurement is that of the request, and not of the deliveries that would follow on the same cores, unless it
 * `deliversMail`. Without a given state it gets its own, and deletes it when it stops.
 */
export async function startBenchWorker(entry, given, { inspectorPort, v8Flags, deliversMail = false } = {}) {
  const bench = given ?? (await openBenchState());
  const { state, adminToken, remove } = bench;
  const config = writeConfig(bench, entry, deliversMail);
  const worker = startWorker({ port: await findFreePort(), ip: "127.0.0.1", state, config, inspectorPort, v8Flags });
  try {
    await untilReady(worker, new AbortController().signal);
  } catch (error) {
    await worker.stop();
    throw error;
  }
  return {
    base: worker.base,
    groupId: worker.groupId,
    adminToken,
    async stop() {
      await worker.stop();
      rmSync(config);
      if (!given) remove();
    },
  };
}

/** The second drains mail that waits for a minute. */
const mailConsumers = /^\[\[queues\.consumers\]\]\nqueue = "petrel-(?:campaign-)?mail"\n(?:\w.*\n)+/gm;

function writeConfig({ state, databases }, entry, deliversMail) {
  const file = `${state.folder}.toml`;
  writeFileSync(file, benchConfig(entry, { deliversMail, databases }));
  return file;
}

function benchConfig(entry, { deliversMail, databases }) {
  const further = Array.from({ length: databases - 1 }, (_, n) => String(n + 1).padStart(2, "0")).map(
    (n) =>
      `[[d1_databases]]\nbinding = "DB_${n}"\ndatabase_name = "petrel-${n}"\nmigrations_dir = "${join(ROOT, "migrations")}"\n`,
  );
  // Paths in a configuration are relative to its own folder.
  const config = readFileSync(join(ROOT, "wrangler.toml"), "utf8")
    .replace(/^main = .*$/m, `main = "${join(ROOT, entry)}"`)
    .replaceAll('"./scripts/bundle/', `"${join(ROOT, "scripts", "bundle")}/`)
    .replace(/^directory = "(.*)"$/m, (_, path) => `directory = "${join(ROOT, path)}"`)
    .replace(/^migrations_dir = "(.*)"$/gm, (_, path) => `migrations_dir = "${join(ROOT, path)}"`);
  return [deliversMail ? config : config.replace(mailConsumers, ""), ...further].join("\n");
}
