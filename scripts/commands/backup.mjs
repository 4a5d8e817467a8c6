import { apiOf } from "../lib/api.mjs";
import { downloadBackup, makeFolder } from "../lib/backup/download.mjs";
import { Failure } from "../lib/failure.mjs";
import { endOfJob } from "../lib/job.mjs";
import { findOperator } from "../lib/operator.mjs";
import { readOptions } from "../lib/options.mjs";
import { progress } from "../lib/screen.mjs";

const HELP = `
  npm run backup                       backs up every project
  npm run backup -- <project> ...      backs up these, by their ids
  npm run backup -- --to <folder>      also downloads each backup, as one file
  npm run backup -s -- --json          prints the end alone, as JSON
  npm run backup -- --deployed         the same for the deployed Petrel,
                                       with ADMIN_TOKEN in the environment

  Without --to, the files are only in the bucket of the installation: see
  docs/backups.md.
`;
const OPTIONS = {
  to: { type: "string" },
  json: { type: "boolean", default: false },
  deployed: { type: "boolean", default: false },
};

/** `npm run backup`: backs up projects one after another, and prints what each backup contains. */
export async function main(args) {
  const { values, positionals } = readOptions(args, OPTIONS, HELP, { allowPositionals: true });
  if (values.help) return console.log(HELP);
  const { base, adminToken } = await findOperator(values.deployed);
  const call = apiOf(base);
  const ask = (method, path, more) => call(method, path, { key: adminToken, ...more });
  if (values.to !== undefined) await makeFolder(values.to);
  const made = [];
  for (const id of positionals.length > 0 ? positionals : await projectsOf(ask)) {
    const line = values.json ? { at: () => {}, end: () => {} } : progress(id);
    const backup = await backUp({ ask, project: id, folder: values.to, line });
    line.end(sayingOf(backup));
    made.push(backup);
  }
  if (values.json) console.log(JSON.stringify({ backups: made }, null, 2));
  const failed = made.filter(({ reason }) => reason !== null).length;
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

/** A project that cannot be backed up does not stop the others. */
async function backUp({ ask, project, folder, line }) {
  const made = { project, backup: null, rows: null, bytes: null, file: null, reason: null };
  try {
    const { jobId } = await ask("POST", `/admin/projects/${encodeURIComponent(project)}/backup`, { body: {} });
    const share = folder === undefined ? 1 : 0.5;
    const job = await endOfJob(ask, jobId, ({ progress }) => line.at((share * progress) / 100));
    if (job.status === "failed") throw new Failure(job.errors.map(({ reason }) => reason).join(" "));
    Object.assign(made, job.result);
    if (folder === undefined) return made;
    const changed = (part) => line.at(share + (1 - share) * part);
    return { ...made, file: await downloadBackup({ ask, backup: made.backup, folder, changed }) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...made, reason: error.message };
  }
}

function sayingOf({ backup, rows, bytes, file, reason }) {
  return reason === null ? `${rows} rows, ${bytes} bytes  ${file ?? backup}` : `failed: ${reason}`;
}
