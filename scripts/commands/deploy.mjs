import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMissing, listSecrets, requireLogin, wrangler } from "../lib/cloudflare.mjs";
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
  return deployWith(await makeSecrets(), carrier);
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

/** New values for the secrets that the Worker does not have yet. Shown before the deploy, so that none gets lost with it. */
async function makeSecrets() {
  const existing = await listSecrets();
  const missing = OWN_SECRETS.filter(({ name }) => !existing.includes(name));
  const secrets = Object.fromEntries(missing.map(({ name, make }) => [name, make()]));
  for (const [name, value] of Object.entries(secrets)) {
    console.log(`\n  ${bold(name)}  ${value}\n  ${dim("Keep it now: it is not shown again.")}\n`);
  }
  return secrets;
}

async function deployWith(secrets, carrier) {
  const folder = mkdtempSync(join(tmpdir(), "petrel-deploy-"));
  try {
    const file = join(folder, "secrets.json");
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    const secretArgs = Object.keys(secrets).length > 0 ? ["--secrets-file", file] : [];
    return await showTool("wrangler", ["deploy", ...secretArgs, ...carrier]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function report(kind, name, state) {
  console.log(`${dim(kind.padEnd(12))} ${name.padEnd(28)} ${state}`);
}
