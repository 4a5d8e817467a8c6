import { apiOf } from "../lib/api.mjs";
import { uploadBackup } from "../lib/backup/upload.mjs";
import { Failure } from "../lib/failure.mjs";
import { endOfJob } from "../lib/job.mjs";
import { findOperator } from "../lib/operator.mjs";
import { readOptions } from "../lib/options.mjs";
import { progress } from "../lib/screen.mjs";

const HELP = `
  npm run restore -- <backup>               makes a new project of a backup, by its id
  npm run restore -- <folder>               the same of files in the bucket, such as
                                            backups/<project>/<time>
  npm run restore -- --from <file>          the same of a file that npm run backup
                                            -- --to has made, here or elsewhere
  npm run restore -- <backup> --as <name>   gives the new project a name
  npm run restore -s -- <backup> --json     prints the end alone, as JSON
  npm run restore -- <backup> --deployed    the same for the deployed Petrel,
                                            with ADMIN_TOKEN in the environment

  The new project is disabled: see docs/backups.md.
`;
const OPTIONS = {
  from: { type: "string" },
  as: { type: "string" },
  json: { type: "boolean", default: false },
  deployed: { type: "boolean", default: false },
};

/** `npm run restore`: restores one backup, and prints how the new project differs from it. */
export async function main(args) {
  const { help, backup, from, as, json, deployed } = read(args);
  if (help) return console.log(HELP);
  const { base, adminToken } = await findOperator(deployed);
  const call = apiOf(base);
  const ask = (method, path, more) => call(method, path, { key: adminToken, ...more });
  const say = json ? () => {} : (text) => console.log(text);
  const named = backup ?? (await upload({ ask, path: from, json }));
  const { jobId, projectId, keys } = await ask("POST", "/admin/restore", {
    body: { backup: named, ...(as && { as }) },
  });
  say(`  project     ${projectId}\n  secret key  ${keys.secret}\n  public key  ${keys.public}`);
  const { status, result, errors } = await endOfJob(ask, jobId);
  const reason = errors.map((error) => error.reason).join(" ") || null;
  if (json) console.log(JSON.stringify({ project: projectId, keys, jobId, status, result, reason }, null, 2));
  if (status === "failed") throw new Failure(reason);
  const changed = Object.entries(result.changed).filter(([, count]) => count > 0);
  say(`  restored    ${result.rows} rows, ${result.files} files`);
  if (changed.length > 0) say(`  changed     ${changed.map(([name, count]) => `${name} ${count}`).join(", ")}`);
  say(`
  Nothing is sent until the project is enabled: PATCH /admin/projects/${projectId} { "disabled": false }`);
}

async function upload({ ask, path, json }) {
  if (json) return uploadBackup({ ask, path, changed: () => {} });
  const line = progress("uploaded  ");
  const id = await uploadBackup({ ask, path, changed: line.at });
  line.end(id);
  return id;
}

function read(args) {
  const { values, positionals } = readOptions(args, OPTIONS, HELP, { allowPositionals: true });
  const [backup, ...more] = positionals;
  const isOne = (backup !== undefined) !== (values.from !== undefined) && more.length === 0;
  if (!values.help && !isOne) throw new Failure(`npm run restore takes one backup, or --from with one file.${HELP}`);
  return { ...values, backup };
}
