import { Failure } from "./failure.mjs";
import { captureTool } from "./tools.mjs";

/** Runs wrangler on the account, without questions. A refusal ends the deploy with what wrangler said about it. */
export async function wrangler(...args) {
  const { code, stdout, output } = await captureTool("wrangler", args);
  if (code !== 0) throw new Failure(`wrangler ${args.join(" ")} failed, so the deploy stops here:\n\n${output}`);
  return stdout;
}

export async function requireLogin(config) {
  const { code, stdout, output } = await captureTool("wrangler", ["whoami", "--json"]);
  if (code !== 0 && stdout.includes('"loggedIn":false')) {
    throw new Failure(
      "Not logged in to Cloudflare: run npx wrangler login, or set CLOUDFLARE_API_TOKEN, and deploy again.",
    );
  }
  if (code !== 0) throw new Failure(`Cloudflare could not be asked who you are:\n\n${output}`);
  const { accounts = [] } = JSON.parse(stdout);
  if (accounts.length > 1 && !process.env.CLOUDFLARE_ACCOUNT_ID && !config.account_id) {
    const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
    throw new Failure(
      `You have several accounts: set CLOUDFLARE_ACCOUNT_ID to one of these and deploy again.\n${list}`,
    );
  }
}

/** Creates what wrangler.toml names and the account lacks; `report` hears of each. Found by name, so no id is kept. */
export async function createMissing(config, report) {
  const databases = config.d1_databases.map((database) => database.database_name);
  await ensure("D1 database", databases, await listDatabases(), ["d1", "create"], report);
  const buckets = config.r2_buckets.map((bucket) => bucket.bucket_name);
  await ensure("R2 bucket", buckets, words(await wrangler("r2", "bucket", "list")), ["r2", "bucket", "create"], report);
  const queues = config.queues.consumers.map((consumer) => consumer.queue);
  await ensure("Queue", queues, words(await wrangler("queues", "list")), ["queues", "create"], report);
}

async function listDatabases() {
  return JSON.parse(await wrangler("d1", "list", "--json")).map((database) => database.name);
}

async function ensure(kind, names, existing, create, report) {
  for (const name of names) {
    if (existing.includes(name)) {
      report(kind, name, "is there");
      continue;
    }
    const { code, output } = await captureTool("wrangler", [...create, name]);
    // Lists come in pages, so it may be there after all.
    const isThere = /already (exists|taken)/.test(output);
    if (code !== 0 && !isThere) throw new Failure(`${kind} ${name} could not be created:\n\n${output}`);
    report(kind, name, isThere ? "is there" : "created");
  }
}

/** The names of the secrets that the deployed Worker has; none before its first deploy. */
export async function listSecrets() {
  const { code, stdout, output } = await captureTool("wrangler", ["secret", "list", "--format", "json"]);
  if (code === 0) return JSON.parse(stdout).map((secret) => secret.name);
  if (/not found/.test(output)) return [];
  throw new Failure(`The Worker's secrets could not be listed:\n\n${output}`);
}

/** Sets secrets of the deployed Worker. They travel through a pipe, so that none is ever on a disk or in a process list. */
export async function putSecrets(secrets) {
  const { code, output } = await captureTool("wrangler", ["secret", "bulk"], { input: JSON.stringify(secrets) });
  if (code !== 0)
    throw new Failure(`The Worker's secrets could not be set. Deploy again to set new ones:\n\n${output}`);
}

// Of what wrangler can only print for people, a name is a word between blanks or the lines of a table.
function words(text) {
  return text.split(/[\s│]+/);
}
