import { lookAtAccount } from "../lib/account.mjs";
import { claimName, createDeadLetterQueues, createMissing, deployWorker, migrate } from "../lib/cloudflare.mjs";
import { ensureConsole } from "../lib/console/build.mjs";
import { askLocation, dataLocationOf, needsLocation } from "../lib/data-location.mjs";
import { deployed, obstacleList, secretsOnce, secretsUnseen } from "../lib/deployed.mjs";
import { readHealth } from "../lib/doctor/health.mjs";
import { healthNews } from "../lib/doctor/health-report.mjs";
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
import { switchReplicas, wantsReplicas } from "../lib/replicas.mjs";
import { steps, wrapped, yellow } from "../lib/screen.mjs";
import { adminTokenOf, OWN_SECRETS } from "../lib/settings.mjs";
import { showTool } from "../lib/tools.mjs";
import { allFinished, namedPoints, noteBookmarks, wayBack } from "../lib/way-back.mjs";
import { databaseBindings } from "../lib/wrangler-toml.mjs";

const HELP = `
  npm run deploy                  deploys this version to your account
  npm run deploy -- --sandbox     the same with MAIL_PROVIDER = "outbox",
                                  which keeps the mail and sends none
  npm run deploy -- --dry-run     builds, and changes nothing

  Settings stand in petrel.toml, see petrel.example.toml. To make the first
  project, a later deploy needs ADMIN_TOKEN in its environment. In Workers
  Builds it creates only dead-letter queues and shows no secret, see
  docs/deploying.md.
`;
const FLAGS = ["--sandbox", "--dry-run"];

/**
 * `npm run deploy`: creates what the account lacks, then runs the migrations and uploads the Worker. Can safely be run
 * again at any time.
 */
export async function main(args) {
  if (args.includes("--help") || args.includes("-h")) return console.log(HELP);
  const stranger = args.find((arg) => !FLAGS.includes(arg));
  if (stranger) throw new Failure(`npm run deploy takes ${FLAGS.join(" and ")}, not ${stranger}.`);
  const installation = readInstallation();
  const isBuild = Boolean(process.env.WORKERS_CI);
  const flags = { isBuild, isSandbox: args.includes("--sandbox") || (isBuild && isOutbox(installation)) };
  databaseBindings(installation.config);
  await ensureInstalled();
  await ensureConsole();
  writeDeployConfig(installation, flags);
  if (args.includes("--dry-run")) {
    refuse(settingObstacles(installation, flags));
    return showTool("wrangler", ["deploy", "--dry-run", "--config", DEPLOY_CONFIG]);
  }

  console.log("");
  const step = steps();
  const account = await look(installation, flags, step);
  if (flags.isBuild) {
    installation.notes = { ...installation.notes, ...account.ids };
    await createDeadLetterQueues(installation, account, step.done);
  } else {
    await prepare(installation, account, step);
  }
  writeDeployConfig(installation, flags);
  const points = await noteBookmarks(account, installation, step);
  if (Object.keys(points).length > 0) {
    console.log(wayBack(installation, points));
    if (!flags.isBuild) noteDeployed(installation, namedPoints(points, installation.notes));
  }
  // Migrations only add, so the Worker that is still running works with the new tables.
  for (const binding of databaseBindings(installation.config)) {
    await step.run("Migrations", binding, "applied", () => migrate(binding));
  }
  const areSwitched = await switchReplicas(installation, account, step);
  if (areSwitched && !flags.isBuild) noteDeployed(installation, { replicas: wantsReplicas(installation) });
  const secrets = await upload(installation, flags, account, step);
  if (installation.notes.unfinished?.length > 0) noteDeployed(installation, allFinished);
  console.log(await introduce(installation, flags, secrets, step));
  // Runs after the introduction, so that the keys have been shown whatever happens here.
  const news = await examine(installation, flags, secrets);
  if (news !== null) console.log(news);
}

/**
 * An installation by the deploy button has no command line for `--sandbox`. Its build requests a sandbox by leaving the
 * provider unchanged.
 */
function isOutbox({ config }) {
  return config.vars.MAIL_PROVIDER === "outbox";
}

/** Reports all obstacles before anything is created. */
async function look(installation, flags, step) {
  step.begin("Account", "looking at what is there");
  const account = await lookAtAccount(installation, flags);
  refuse([
    ...settingObstacles(installation, flags),
    ...account.obstacles,
    ...(account.secrets
      ? [...credentialObstacles(installation, account.secrets), ...givenTokenObstacles(account)]
      : []),
  ]);
  step.done("Account", account.account ?? "the one of the token", "ready");
  return account;
}

function givenTokenObstacles({ secrets }) {
  const given = process.env.ADMIN_TOKEN;
  const { accepts, rule } = OWN_SECRETS.find(({ name }) => name === "ADMIN_TOKEN");
  return given && !secrets.includes("ADMIN_TOKEN") && !accepts.test(given)
    ? [`ADMIN_TOKEN in the environment must be ${rule}: change it, or unset it to have a random one made.`]
    : [];
}

function refuse(obstacles) {
  if (obstacles.length > 0) throw new Failure(obstacleList(obstacles));
}

/** Asks before anything is created, because neither a database nor a bucket can be moved. */
async function chooseLocation(installation, account) {
  if (!needsLocation(installation, account.databases)) return dataLocationOf(installation);
  const location = await askLocation({ input: process.stdin, output: process.stdout });
  if (!location) throw new Failure("Nothing was deployed, and nothing created: the question was not answered.");
  return location;
}

/** Creates what the account lacks. The Worker's name comes first, because only claiming it reveals a Free plan. */
async function prepare(installation, account, step) {
  const { isNew, config } = installation;
  const location = await chooseLocation(installation, account);
  const hasWorker = OWN_SECRETS.some(({ name }) => account.secrets.includes(name));
  const address = hasWorker ? null : await step.run("Worker", config.name, "name taken", () => claimName(installation));
  // Noted before anything is created there, because an interrupted deploy may leave a database behind.
  noteDeployed(installation, {
    ...(account.account ? { account: account.account } : {}),
    ...(location ? { location } : {}),
    ...(address ? { address } : {}),
  });
  const ids = await createMissing(installation, account, step.done);
  noteDeployed(installation, ids);
  if (isNew) step.done("Settings", "petrel.toml", "written");
}

/** Uploads the Worker. Returns the secrets that the upload has set. */
async function upload(installation, flags, account, step) {
  const before = publicUrl(installation);
  const secrets = missingSecrets(account.secrets);
  const names = Object.keys(secrets);
  const { name } = installation.config;
  if (names.length > 0) console.log(isShown(flags) ? secretsOnce(secrets) : secretsUnseen(secrets, name));
  const found = await step.run("Worker", name, "deployed", () => deployWorker(secrets));
  if (names.length > 0) step.done("Secrets", names.join(", "), "set");
  if (flags.isBuild) {
    // Shown at the end and not noted, because the checkout of a build is thrown away.
    if (found) installation.notes = { ...installation.notes, address: found };
    return secrets;
  }
  if (found) noteDeployed(installation, { address: found });
  const after = publicUrl(installation);
  if (after !== before) {
    // The Worker existed already, without its address in petrel.toml: wrangler reports the address only after an
    // upload.
    writeDeployConfig(installation, flags);
    await step.run("PUBLIC_URL", after, "set", () => deployWorker());
  }
  return secrets;
}

/** Whether secrets may be shown. Output that is not a terminal may be a log that others read. */
function isShown({ isBuild }) {
  return Boolean(process.stdout.isTTY) && !isBuild;
}

/** Returns new values for the secrets that the Worker does not have yet. */
function missingSecrets(existing) {
  const missing = OWN_SECRETS.filter(({ name }) => !existing.includes(name));
  const given = { ADMIN_TOKEN: process.env.ADMIN_TOKEN };
  return Object.fromEntries(missing.map(({ name, make }) => [name, given[name] || make()]));
}

/**
 * Returns the text at the end of a deploy, with the first project if this deploy could open it. The deploy is complete,
 * so no failure here makes it fail.
 */
async function introduce(installation, flags, secrets, step) {
  const base = addressOf(installation) || publicUrl(installation);
  const shown = { base, provider: installation.config.vars.MAIL_PROVIDER };
  const adminToken = operatorToken(secrets);
  if (!base) return deployed({ ...shown, base: "https://<your route>", problem: "wrangler named no address to call." });
  if (!isShown(flags)) {
    const hint =
      flags.isBuild && !installation.config.vars.PUBLIC_URL
        ? ` Set PUBLIC_URL = "${base}" under [vars] in wrangler.toml: links have the address of each call until then.`
        : "";
    const problem = `This is no terminal, so no project was made, whose keys would be shown.${hint}`;
    return deployed({ ...shown, problem });
  }
  if (!adminToken) {
    return deployed({ ...shown, problem: "ADMIN_TOKEN is not in the environment, so no project was looked for." });
  }
  step.begin("Address", base);
  if (!(await untilUp(base))) {
    return deployed({ ...shown, problem: "The address does not answer yet: a new name can take some minutes." });
  }
  step.done("Address", base, "answers");
  try {
    const isTokenNew = "ADMIN_TOKEN" in secrets;
    const project = await openFirstProject({ base, adminToken, isTokenNew, isSandbox: flags.isSandbox });
    return deployed({ ...shown, project });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return deployed({ ...shown, problem: `No first project: ${error.message}` });
  }
}

function operatorToken(secrets) {
  return adminTokenOf({ ADMIN_TOKEN: secrets.ADMIN_TOKEN || process.env.ADMIN_TOKEN || "" });
}

/** Returns the health in short; null without a token. The deploy is complete, so no failure here makes it fail. */
async function examine(installation, flags, secrets) {
  const base = addressOf(installation) || publicUrl(installation);
  const adminToken = operatorToken(secrets);
  // A new token may take some seconds to work, and only a terminal has waited for that.
  const isOpen = isShown(flags) || !("ADMIN_TOKEN" in secrets);
  if (!base || !adminToken || !isOpen) return null;
  try {
    return healthNews(await readHealth({ base, adminToken }));
  } catch (error) {
    return `  ${yellow("!")} ${wrapped(error.message, "    ")}\n`;
  }
}
