import { apiOf } from "../lib/api.mjs";
import { Failure } from "../lib/failure.mjs";
import { endOfJob } from "../lib/job.mjs";
import { findOperator } from "../lib/operator.mjs";

const HELP = `
  npm run backup                       backs up every project
  npm run backup -- <project> ...      backs up these, by their ids
  npm run backup -- --deployed         the same for the deployed Petrel,
                                       with ADMIN_TOKEN in the environment

  The files are in the bucket of the installation: see docs/backups.md.
`;

/** `npm run backup`: backs up projects one after the other, and says what each backup has. */
export async function main(args) {
  if (args.includes("--help") || args.includes("-h")) return console.log(HELP);
  const ids = args.filter((arg) => arg !== "--deployed");
  if (ids.some((id) => id.startsWith("-"))) throw new Failure(`npm run backup takes ids of projects.${HELP}`);
  const { base, adminToken } = await findOperator(args.includes("--deployed"));
  const call = apiOf(base);
  const ask = (method, path, more) => call(method, path, { key: adminToken, ...more });
  let failed = 0;
  for (const id of ids.length > 0 ? ids : await projectsOf(ask)) if (!(await backUp(ask, id))) failed++;
  if (failed > 0) throw new Failure(`${failed} of the backups failed.`);
}

async function projectsOf(ask) {
  const ids = [];
  for (let cursor = ""; ; ) {
    const page = await ask("GET", `/admin/projects?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    ids.push(...page.data.map(({ id }) => id));
    if (!page.hasMore) return ids;
    cursor = page.cursor;
  }
}

async function backUp(ask, project) {
  const { jobId } = await ask("POST", `/admin/projects/${project}/backup`, { body: {} });
  const { status, result, errors } = await endOfJob(ask, jobId);
  if (status === "completed") {
    console.log(`  ${project}  ${result.rows} rows, ${result.bytes} bytes  ${result.backup}`);
    return true;
  }
  console.log(`  ${project}  failed: ${errors.map(({ reason }) => reason).join(" ")}`);
  return false;
}
