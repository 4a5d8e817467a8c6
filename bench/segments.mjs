import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "./api.mjs";
import { median } from "./load.mjs";
import { makeProjects } from "./projects.mjs";
import { single, table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const large = Number(process.env.BENCH_LARGE ?? 1_000_000);
const sizes = [large / 100, large / 10, large];
const eventsPerContact = 5;

const seats = { field: "data.seats", operator: "greaterThan", value: 49 };

/** Two data filters and a time window, one of them nested: one contact in 24. */
const condition = {
  logic: "AND",
  groups: [
    {
      filters: [
        { field: "data.plan", operator: "equals", value: "pro" },
        { field: "purchase", operator: "triggeredWithin", value: 30, unit: "days" },
      ],
      conditions: { logic: "OR", groups: [{ filters: [seats] }] },
    },
  ],
};

/** Measures segments as a project grows. All other requests have to wait for the time of a statement. */
export async function benchSegments() {
  const bench = await openBenchState();
  let worker;
  try {
    const projects = Object.values(await makeProjects(bench, Object.keys(sizes)));
    seed(
      bench.state,
      projects.map(({ id }, index) => ({ id, contacts: sizes[index], events: sizes[index] * eventsPerContact })),
    );
    worker = await startBenchWorker("bench/timed.ts", bench);
    const figures = [];
    for (const project of projects) figures.push(await benchProject(worker, project));
    report(figures);
  } finally {
    await worker?.stop();
    bench.remove();
  }
}

async function benchProject({ base }, { secret }) {
  const { id } = await call(`${base}/segments`, secret, { name: "Active", condition, trackMembership: true });
  const change = (filter) => {
    const changed = structuredClone(condition);
    Object.assign(changed.groups[0], filter);
    return call(`${base}/segments/${id}`, secret, { condition: changed }, "PATCH");
  };
  const refresh = () => call(`${base}/segments/${id}/refresh`, secret, {});
  // Runs once, so that everything is in memory.
  await refresh();
  await longest(base);
  const preview = await timed(() => call(`${base}/segments/preview`, secret, { condition }));
  const { batchMs: previewBatchMs } = await longest(base);
  const pages = [];
  for (let n = 0; n < 20; n++)
    pages.push(await timed(() => call(`${base}/segments/${id}/contacts?pageSize=100`, secret)));
  const figures = {
    "first page of 100": median(pages.sort((a, b) => a - b)),
    preview,
    "longest batch of a preview": previewBatchMs,
    count: await timed(refresh),
    "membership, all of it new": await timed(() => compute(base, secret, id)),
    "membership, nothing changed": await timed(() => compute(base, secret, id)),
  };
  await change({ conditions: { logic: "OR", groups: [{ filters: [{ ...seats, value: 54 }] }] } });
  figures["membership, a tenth leaves"] = await timed(() => compute(base, secret, id));
  const beside = await waitWhile(base, secret, refresh);
  const { statementMs, batchMs } = await longest(base);
  // The previous members leave, and a tenth of all contacts enters.
  await change({ filters: [{ ...seats, operator: "lessThan", value: 10 }], conditions: null });
  figures["membership, a tenth of all comes"] = await timed(() => compute(base, secret, id));
  const { statementMs: longestMs } = await longest(base);
  Object.assign(figures, {
    "longest statement": statementMs,
    "longest batch": batchMs,
    "longest, while a tenth of all comes": longestMs,
    "a read beside a count, at worst": beside,
  });
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, { value, unit: "ms" }]));
}

/** Returns what kept the database busy for longest since the last question. */
function longest(base) {
  return call(`${base}/bench/longest`);
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

/** Returns the longest time of a small read while other work runs. */
async function waitWhile(base, secret, work) {
  let isDone = false;
  let longestMs = 0;
  const watch = (async () => {
    while (!isDone) longestMs = Math.max(longestMs, await timed(() => call(`${base}/contacts?limit=1`, secret)));
  })();
  await work();
  isDone = true;
  await watch;
  return longestMs;
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
  single(title("Membership, a tenth leaves"), last["membership, a tenth leaves"].value / 1000, "s", "≤ 6");
  single(title("Longest statement"), last["longest statement"].value, "ms", "≤ 60");
}
