import { apiOf } from "../lib/api.mjs";
import { Failure } from "../lib/failure.mjs";
import { endOfJob } from "../lib/job.mjs";
import { findOperator } from "../lib/operator.mjs";

const HELP = `
  npm run restore -- <backup>               makes a new project of a backup, by its id
  npm run restore -- <folder>               the same of files in the bucket, such as
                                            backups/<project>/<time>
  npm run restore -- <backup> --as <name>   gives the new project a name
  npm run restore -- <backup> --deployed    the same for the deployed Petrel,
                                            with ADMIN_TOKEN in the environment

  The new project is disabled: see docs/backups.md.
`;

/** `npm run restore`: restores one backup, and says what the new project has other than the backup. */
export async function main(args) {
  if (args.includes("--help") || args.includes("-h")) return console.log(HELP);
  const { backup, as, isDeployed } = read(args);
  const { base, adminToken } = await findOperator(isDeployed);
  const call = apiOf(base);
  const ask = (method, path, more) => call(method, path, { key: adminToken, ...more });
  const { jobId, projectId, keys } = await ask("POST", "/admin/restore", { body: { backup, ...(as && { as }) } });
  console.log(`  project     ${projectId}\n  secret key  ${keys.secret}\n  public key  ${keys.public}`);
  const { status, result, errors } = await endOfJob(ask, jobId);
  if (status === "failed") throw new Failure(errors.map(({ reason }) => reason).join(" "));
  const changed = Object.entries(result.changed).filter(([, count]) => count > 0);
  console.log(`  restored    ${result.rows} rows, ${result.files} files`);
  if (changed.length > 0) console.log(`  changed     ${changed.map(([name, count]) => `${name} ${count}`).join(", ")}`);
  console.log(`
  Nothing is sent until the project is enabled: PATCH /admin/projects/${projectId} { "disabled": false }`);
}

function read(args) {
  const given = args.filter((arg) => arg !== "--deployed");
  const at = given.indexOf("--as");
  const [, as] = at < 0 ? [] : given.splice(at, 2);
  const [backup, ...more] = given;
  if (!backup || more.length > 0 || backup.startsWith("-") || (at >= 0 && !as)) {
    throw new Failure(`npm run restore takes one backup.${HELP}`);
  }
  return { backup, as, isDeployed: args.includes("--deployed") };
}
