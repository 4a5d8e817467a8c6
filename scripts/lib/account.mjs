import { askWrangler } from "./cloudflare.mjs";
import { jurisdictionOf, locationObstacles } from "./data-location.mjs";
import { databasesIn } from "./installation.mjs";
import { reasonFor } from "./reasons.mjs";
import { command } from "./screen.mjs";
import { lookAtShapes } from "./shape.mjs";

const NEEDED_SCOPES = ["account:read", "workers_scripts:write", "d1:write", "queues:write"];

/**
 * Inspects the account without changing it. Returns all `obstacles` at once, because one missing thing says nothing
 * about the others.
 */
export async function lookAtAccount({ config, notes }, { isBuild }) {
  // Buckets of a jurisdiction are only in its own list.
  const jurisdiction = jurisdictionOf({ config, notes });
  const listBuckets = ["r2", "bucket", "list", ...(jurisdiction ? ["--jurisdiction", jurisdiction] : [])];
  const login = await lookAtLogin(config, notes);
  if (login.obstacles.length > 0) return { ...login, queues: [], buckets: [], databases: [], secrets: null };
  const [queues, buckets, databases, secrets] = await Promise.all([
    look("Queues", ["queues", "list"], namesIn),
    // A build does not look for the bucket, because it creates none: wrangler reports a missing one at the upload.
    isBuild ? {} : look("R2 bucket", listBuckets, namesIn),
    look("D1 database", ["d1", "list", "--json"], JSON.parse),
    look("Workers Scripts", ["secret", "list", "--format", "json"], secretNamesIn),
  ]);
  const refused = [queues, buckets, databases, secrets].flatMap(({ obstacle }) => obstacle ?? []);
  const ours = databases.found ? databasesIn({ config, notes }, databases.found) : [];
  const strange = strangeDatabases(notes, config, databases);
  const missing = isBuild && strange.length === 0 ? missingDatabases(ours) : [];
  const places = missing.length === 0 ? locationObstacles({ config, notes }, databases.found) : [];
  const shapes = await lookAtShapes(strange.length === 0 ? ours.filter(({ isThere }) => isThere) : []);
  return {
    account: login.account,
    obstacles: [...refused, ...strange, ...missing, ...places, ...shapes.obstacles],
    pending: shapes.pending,
    queues: queues.found ?? [],
    buckets: buckets.found ?? [],
    databases: databases.found ?? [],
    ids: Object.fromEntries(ours.filter(({ isThere }) => isThere).map(({ binding, id }) => [binding, id])),
    secrets: secrets.found ?? null,
  };
}

/** Returns which account it is, and whether we may use it. */
async function lookAtLogin(config, notes) {
  const { code, stdout, output } = await askWrangler(["whoami", "--json"]);
  if (code !== 0 && stdout.includes('"loggedIn":false')) {
    return refuse("You are not logged in to Cloudflare. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN.");
  }
  if (code !== 0) {
    const reason = reasonFor("the login", output) ?? `wrangler says: ${lastWords(output)}`;
    return refuse(`Cloudflare could not be asked who you are. ${reason}`);
  }
  const { accounts = [], authType, tokenPermissions } = JSON.parse(stdout);
  const chosen = process.env.CLOUDFLARE_ACCOUNT_ID || config.account_id;
  const account = chosen || notes.account || (accounts.length === 1 ? accounts[0].id : undefined);
  if (notes.account && account !== notes.account) {
    return refuse(`This installation is in the account ${notes.account} (see petrel.toml), and ${account} is chosen.`);
  }
  if (accounts.length > 1 && !account) {
    const list = accounts.map(({ id, name }) => `${id} (${name})`).join(", ");
    return refuse(`You have several accounts. Set CLOUDFLARE_ACCOUNT_ID to one of these: ${list}.`);
  }
  if (notes.account && accounts.length > 0 && !accounts.some(({ id }) => id === notes.account)) {
    return refuse(
      `This installation is in the account ${notes.account} (see petrel.toml), which this login does not know.`,
    );
  }
  // Only a login by browser shows its permissions.
  const missing = authType === "OAuth Token" ? NEEDED_SCOPES.filter((scope) => !tokenPermissions?.includes(scope)) : [];
  if (missing.length > 0) return refuse(`The login lacks ${missing.join(", ")}. Run npx wrangler login again.`);
  return { account, obstacles: [] };
}

function refuse(obstacle) {
  return { obstacles: [obstacle] };
}

async function look(kind, args, read) {
  const { code, stdout, output } = await askWrangler(args);
  if (code === 0) return { found: read(stdout) };
  // Before the first deploy, no Worker exists that could have secrets.
  if (args[0] === "secret" && /not found|code: 10007\]/i.test(output)) return { found: [] };
  return {
    obstacle: reasonFor(kind, output) ?? `${kind}: wrangler ${args.join(" ")} failed. It says: ${lastWords(output)}`,
  };
}

/**
 * Checks that a database named in petrel.toml is the intended one and exists. Otherwise an empty one would take its
 * place.
 */
function strangeDatabases(notes, config, { found }) {
  const noted = Object.entries(notes).filter(([name]) => /^DB(_\d\d)?$/.test(name));
  const bound = config.d1_databases.map(({ binding, database_id: id }) => [binding, id]);
  const lost = noted.filter(([name]) => !bound.some(([binding]) => binding === name));
  const ids = new Map([...noted, ...bound.filter(([, id]) => id !== undefined)]);
  const away = [...ids].filter(([, id]) => found && !found.some(({ uuid }) => uuid === id));
  return [
    ...lost.map(([name]) => `petrel.toml no longer has the database ${name}, which holds projects. Put it back.`),
    ...away.map(
      ([name, id]) =>
        `The database ${name} (${id} in petrel.toml) is not in this account. Use the account that has it.`,
    ),
  ];
}

function missingDatabases(databases) {
  return databases
    .filter(({ isThere }) => !isThere)
    .map(
      ({ binding, name }) =>
        `A build creates no database, and the account has no database ${name}, bound as ${binding}. Create it: ${command(`npx wrangler d1 create ${name}`)}`,
    );
}

function secretNamesIn(stdout) {
  return JSON.parse(stdout).map(({ name }) => name);
}

// Reads output that wrangler only prints for people: a name is a word between blanks or the lines of a table.
function namesIn(stdout) {
  return stdout.split(/[\s│]+/);
}

/** Returns the important lines of wrangler's refusal as one line. */
function lastWords(output) {
  const lines = output.split("\n").map((line) => line.trim());
  const from = lines.findIndex((line) => line.includes("[ERROR]"));
  return lines.slice(Math.max(0, from)).filter(Boolean).slice(0, 3).join(" ");
}
