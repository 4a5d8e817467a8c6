import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { creationFlags } from "./data-location.mjs";
import { Failure } from "./failure.mjs";
import { DEPLOY_CONFIG, databasesIn } from "./installation.mjs";
import { reasonFor, refusalOf } from "./reasons.mjs";
import { wrapped } from "./screen.mjs";
import { inTemporaryFolder, isOnTerminal } from "./temporary.mjs";
import { captureTool, showTool } from "./tools.mjs";

/** Runs wrangler for the account, without questions, with the configuration of this installation. */
export function askWrangler(args, { config = DEPLOY_CONFIG, ...options } = {}) {
  return captureTool("wrangler", [...args, "--config", config], options);
}

/** Runs wrangler for a database. A refusal ends the deploy with wrangler's message. */
async function wrangler(...args) {
  const { code, stdout, output } = await askWrangler(args);
  if (code !== 0) {
    const what = `wrangler ${args.join(" ")} failed, so the deploy stops here. The next one goes on.`;
    throw new Failure(`${wrapped(what, "")}\n\n${wrapped(reasonFor("D1 database", output) ?? "", "") || output}`);
  }
  return stdout;
}

/**
 * Creates what the configuration names and the account lacks; `report` is called for each. Returns the id of each
 * database, by its binding.
 */
export async function createMissing({ config, notes }, account, report) {
  const where = creationFlags({ config, notes });
  const queues = config.queues.consumers.map((consumer) => consumer.queue);
  await ensure("Queues", queues, account.queues, ["queues", "create"], report);
  const buckets = config.r2_buckets.map((bucket) => bucket.bucket_name);
  await ensure("R2 bucket", buckets, account.buckets, ["r2", "bucket", "create", ...where], report);
  return createDatabases({ config, notes }, where, account, report);
}

/**
 * Creates everything that a build creates itself. A dead-letter queue has no binding, so neither the Deploy button nor
 * wrangler creates it. The token may lack the permission, so a refusal names the commands for all missing queues.
 */
export async function createDeadLetterQueues({ config }, account, report) {
  const bound = config.queues.producers.map((producer) => producer.queue);
  const names = config.queues.consumers.map((consumer) => consumer.queue).filter((name) => !bound.includes(name));
  const advise = (left) => {
    const lines = left.map((name) => `  npx wrangler queues create ${name}`);
    return `\n\nThe build needs these. To create them from a terminal:\n\n${lines.join("\n")}`;
  };
  await ensure("Queues", names, account.queues, ["queues", "create"], report, advise);
}

async function ensure(kind, names, existing, create, report, advise = () => "") {
  const missing = names.filter((name) => !existing.includes(name));
  let created = 0;
  for (const [index, name] of missing.entries()) {
    const { code, output } = await askWrangler([...create, name]);
    // wrangler lists only one page, so the queue may exist although it is not listed.
    if (code !== 0 && !/already (exists|taken)/.test(output)) {
      const refusal = `${kind}: ${name} could not be created. ${refusalOf(kind, output)}`;
      throw new Failure(wrapped(refusal, "") + advise(missing.slice(index)));
    }
    if (code === 0) created += 1;
  }
  const what = names.length === 1 ? names[0] : `${names.length}, ${names[0]} and more`;
  report(kind, what, created === 0 ? "there" : `created${created < names.length ? ` ${created}` : ""}`);
}

/** Finds a database that an earlier deploy noted by its id, and any other by its name. */
async function createDatabases({ config, notes }, where, account, report) {
  const ids = {};
  let known = account.databases;
  for (const { binding, name, id, isThere } of databasesIn({ config, notes }, known)) {
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

/** Migrates one database to this version. */
export async function migrate(binding) {
  await wrangler("d1", "migrations", "apply", binding, "--remote");
}

/**
 * Uploads the Worker together with `secrets`, so that no version ever runs without them. Returns its workers.dev
 * address; null when it has none.
 */
export function deployWorker(secrets = {}) {
  return inTemporaryFolder((folder) => {
    if (Object.keys(secrets).length === 0) return upload(folder, DEPLOY_CONFIG, []);
    const file = join(folder, "secrets.json");
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    return upload(folder, DEPLOY_CONFIG, ["--secrets-file", file]);
  });
}

// Answers until the Worker is uploaded.
const PLACEHOLDER = `export default {
  fetch: () => new Response("Petrel is being deployed.", { status: 503, headers: { "Retry-After": "60" } }),
};
`;

/**
 * Claims the Worker's name in the account before anything else is created. Reading an account's plan needs Billing:
 * Read, which no login of wrangler has; but a CPU limit is refused on the Free plan. Returns the workers.dev address,
 * which PUBLIC_URL needs.
 */
export function claimName({ config, notes }) {
  return inTemporaryFolder((folder) => {
    const file = join(folder, "wrangler.json");
    const { name, compatibility_date, workers_dev, limits, account_id = notes.account } = config;
    const own = { name, main: "index.js", compatibility_date, workers_dev, limits };
    writeFileSync(join(folder, "index.js"), PLACEHOLDER);
    writeFileSync(file, JSON.stringify({ ...(account_id ? { account_id } : {}), ...own }));
    return upload(folder, file, []);
  });
}

async function upload(folder, config, args) {
  // wrangler also writes what it prints on the terminal into this file, in a form for programs.
  const report = join(folder, "report.ndjson");
  const env = { WRANGLER_OUTPUT_FILE_PATH: report, WRANGLER_LOG: "warn" };
  // On a terminal, wrangler asks before it takes a domain from another Worker or registers a workers.dev name. Without
  // a terminal, it continues.
  if (isOnTerminal()) {
    const code = await showTool("wrangler", ["deploy", ...args, "--config", config], { env });
    if (code !== 0) {
      throw new Failure(
        "The Worker could not be deployed: wrangler says above why. If that names the Free plan or the code 100328, Petrel needs Workers Paid: docs/deploying.md.",
      );
    }
  } else {
    const { code, output } = await askWrangler(["deploy", ...args], { env, config });
    if (code !== 0) throw new Failure(`The Worker could not be deployed. ${refusalOf("Workers Scripts", output)}`);
  }
  return addressIn(readFileSync(report, "utf8"));
}

function addressIn(report) {
  const entries = report.split("\n").filter((line) => line !== "");
  const { targets = [] } = entries.map((line) => JSON.parse(line)).find(({ type }) => type === "deploy") ?? {};
  return targets.find((target) => /^https?:\/\//.test(target))?.replace(/\/$/, "") ?? null;
}
