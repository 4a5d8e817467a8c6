import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atLocation } from "./data-location.mjs";
import { mergeConfig } from "./merge-config.mjs";
import { ROOT } from "./paths.mjs";
import { withProviderBindings } from "./provider.mjs";
import { parseToml } from "./toml.mjs";
import { readWranglerToml } from "./wrangler-toml.mjs";

const FILE = "petrel.toml";
const EXAMPLE = join(ROOT, "petrel.example.toml");
/** The configuration that wrangler gets: both files in one. Written by every deploy. */
export const DEPLOY_CONFIG = ".petrel.deploy.json";

// The only table of petrel.toml that deploys write. Everything else is the operator's.
const NOTES = "deployed";
const NOTES_INTRO =
  "# Written by npm run deploy: where this installation is. Leave it, or another account could get a second, empty one.";

/**
 * Reads the settings of one installation: `wrangler.toml` with `petrel.toml` over it, and what earlier deploys noted
 * there (`account`, `address`, `location`, and the id of each database by its binding). git ignores petrel.toml, so an
 * upgrade causes no conflict.
 */
export function readInstallation() {
  const file = join(ROOT, FILE);
  const isNew = !existsSync(file);
  const { [NOTES]: notes = {}, ...own } = isNew ? {} : parseToml(readFileSync(file, "utf8"), FILE);
  const ours = readWranglerToml();
  return { isNew, notes, own, defaults: ours.vars, config: withProviderBindings(mergeConfig(ours, own)) };
}

/**
 * Writes what a deploy found into petrel.toml, which the first deploy creates. Returns whether that changed anything.
 */
export function noteDeployed(installation, found) {
  const notes = { ...installation.notes, ...found };
  if (!installation.isNew && JSON.stringify(notes) === JSON.stringify(installation.notes)) return false;
  const file = join(ROOT, FILE);
  if (!existsSync(file)) copyFileSync(EXAMPLE, file);
  const table = Object.entries(notes).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  const rest = withoutNotes(readFileSync(file, "utf8")).trimEnd();
  writeFileSync(file, `${rest}\n\n${NOTES_INTRO}\n[${NOTES}]\n${table.join("")}`);
  installation.notes = notes;
  installation.isNew = false;
  return true;
}

/** Removes the table of notes, which ends at the next table or at the end of the file. */
function withoutNotes(text) {
  const lines = text.split("\n").filter((line) => line !== NOTES_INTRO);
  const from = lines.findIndex((line) => line.trim() === `[${NOTES}]`);
  if (from === -1) return lines.join("\n");
  const length = lines.slice(from + 1).findIndex((line) => /^\s*\[/.test(line));
  return [...lines.slice(0, from), ...(length === -1 ? [] : lines.slice(from + 1 + length))].join("\n");
}

/** Writes the configuration for wrangler, with the ids and the address known so far. */
export function writeDeployConfig({ config, notes }, { isSandbox }) {
  const { account } = notes;
  const databases = config.d1_databases.map((database) => {
    const id = notes[database.binding];
    return id === undefined ? database : { database_id: id, ...database };
  });
  const located = atLocation(config, notes);
  const vars = { ...located.vars, PUBLIC_URL: publicUrl({ config, notes }), ...(isSandbox ? { SANDBOX: "true" } : {}) };
  const whole = { ...(account ? { account_id: account } : {}), ...located, vars, d1_databases: databases };
  writeFileSync(join(ROOT, DEPLOY_CONFIG), `${JSON.stringify(whole, null, 2)}\n`);
}

/**
 * Returns where recipients reach the installation: the operator's setting, else its custom domain, else the address of
 * the deploy.
 */
export function publicUrl({ config, notes }) {
  return config.vars.PUBLIC_URL || addressOf({ config, notes });
}

/** Returns where the API can be called: the custom domain, else the address of the deploy, else nowhere yet. */
export function addressOf({ config, notes }) {
  const domain = config.routes?.find((route) => route.custom_domain)?.pattern;
  return domain ? `https://${domain}` : (notes.address ?? "");
}

/**
 * Returns the databases of the configuration; `known` are those of the account. A database that a deploy noted is found
 * by its id, any other by its name.
 */
export function databasesIn({ config, notes }, known) {
  return config.d1_databases.map(({ binding, database_name: name, database_id: given }) => {
    const noted = given ?? notes[binding];
    const found = known.find((database) => database.uuid === noted || database.name === name);
    return { binding, name, id: noted ?? found?.uuid, isThere: found !== undefined };
  });
}
