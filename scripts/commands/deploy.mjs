import { lookAtAccount } from "../lib/account.mjs";
import { createMissing, deployWorker, migrate, putSecrets, requireKnownSchema } from "../lib/cloudflare.mjs";
import { askLocation, dataLocationOf, needsLocation } from "../lib/data-location.mjs";
import { deployed, obstacleList, secretsOnce } from "../lib/deployed.mjs";
import { Failure } from "../lib/failure.mjs";
import { openFirstProject, untilUp } from "../lib/first-project.mjs";
import { ensureInstalled } from "../lib/install.mjs";
import {
  addressOf,
  DEPLOY_CONFIG,
  noteDeployed,
  publicUrl,
  readInstallation,
  writeDeployConfig,
} from "../lib/installation.mjs";
import { credentialObstacles, settingObstacles } from "../lib/provider.mjs";
import { steps } from "../lib/screen.mjs";
import { adminTokenOf, OWN_SECRETS } from "../lib/settings.mjs";
import { showTool } from "../lib/tools.mjs";
import { databaseBindings } from "../lib/wrangler-toml.mjs";

const HELP = `
  npm run deploy                  deploys this version to your account
  npm run deploy -- --sandbox     the same with MAIL_PROVIDER = "outbox",
                                  which keeps the mail and sends none
  npm run deploy -- --dry-run     builds, and changes nothing

  Settings stand in petrel.toml, see petrel.example.toml. To make the first
  project, a later deploy needs ADMIN_TOKEN in its environment.
`;
const FLAGS = ["--sandbox", "--dry-run"];

/** `npm run deploy`: what the account lacks, the migrations, the Worker, in this order. Safe to run again at any time. */
export async function main(args) {
  if (args.includes("--help") || args.includes("-h")) return console.log(HELP);
  const stranger = args.find((arg) => !FLAGS.includes(arg));
  if (stranger) throw new Failure(`npm run deploy takes ${FLAGS.join(" and ")}, not ${stranger}.`);
  const flags = { isSandbox: args.includes("--sandbox") };
  const installation = readInstallation();
  databaseBindings(installation.config);
  await ensureInstalled();
  writeDeployConfig(installation, flags);
  if (args.includes("--dry-run")) {
    refuse(settingObstacles(installation, flags));
    return showTool("wrangler", ["deploy", "--dry-run", "--config", DEPLOY_CONFIG]);
  }

  console.log("");
  const step = steps();
  const account = await look(installation, flags, step);
  const { isNew } = installation;
  await settleLocation(installation, account);
  await prepare(installation, flags, account, step);
  if (isNew) step.done("Settings", "petrel.toml", "written");
  const secrets = await upload(installation, flags, account, step);
  console.log(await introduce(installation, flags, secrets, step));
}

/** Everything that stands in the way is said before anything is made. */
async function look(installation, flags, step) {
  step.begin("Account", "looking at what is there");
  const account = await lookAtAccount(installation);
  refuse([
    ...settingObstacles(installation, flags),
    ...account.obstacles,
    ...(account.secrets ? credentialObstacles(installation, account.secrets) : []),
  ]);
  step.done("Account", account.account ?? "the one of the token", "ready");
  return account;
}

function refuse(obstacles) {
  if (obstacles.length > 0) throw new Failure(obstacleList(obstacles));
}

/** Notes the location before anything is made there: a deploy that breaks off may leave a database behind. */
async function settleLocation(installation, account) {
  let location = dataLocationOf(installation);
  if (needsLocation(installation, account.databases)) {
    location = await askLocation({ input: process.stdin, output: process.stdout });
    if (!location) throw new Failure("Nothing was deployed, and nothing created: the question was not answered.");
  }
  if (location) noteDeployed(installation, { location });
}

async function prepare(installation, flags, account, step) {
  const { config } = installation;
  const ids = await createMissing(installation, account, step.done);
  noteDeployed(installation, { ...(account.account ? { account: account.account } : {}), ...ids });
  writeDeployConfig(installation, flags);
  // Migrations only add, so the Worker that is still running gets along with the new tables.
  for (const binding of databaseBindings(config)) {
    await step.run("Tables", binding, "known", () => requireKnownSchema(binding));
  }
  for (const binding of databaseBindings(config)) {
    await step.run("Migrations", binding, "applied", () => migrate(binding));
  }
}

/** The answer is the secrets that the Worker got by this. */
async function upload(installation, flags, account, step) {
  const before = publicUrl(installation);
  const found = await step.run("Worker", installation.config.name, "deployed", deployWorker);
  const secrets = missingSecrets(account.secrets);
  if (Object.keys(secrets).length > 0) {
    // A secret belongs to a Worker, so the Worker comes first.
    await step.run("Secrets", Object.keys(secrets).join(", "), "set", () => putSecrets(secrets));
    console.log(secretsOnce(secrets));
  }
  if (found) noteDeployed(installation, { address: found });
  const after = publicUrl(installation);
  if (after !== before) {
    // wrangler only tells the address of a Worker that is there, and links need it.
    writeDeployConfig(installation, flags);
    await step.run("PUBLIC_URL", after, "set", deployWorker);
  }
  return secrets;
}

/** New values for the secrets that the Worker does not have yet. */
function missingSecrets(existing) {
  const missing = OWN_SECRETS.filter(({ name }) => !existing.includes(name));
  return Object.fromEntries(missing.map(({ name, make }) => [name, make()]));
}

/** The deploy is done, so nothing that fails here makes it fail. */
async function introduce(installation, { isSandbox }, secrets, step) {
  const base = addressOf(installation) || publicUrl(installation);
  const shown = { base, provider: installation.config.vars.MAIL_PROVIDER };
  const adminToken = secrets.ADMIN_TOKEN ?? (process.env.ADMIN_TOKEN ? adminTokenOf(process.env) : null);
  if (!base) return deployed({ ...shown, base: "https://<your route>", problem: "wrangler named no address to call." });
  if (!adminToken) {
    return deployed({ ...shown, problem: "ADMIN_TOKEN is not in the environment, so no project was looked for." });
  }
  step.begin("Address", base);
  if (!(await untilUp(base))) {
    return deployed({ ...shown, problem: "The address does not answer yet: a new name can take some minutes." });
  }
  step.done("Address", base, "answers");
  try {
    const project = await openFirstProject({ base, adminToken, isTokenNew: "ADMIN_TOKEN" in secrets, isSandbox });
    return deployed({ ...shown, project });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return deployed({ ...shown, problem: `No first project: ${error.message}` });
  }
}
