import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { dim } from "../scripts/lib/screen.mjs";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { fireCron } from "../scripts/lib/worker.mjs";
import { call } from "./api.mjs";
import { longestRefusal, startLoad } from "./move-load.mjs";
import { makeProjects } from "./projects.mjs";
import { startProvider } from "./provider.mjs";
import { single, table } from "./report.mjs";
import { openDatabase, seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";
import { newWorkflow } from "./workflows.mjs";

const people = Number(process.env.BENCH_PEOPLE ?? 200_000);
const beforeMs = 20_000;
const afterMs = 10_000;
const pollMs = 250;
const minuteMs = 60_000;
const quietWithinMs = 10 * minuteMs;

/**
 * Moves a project to another database while campaigns are sent, executions wait and wake up, and its back end tracks,
 * sends and writes contacts all the time. Afterwards, each write that was answered with success must exist, and each
 * email must have been sent once.
 */
export async function benchMove() {
  const arrived = new Map();
  const provider = await startProvider({
    onMails(mails) {
      for (const { To } of mails) arrived.set(To, (arrived.get(To) ?? 0) + 1);
    },
  });
  const bench = await openBenchState({ databases: 2 });
  const { settings } = bench.state;
  const given = { ...readEnvFile(settings), ...provider.settings, LINK_SECRETS: randomHex() };
  try {
    writeEnvFile(settings, { ...given, MAIL_PROVIDER: "outbox" });
    const projects = await seededProjects(bench);
    writeEnvFile(settings, { ...given, MAIL_PROVIDER: "postmark" });
    const worker = await startBenchWorker("src/index.ts", bench, { deliversMail: true });
    let run;
    try {
      run = await measure(worker, projects, arrived);
    } finally {
      await worker.stop();
    }
    report(run);
    compareRows(bench.state, projects, run, arrived);
  } finally {
    bench.remove();
    provider.close();
  }
}

/** Makes the project that moves, and a neighbour in each of the two databases. */
async function seededProjects(bench) {
  const made = await makeProjects(bench, ["one", "two", "three"], async (post, name) => {
    await post("/domains", { domain: `${name}.test` });
    return { from: `hello@${name}.test` };
  });
  const control = openDatabase(bench.state, "DB");
  const placed = Object.values(made).map((project) => ({
    ...project,
    ...control.prepare("SELECT number, shard FROM projects WHERE id = ?").get(project.id),
  }));
  control.close();
  const [together, [far]] = [...Map.groupBy(placed, ({ shard }) => shard).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  const [own, near] = together;
  seed(bench.state, [
    { id: own.id, contacts: people, events: people },
    { id: near.id, contacts: 1_000 },
    { id: far.id, contacts: 1_000 },
  ]);
  return { own, neighbours: { near, far } };
}

async function measure(worker, { own, neighbours }, arrived) {
  const { adminToken, base } = worker;
  const cron = setInterval(() => fireCron(worker, "* * * * *"), minuteMs);
  await newWorkflow(worker, own, { triggerType: "EVENT", triggerConfig: { eventName: "joined" } }, [
    { type: "DELAY", config: { amount: 1, unit: "minutes" } },
    { type: "SEND_EMAIL", config: {}, templateId: await newTemplate(worker, own) },
    { type: "DELAY", config: { amount: 1, unit: "days" } },
  ]);
  const load = startLoad(worker, { own, neighbours });
  const at = { begun: performance.now() };
  await sleep(beforeMs);
  at.moved = performance.now();
  const { jobId } = await call(`${base}/admin/projects/${own.id}/move`, adminToken, { database: neighbours.far.shard });
  const { job, phases } = await endOf(worker, jobId);
  at.ended = performance.now();
  await sleep(afterMs);
  await load.stop();
  console.log(dim(`  The load is over; ${arrived.size} emails have gone out so far`));
  await untilQuiet(worker, own, load, arrived);
  clearInterval(cron);
  return { load, at, job, phases };
}

async function newTemplate({ base }, { secret, from }) {
  const template = { name: "Joined", subject: "Joined", body: "<p>Hello</p>", from, type: "TRANSACTIONAL" };
  return (await call(`${base}/templates`, secret, template)).id;
}

/** Returns the ended job, and when its progress changed. */
async function endOf({ base, adminToken }, jobId) {
  const phases = [];
  const startedAt = performance.now();
  for (; ; await sleep(pollMs)) {
    const job = await call(`${base}/admin/jobs/${jobId}`, adminToken).catch(() => null);
    // The move does not depend on being watched.
    if (job === null) continue;
    if (job.progress !== phases.at(-1)?.progress) {
      const seconds = (performance.now() - startedAt) / 1_000;
      phases.push({ progress: job.progress, seconds });
      console.log(dim(`  ${job.progress} % after ${seconds.toFixed(1)} s`));
    }
    if (job.status !== "queued" && job.status !== "processing") return { job, phases };
  }
}

/** Waits until all accepted mail has been sent. */
async function untilQuiet({ base }, { secret }, { accepted, campaigns }, arrived) {
  for (const startedAt = performance.now(); performance.now() - startedAt < quietWithinMs; await sleep(1_000)) {
    const sent = await Promise.all(campaigns.map((id) => call(`${base}/campaigns/${id}`, secret)));
    const recipients = sent.reduce((sum, { totalRecipients }) => sum + totalRecipients, 0);
    const owed = accepted.send.length + accepted.join.length + recipients;
    if (sent.every(({ status }) => status === "SENT") && arrived.size >= owed) return;
  }
  console.log(dim("  Not all mail has gone out in time"));
}

function report({ load, at, job, phases }) {
  if (job.status !== "completed") throw new Error(`The move has ${job.status}: ${JSON.stringify(job.errors)}`);
  const { result } = job;
  const seconds = (at.ended - at.moved) / 1_000;
  const reached = (progress) => (phases.find((phase) => phase.progress >= progress) ?? phases.at(-1)).seconds;
  const refusal = longestRefusal(load.writes);
  const spans = { before: [at.begun, at.moved], "while it moves": [at.moved, at.ended] };
  const names = { own: "its own reads", near: "neighbour in the old database", far: "neighbour in the new database" };
  table({
    title: `Calls while a project of ${people.toLocaleString("en")} people and as many events moves`,
    names: Object.keys(spans),
    figures: Object.values(spans).map(([from, to]) =>
      Object.fromEntries(
        Object.entries(names).flatMap(([name, title]) =>
          [0.5, 0.95].map((part) => [
            `${title}, p${part * 100}`,
            { value: percentile(load.between(name, from, to), part), unit: "ms" },
          ]),
        ),
      ),
    ),
  });
  single("Rows copied a second", result.rows / (reached(61) - reached(5)), "rows", "≥ 2000");
  single("The move, whole", seconds, "s", `≤ ${Math.round(60 + people / 1_000)}`);
  single("Writes refused, as the job says it", result.refusedMs, "ms", "≤ 2000");
  single(`Writes refused, as ${refusal.calls} callers saw it, at most`, refusal.ms, "ms", "≤ 2000");
  console.log(
    dim(
      `  ${result.rows} rows copied, ${result.compared} compared; ${load.writes.length} writes, refused ${refusal.times} times`,
    ),
  );
}

function percentile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Counts in the databases after the Worker has stopped. Throws if anything is missing or duplicated. */
function compareRows(state, { own, neighbours }, { load }, arrived) {
  const database = openDatabase(state, neighbours.far.shard);
  const count = (sql) => Object.values(database.prepare(sql).get(own.number))[0];
  const events = (name) => `FROM events WHERE project_id = ? AND name = '${name}'`;
  const contacts = "SELECT count(*) FROM contacts WHERE project_id = ? AND email LIKE";
  const { accepted, faults } = load;
  const recipients = count(`SELECT count(*) FROM emails WHERE project_id = ? AND campaign_id IS NOT NULL`);
  const mails = [
    ...accepted.send.map((n) => `send${n}@end.example`),
    ...accepted.join.map((n) => `join${n}@end.example`),
  ];
  const pairs = {
    "people of before": [count(`${contacts} 'person%'`), people],
    "events of before": [
      count(`SELECT count(*) ${events("purchase")} OR project_id = ${own.number} AND name IN ('login', 'page_view')`),
      people,
    ],
    "events tracked": [count(`SELECT count(DISTINCT data->>'n') ${events("load")}`), accepted.track.length],
    "events tracked, all": [count(`SELECT count(*) ${events("load")}`), accepted.track.length],
    "contacts written": [count(`${contacts} 'written%' AND data->>'written' IS NOT NULL`), accepted.contact.length],
    executions: [count("SELECT count(*) FROM workflow_executions WHERE project_id = ?"), accepted.join.length],
    "emails of calls and executions": [mails.filter((to) => arrived.get(to) === 1).length, mails.length],
    "emails of campaigns": [[...arrived.keys()].filter((to) => to.startsWith("person")).length, recipients],
    "emails recorded as sent or unknown": [
      count("SELECT count(*) FROM emails WHERE project_id = ? AND status IN ('SENT', 'UNKNOWN')"),
      arrived.size,
    ],
    "emails that went out twice": [[...arrived.values()].filter((times) => times > 1).length, 0],
    "calls with another answer than 503": [faults.length, 0],
  };
  database.close();
  table({
    title: `What is there, beside what was answered with success (${load.campaigns.length} campaigns)`,
    names: ["there", "answered"],
    figures: [0, 1].map((place) =>
      Object.fromEntries(Object.entries(pairs).map(([name, values]) => [name, { value: values[place], unit: "" }])),
    ),
  });
  for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`);
  const wrong = Object.entries(pairs).filter(([, [there, answered]]) => there !== answered);
  if (wrong.length > 0) throw new Error(`Not the same: ${wrong.map(([name]) => name).join(", ")}`);
}
