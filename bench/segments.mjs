import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { call, newProject } from "./api.mjs";
import { median } from "./load.mjs";
import { single, table } from "./report.mjs";
import { openDatabase, seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const large = Number(process.env.BENCH_LARGE ?? 1_000_000);
const sizes = [large / 100, large / 10, large];
const eventsPerContact = 5;

/** Two data filters and a time window, one of them nested: about one contact in 25. */
const condition = {
  logic: "AND",
  groups: [
    {
      filters: [
        { field: "data.plan", operator: "equals", value: "pro" },
        { field: "purchase", operator: "triggeredWithin", value: 30, unit: "days" },
      ],
      conditions: { logic: "OR", groups: [{ filters: [{ field: "data.seats", operator: "greaterThan", value: 49 }] }] },
    },
  ],
};

/** Segments as a project grows. What else waits meanwhile shows how long the longest statement is. */
export async function benchSegments() {
  const bench = await openBenchState();
  let worker;
  try {
    const projects = await makeProjects(bench);
    const database = openDatabase(bench.state);
    for (const [index, project] of projects.entries()) {
      const contacts = sizes[index];
      seed(database, project.id, { contacts, events: contacts * eventsPerContact });
    }
    database.close();
    worker = await startBenchWorker("src/index.ts", bench);
    const figures = [];
    for (const project of projects) figures.push(await benchProject(worker, project));
    report(figures);
  } finally {
    await worker?.stop();
    bench.remove();
  }
}

async function makeProjects(bench) {
  const worker = await startBenchWorker("src/index.ts", bench);
  try {
    const projects = [];
    for (const _ of sizes) projects.push(await newProject(worker, bench.adminToken));
    return projects;
  } finally {
    await worker.stop();
  }
}

async function benchProject({ base }, { secret }) {
  const { id } = await call(`${base}/segments`, secret, { name: "Active", condition, trackMembership: true });
  const pages = [];
  for (let n = 0; n < 20; n++)
    pages.push(await timed(() => call(`${base}/segments/${id}/contacts?pageSize=100`, secret)));
  const counted = await whileWatched(base, secret, () => call(`${base}/segments/${id}/refresh`, secret, {}));
  const filled = await whileWatched(base, secret, () => compute(base, secret, id));
  // A tenth of the plan's people leave, and others come.
  const change = structuredClone(condition);
  change.groups[0].conditions.groups[0].filters[0].value = 54;
  await call(`${base}/segments/${id}`, secret, { condition: change }, "PATCH");
  const changed = await whileWatched(base, secret, () => compute(base, secret, id));
  return {
    "first page of 100": { value: median(pages.sort((a, b) => a - b)), unit: "ms" },
    count: { value: counted.ms, unit: "ms" },
    "membership, all of it new": { value: filled.ms, unit: "ms" },
    "membership, a tenth changed": { value: changed.ms, unit: "ms" },
    "longest wait of others": { value: Math.max(counted.longest, changed.longest), unit: "ms" },
  };
}

async function compute(base, secret, id) {
  const answer = await call(`${base}/segments/${id}/compute`, secret, {});
  if (!answer.jobId) return;
  let job;
  do {
    await sleep(25);
    job = await call(`${base}/jobs/${answer.jobId}`, secret);
  } while (job.status === "queued" || job.status === "processing");
  if (job.status !== "completed") throw new Error(`The computation ended with ${JSON.stringify(job)}`);
}

/** How long the work takes, and the longest that a small read had to wait beside it. */
async function whileWatched(base, secret, work) {
  let isDone = false;
  let longest = 0;
  const watch = (async () => {
    while (!isDone) longest = Math.max(longest, await timed(() => call(`${base}/contacts?limit=1`, secret)));
  })();
  const ms = await timed(work);
  isDone = true;
  await watch;
  return { ms, longest };
}

async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function report(figures) {
  const names = sizes.map((size) => size.toLocaleString("en"));
  table({
    title: `Segments of a project with so many contacts, and ${eventsPerContact} events of each`,
    names,
    figures,
  });
  const last = figures.at(-1);
  const title = (name) => `${name}, of ${names.at(-1)} contacts`;
  single(title("First page"), last["first page of 100"].value, "ms", "≤ 50");
  single(title("Count"), last.count.value / 1000, "s", "≤ 2");
  single(title("Membership, a tenth changed"), last["membership, a tenth changed"].value / 1000, "s", "≤ 6");
  single(title("Longest wait of others"), last["longest wait of others"].value, "ms", "≤ 60");
}
