import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { Failure } from "./failure.mjs";
import { DEV_VARS } from "./paths.mjs";
import { PROVIDER_SETTINGS, providerFault } from "./provider.mjs";
import { readWranglerToml } from "./wrangler-toml.mjs";

// A list, so that a secret can be replaced while the old one is still accepted.
const SECRETS = /^[\x21-\x2b\x2d-\x7e]{32,}( *, *[\x21-\x2b\x2d-\x7e]{32,})*$/;
const SECRETS_RULE = "a list of secrets of at least 32 characters without blanks, with commas between them";

/**
 * The secrets that the Worker needs and that a checkout creates itself: `npm start` and `npm run deploy` fill in
 * missing ones.
 */
export const OWN_SECRETS = [
  {
    name: "ADMIN_TOKEN",
    make: randomHex,
    accepts: SECRETS,
    rule: SECRETS_RULE,
  },
  {
    name: "LINK_SECRETS",
    make: randomHex,
    accepts: SECRETS,
    rule: SECRETS_RULE,
  },
  {
    name: "WEBHOOK_SECRETS",
    make: randomHex,
    accepts: SECRETS,
    rule: SECRETS_RULE,
  },
];

// The prefixes of settings whose defaults are in the Worker. A list of their names here would become outdated.
const PREFIXES = ["RATE_LIMIT_", "MAX_ATTACHMENT", "MAIL_", "DNS_", "IDEMPOTENCY_", "OUTBOUND_", "EMAIL_", "EVENT_"];

/**
 * Returns the Worker's settings on this machine. The environment overrides .dev.vars, which overrides wrangler.toml.
 */
export function readSettings(environment) {
  const known = { ...readWranglerToml().vars, ENVIRONMENT: "development", ...readDevVars() };
  const given = Object.entries(environment).filter(([name, value]) => value !== "" && isSetting(name, known));
  const settings = { ...known, ...Object.fromEntries(given) };
  const fault = providerFault(settings);
  if (fault !== null) throw new Failure(fault);
  addMissingSecrets(settings);
  for (const { name, accepts, rule } of OWN_SECRETS) {
    if (accepts.test(settings[name])) continue;
    const place = environment[name] ? "the environment" : ".dev.vars";
    throw new Failure(`${name} in ${place} must be ${rule}: change it, or remove it to have a random one made.`);
  }
  return settings;
}

/** Returns the operator's token with which scripts call. Any token of the list works. */
export function adminTokenOf(settings) {
  return settings.ADMIN_TOKEN.split(",")[0].trim();
}

/** Whether `npm start` passes this environment variable on to the Worker. */
export function isSetting(name, known) {
  return (
    Object.hasOwn(known, name) ||
    OWN_SECRETS.some((secret) => secret.name === name) ||
    PROVIDER_SETTINGS.includes(name) ||
    PREFIXES.some((p) => name.startsWith(p))
  );
}

function addMissingSecrets(settings) {
  const missing = OWN_SECRETS.filter(({ name }) => !settings[name]);
  if (missing.length === 0) return;
  for (const { name, make } of missing) settings[name] = make();
  const lines = missing.map(({ name }) => `${name}=${settings[name]}\n`).join("");
  if (existsSync(DEV_VARS)) {
    const text = readFileSync(DEV_VARS, "utf8");
    appendFileSync(DEV_VARS, (text === "" || text.endsWith("\n") ? "" : "\n") + lines);
  } else {
    const intro = "# Secrets of this checkout, made by `npm start`. Settings may go here too: see .dev.vars.example.\n";
    writeFileSync(DEV_VARS, intro + lines, { mode: 0o600 });
  }
}

export function randomHex() {
  return randomBytes(32).toString("hex");
}

function readDevVars() {
  if (!existsSync(DEV_VARS)) return {};
  try {
    return parseEnv(readFileSync(DEV_VARS, "utf8"));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`.dev.vars cannot be read (${error.code}): it must be a file that you may read.`);
  }
}

// Matches one entry: a blank line, a comment, or a name and a value that is quoted (and may then span lines) or ends at
// a #.
const ENTRY =
  /[ \t]*(?:(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?:'([^']*)'|"([^"]*)"|`([^`]*)`|([^\s'"`#][^\r\n#]*)?)[ \t]*)?(?:#.*)?(?:\r?\n|$)/y;

function parseEnv(text) {
  const values = {};
  for (let at = 0; at < text.length; at = ENTRY.lastIndex) {
    ENTRY.lastIndex = at;
    const entry = ENTRY.exec(text);
    if (!entry) {
      // The line itself is not shown, because it may contain a secret.
      const line = text.slice(0, at).split("\n").length;
      throw new Failure(`.dev.vars, line ${line}, is not KEY=value: correct it, or put a # in front of it.`);
    }
    const [, name, single, double, backtick, bare] = entry;
    if (name) values[name] = single ?? double?.replaceAll("\\n", "\n") ?? backtick ?? bare?.trim() ?? "";
  }
  return values;
}

/**
 * Writes settings so that wrangler's --env-file reads back exactly these values. wrangler expands `$`, even inside
 * quotes.
 */
export function writeEnvFile(file, settings) {
  const lines = Object.entries(settings).map(([name, value]) => {
    const text = String(value);
    const quote = ["'", "`", '"'].find((mark) => !text.includes(mark));
    if (!quote) throw new Failure(`${name} holds all three kinds of quotes, which no env file can: change its value.`);
    return `${name}=${quote}${text.replaceAll("$", "\\$")}${quote}\n`;
  });
  writeFileSync(file, lines.join(""), { mode: 0o600 });
}

/** Reads what `writeEnvFile` wrote. */
export function readEnvFile(file) {
  const escaped = Object.entries(parseEnv(readFileSync(file, "utf8")));
  return Object.fromEntries(escaped.map(([name, value]) => [name, value.replaceAll("\\$", "$")]));
}
