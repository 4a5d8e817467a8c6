import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { creationFlags } from "./data-location.mjs";
import { Failure } from "./failure.mjs";
import { DEPLOY_CONFIG } from "./installation.mjs";
import { reasonFor } from "./reasons.mjs";
import { remoteFault, SCHEMA_QUERIES } from "./schema.mjs";
import { captureTool, showTool } from "./tools.mjs";

/** Runs wrangler on the account, without questions, with the configuration of this installation. */
export function askWrangler(args, options) {
  return captureTool("wrangler", [...args, "--config", DEPLOY_CONFIG], options);
}

/** The same. A refusal ends the deploy with what wrangler said about it. */
async function wrangler(...args) {
  const { code, stdout, output } = await askWrangler(args);
  if (code !== 0) throw new Failure(`wrangler ${args.join(" ")} failed, so the deploy stops here:\n\n${output}`);
  return stdout;
}

/**
 * Creates what the configuration names and the account lacks; `report` hears of each. The queues come first, as some
 * accounts have none, and only creating one shows that. The answer is the id of each database, by its binding.
 */
export async function createMissing({ config, notes }, account, report) {
  const where = creationFlags({ config, notes });
  const queues = config.queues.consumers.map((consumer) => consumer.queue);
  await ensure("Queues", queues, account.queues, ["queues", "create"], report);
  const buckets = config.r2_buckets.map((bucket) => bucket.bucket_name);
  await ensure("R2 bucket", buckets, account.buckets, ["r2", "bucket", "create", ...where], report);
  return createDatabases({ config, notes }, where, account, report);
}

/** In our words where we know the reason, in wrangler's otherwise. */
function refusalOf(kind, output) {
  return reasonFor(kind, output) ?? `wrangler says:\n\n${output}`;
}

async function ensure(kind, names, existing, create, report) {
  let created = 0;
  for (const name of names) {
    if (existing.includes(name)) continue;
    const { code, output } = await askWrangler([...create, name]);
    // Lists come in pages, so it may be there after all.
    if (code !== 0 && !/already (exists|taken)/.test(output)) {
      throw new Failure(`${kind}: ${name} could not be created. ${refusalOf(kind, output)}`);
    }
    if (code === 0) created += 1;
  }
  const what = names.length === 1 ? names[0] : `${names.length}, ${names[0]} and more`;
  report(kind, what, created === 0 ? "there" : `created${created < names.length ? ` ${created}` : ""}`);
}

/** A database that an earlier deploy noted is found by its id, any other by its name. */
async function createDatabases({ config, notes }, where, account, report) {
  const ids = {};
  let known = account.databases;
  for (const { binding, database_name: name, database_id: given } of config.d1_databases) {
    const id = given ?? notes[binding];
    const isThere = known.some((database) => database.uuid === id || database.name === name);
    if (!isThere) {
      await wrangler("d1", "create", name, ...where);
      known = await listDatabases();
    }
    ids[binding] = id ?? known.find((database) => database.name === name)?.uuid;
    report("D1 database", `${binding}, ${name}`, isThere ? "there" : "created");
  }
  return ids;
}

async function listDatabases() {
  return JSON.parse(await wrangler("d1", "list", "--json"));
}

/**
 * Refuses a database whose tables are not what its migrations build: an installation of before the migrations were frozen,
 * or one whose tables somebody has changed. The Worker that runs goes on with it.
 */
export async function requireKnownSchema(binding) {
  const rows = await queryRemote(binding, SCHEMA_QUERIES.rows);
  const fault = await remoteFault({ rows, applied: rows.length === 0 ? [] : await appliedTo(binding) });
  if (fault === null) return;
  throw new Failure(
    `The tables of ${binding} are not those that its migrations make: ${fault}. Nothing was changed. ` +
      "Deploy the version that made them; or, if nobody needs what is in it, delete the database with " +
      "`npx wrangler d1 delete` and deploy again, which makes a new one.",
  );
}

async function appliedTo(binding) {
  return (await queryRemote(binding, SCHEMA_QUERIES.applied)).map(({ name }) => name);
}

async function queryRemote(binding, query) {
  const [{ results }] = JSON.parse(await wrangler("d1", "execute", binding, "--remote", "--json", "--command", query));
  return results;
}

/** The tables of one database as this version has them. */
export async function migrate(binding) {
  await wrangler("d1", "migrations", "apply", binding, "--remote");
}

/** Uploads the Worker. The answer is its workers.dev address; null when it has none. */
export async function deployWorker() {
  const folder = mkdtempSync(join(tmpdir(), "petrel-deploy-"));
  try {
    // wrangler says here, for programs, what it says on the terminal.
    const report = join(folder, "report.ndjson");
    const env = { WRANGLER_OUTPUT_FILE_PATH: report, WRANGLER_LOG: "warn" };
    // Where somebody can answer, it asks before it takes a domain from another Worker, or registers a workers.dev name.
    // Where nobody can, it goes on.
    if (process.stdin.isTTY && process.stdout.isTTY) {
      const code = await showTool("wrangler", ["deploy", "--config", DEPLOY_CONFIG], { env });
      if (code !== 0) throw new Failure("The Worker could not be deployed: wrangler says above why.");
    } else {
      const { code, output } = await askWrangler(["deploy"], { env });
      if (code !== 0) throw new Failure(`The Worker could not be deployed. ${refusalOf("Workers Scripts", output)}`);
    }
    return addressIn(readFileSync(report, "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function addressIn(report) {
  const entries = report.split("\n").filter((line) => line !== "");
  const { targets = [] } = entries.map((line) => JSON.parse(line)).find(({ type }) => type === "deploy") ?? {};
  return targets.find((target) => /^https?:\/\//.test(target))?.replace(/\/$/, "") ?? null;
}

/** Sets secrets of the deployed Worker. They travel through a pipe, so that none is ever on a disk or in a process list. */
export async function putSecrets(secrets) {
  const { code, output } = await askWrangler(["secret", "bulk"], { input: JSON.stringify(secrets) });
  if (code !== 0)
    throw new Failure(`The Worker's secrets could not be set. Deploy again to set new ones:\n\n${output}`);
}
