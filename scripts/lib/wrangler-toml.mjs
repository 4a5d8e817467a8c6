import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Failure } from "./failure.mjs";
import { ROOT } from "./paths.mjs";
import { parseToml } from "./toml.mjs";

export const WRANGLER_TOML = join(ROOT, "wrangler.toml");

/** Reads wrangler.toml as an object, so that names are written only there. */
export function readWranglerToml(file = WRANGLER_TOML) {
  return parseToml(readFileSync(file, "utf8"), basename(file));
}

/**
 * Returns the bindings of all databases. A name that the Worker does not look for would be a database that stays empty.
 */
export function databaseBindings(config) {
  const bindings = config.d1_databases.map(({ binding }) => binding);
  const stranger = bindings.find((binding) => !/^DB(_(0[1-9]|[1-9]\d))?$/.test(binding));
  if (stranger !== undefined) {
    throw new Failure(
      `[[d1_databases]] binds a database as ${stranger}: the first one is DB, further ones are DB_01 to DB_99.`,
    );
  }
  if (!bindings.includes("DB")) {
    throw new Failure("[[d1_databases]] has no database as DB: every installation has that one.");
  }
  return bindings;
}
