import { createMissing, listSecrets, putSecrets, requireLogin, wrangler } from "../lib/cloudflare.mjs";
import { Failure } from "../lib/failure.mjs";
import { ensureInstalled } from "../lib/install.mjs";
import { bold, dim } from "../lib/screen.mjs";
import { OWN_SECRETS } from "../lib/settings.mjs";
import { showTool } from "../lib/tools.mjs";
import { databaseBindings, readWranglerToml } from "../lib/wrangler-toml.mjs";

const FLAGS = ["--sandbox", "--dry-run"];

/** `npm run deploy`: what the account lacks, the migrations, the Worker, in this order. Safe to run again at any time. */
export async function main(args) {
  const stranger = args.find((arg) => !FLAGS.includes(arg));
  if (stranger) throw new Failure(`npm run deploy takes ${FLAGS.join(" and ")}, not ${stranger}.`);
  const config = readWranglerToml();
  const bindings = databaseBindings(config);
  const carrier = chooseCarrier(config.vars.MAIL_PROVIDER, args.includes("--sandbox"));
  await ensureInstalled();
  if (args.includes("--dry-run")) return showTool("wrangler", ["deploy", "--dry-run", ...carrier]);

  await requireLogin(config);
  await createMissing(config, report);
  // Migrations only add, so the Worker that is still running gets along with the new tables.
  for (const binding of bindings) {
    await wrangler("d1", "migrations", "apply", binding, "--remote");
    report("Migrations", binding, "applied");
  }
  const secrets = await makeSecrets();
  const code = await showTool("wrangler", ["deploy", ...carrier]);
  if (code !== 0 || Object.keys(secrets).length === 0) return code;
  // A secret belongs to a Worker, so the Worker comes first.
  await putSecrets(secrets);
  showOnce(secrets);
  return 0;
}

/** A Worker that pretends to send mail must not reach production unnoticed. */
function chooseCarrier(provider, sandbox) {
  if (provider === "outbox" && !sandbox) {
    throw new Failure(
      "MAIL_PROVIDER in wrangler.toml is outbox, which sends no mail: name a provider there, or deploy with npm run deploy -- --sandbox.",
    );
  }
  if (provider !== "outbox" && sandbox) {
    throw new Failure(`--sandbox is for MAIL_PROVIDER = "outbox", and wrangler.toml says ${provider}: leave it out.`);
  }
  return sandbox ? ["--var", "SANDBOX:true"] : [];
}

/** New values for the secrets that the Worker does not have yet. */
async function makeSecrets() {
  const existing = await listSecrets();
  const missing = OWN_SECRETS.filter(({ name }) => !existing.includes(name));
  return Object.fromEntries(missing.map(({ name, make }) => [name, make()]));
}

/** To the terminal alone: no file has them, and Cloudflare does not show them again. */
function showOnce(secrets) {
  const lines = Object.entries(secrets).map(([name, value]) => `  ${bold(name)}  ${value}\n`);
  console.log(
    `\n${lines.join("")}\n  ${dim("Keep these now: they are shown this once, and stored nowhere but in the Worker.")}\n`,
  );
}

function report(kind, name, state) {
  console.log(`${dim(kind.padEnd(12))} ${name.padEnd(28)} ${state}`);
}
