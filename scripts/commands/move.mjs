import { apiOf } from "../lib/api.mjs";
import { Failure } from "../lib/failure.mjs";
import { endOfJob } from "../lib/job.mjs";
import { findOperator } from "../lib/operator.mjs";
import { readOptions } from "../lib/options.mjs";

const HELP = `
  npm run move -- <project> --to DB_01  moves a project to another database, and
                                        shows how far it is
  npm run move -- <project> --back      takes a move back that has not switched
  npm run move -s -- … --json           prints the end alone, as JSON
  npm run move -- … --deployed          the same for the deployed Petrel, with
                                        ADMIN_TOKEN in the environment

  The installation moves the project. This command only watches: after Ctrl-C the
  move goes on, and the same command watches it again. See docs/operating.md.
`;
const OPTIONS = {
  to: { type: "string" },
  back: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  deployed: { type: "boolean", default: false },
};
/** The current phase of a move, by the progress of its job in percent. */
const PHASES = [
  [5, "preparing"],
  [60, "copying"],
  [65, "copying what changed"],
  [90, "comparing"],
  [95, "copying what changed"],
  [100, "switching"],
];

/** `npm run move`: starts a move, or finds the running one, and follows it to its end. */
export async function main(args) {
  const { help, project: id, to, back, json, deployed } = read(args);
  if (help) return console.log(HELP);
  const { base, adminToken } = await findOperator(deployed);
  const call = apiOf(base);
  const ask = (method, path, more) => call(method, path, { key: adminToken, ...more });
  const say = json ? () => {} : (text) => console.log(`  ${text}`);
  const path = `/admin/projects/${encodeURIComponent(id)}`;
  const { database, moving } = await ask("GET", path);
  if (!back && moving === null && database === to) {
    say(`The project is in ${to} already.`);
    if (json) printJson({ project: id, database, jobId: null, status: "completed", result: null, reason: null });
    return 0;
  }
  const jobId = await jobOf({ ask, path, to, back, moving, database });
  process.once("SIGINT", () => leave({ id, to: moving?.to ?? to, back, deployed, say }));
  const job = await endOfJob(ask, jobId, ({ status, progress }) => say(stateOf(status, progress)));
  const end = await ask("GET", path);
  const reason = job.errors.map((error) => error.reason).join(" ") || null;
  const isDone = back ? end.database === database : job.status === "completed";
  if (json) {
    printJson({ project: id, database: end.database, jobId, status: job.status, result: job.result, reason });
  } else if (job.status === "completed") {
    const { rows, compared, refusedMs } = job.result;
    say(`${rows} rows copied, ${compared} compared, writes refused for ${refusedMs} ms.`);
    say(`The project is in ${end.database}. Its old rows go an hour from now.`);
    if (end.database !== database) say(`  ${commandOf(id, `--to ${database}`, deployed)}   moves it back`);
  } else {
    say(`${reason ?? "The move did not come to its end."} The project is in ${end.database}.`);
  }
  return isDone ? 0 : 1;
}

function read(args) {
  const { values, positionals } = readOptions(args, OPTIONS, HELP, { allowPositionals: true });
  const [project, ...more] = positionals;
  const isOne = (values.to !== undefined) !== values.back;
  if (!values.help && (!project || more.length > 0 || !isOne)) {
    throw new Failure(`npm run move takes one project by its id, and --to with a database or --back.\n${HELP}`);
  }
  return { ...values, project };
}

/** Returns the job of the move: the running one, a new one, or the one that is taken back. */
async function jobOf({ ask, path, to, back, moving, database }) {
  if (back) return (await ask("DELETE", `${path}/move`)).jobId;
  if (moving === null) return (await ask("POST", `${path}/move`, { body: { database: to } })).jobId;
  if (moving.to === to) return moving.jobId;
  throw new Failure(
    `The project moves to ${moving.to} at the moment. Wait for its end with --to ${moving.to}, or take it back with --back: it stays in ${database} then.`,
  );
}

function stateOf(status, progress) {
  if (status === "failed") return "ended";
  const [, phase] = PHASES.find(([until]) => progress < until) ?? [100, "moved"];
  return `${String(Math.round(progress)).padStart(3)} %  ${phase}`;
}

function leave({ id, to, back, deployed, say }) {
  say("");
  say(`The ${back ? "way back" : "move"} goes on without this command.`);
  if (!back) {
    say(`  ${commandOf(id, `--to ${to}`, deployed)}   watches it again`);
    say(`  ${commandOf(id, "--back", deployed)}   takes it back, until it has switched`);
  }
  process.exit(130);
}

function commandOf(id, what, deployed) {
  return `npm run move -- ${id} ${what}${deployed ? " --deployed" : ""}`;
}

function printJson(end) {
  console.log(JSON.stringify(end, null, 2));
}
