import { askWrangler } from "./cloudflare.mjs";
import { dataLocationOf, jurisdictionOf } from "./data-location.mjs";
import { Failure } from "./failure.mjs";
import { refusalOf } from "./reasons.mjs";

const API = process.env.CLOUDFLARE_API_BASE_URL || "https://api.cloudflare.com/client/v4";

/** Whether callers of this installation read from replicas of its databases. */
export function wantsReplicas({ config }) {
  return config.vars.READ_REPLICAS === "true";
}

/** Returns what is wrong with the setting. */
export function replicaFaults(installation) {
  const { READ_REPLICAS: said } = installation.config.vars;
  if (!["true", "false"].includes(said)) return [`READ_REPLICAS is ${said}. It can be "true" or "false".`];
  if (said === "false" || jurisdictionOf(installation) === undefined) return [];
  return [
    `READ_REPLICAS is true, and DATA_LOCATION is ${dataLocationOf(installation)}. Cloudflare does not say that replicas stay within a jurisdiction, so Petrel does not use them there. Leave READ_REPLICAS out.`,
  ];
}

/**
 * Turns the replicas of each database on, or off again where an earlier deploy turned them on. wrangler has no command
 * for that. An installation that never had replicas makes no call. Returns whether there is anything to note.
 */
export async function switchReplicas(installation, account, step) {
  const isOn = wantsReplicas(installation);
  if (!isOn && !installation.notes.replicas) return false;
  const headers = await credentials();
  const { config, notes } = installation;
  for (const { binding, database_id: id = notes[binding] } of config.d1_databases) {
    const path = `/accounts/${accountOf(config, account)}/d1/database/${id}`;
    await step.run("Replicas", binding, isOn ? "on" : "off", () =>
      switchOne(path, headers, isOn ? "auto" : "disabled"),
    );
  }
  return true;
}

function accountOf(config, { account }) {
  const id = account ?? config.account_id;
  if (!id) throw new Failure("Read replicas are switched on by the account's id: set CLOUDFLARE_ACCOUNT_ID to it.");
  return id;
}

/** Returns wrangler's credentials, for calls to the API without a wrangler command. */
async function credentials() {
  const { code, stdout, output } = await askWrangler(["auth", "token", "--json"]);
  if (code !== 0) throw new Failure(`wrangler does not say by which token it calls. ${refusalOf("the login", output)}`);
  const { token, key, email } = JSON.parse(stdout);
  return token ? { Authorization: `Bearer ${token}` } : { "X-Auth-Key": key, "X-Auth-Email": email };
}

async function switchOne(path, headers, mode) {
  const response = await fetch(API + path, {
    method: "PUT",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ read_replication: { mode } }),
  }).catch((error) => {
    throw new Failure(`Cloudflare's API was not reached (${error.cause?.code ?? error.message}). Deploy again.`);
  });
  if (response.ok) return;
  // Uses wrangler's words, by which refusals are recognised.
  const { errors = [] } = await response.json().catch(() => ({}));
  const said = errors.map(({ code, message }) => `${message} [code: ${code}]`).join("\n");
  const output = `A request to the Cloudflare API (${path}) failed.\n\n${said || `It answered ${response.status}.`}`;
  throw new Failure(`The replicas could not be switched to ${mode}. ${refusalOf("D1 database", output)}`);
}
