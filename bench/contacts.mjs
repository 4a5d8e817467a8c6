import { performance } from "node:perf_hooks";
import { call, newProject } from "./api.mjs";
import { fiveMegabytes, importFile } from "./import.mjs";
import { load, median } from "./load.mjs";
import { makeProjects } from "./projects.mjs";
import { compare, single } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const small = Number(process.env.BENCH_SMALL ?? 1_000);
const large = Number(process.env.BENCH_LARGE ?? 1_000_000);
const rounds = 40;

/**
 * Measures what grows with a project: each call in a small project next to the same call in a large one, in one
 * database.
 */
export async function benchContacts() {
  const bench = await openBenchState();
  let worker;
  try {
    const projects = await makeProjects(bench, ["small", "large"]);
    seed(bench.state, [
      { id: projects.small.id, contacts: small },
      { id: projects.large.id, contacts: large },
    ]);
    worker = await startBenchWorker("src/index.ts", bench);
    await benchLists(worker, projects);
    await benchTracking(worker, projects);
    await benchImport(worker, bench.adminToken);
  } finally {
    await worker?.stop();
    bench.remove();
  }
}

async function benchLists({ base }, projects) {
  const first = "/contacts?limit=100";
  const figures = {};
  for (const [size, project] of Object.entries(projects)) {
    const deep = `${first}&cursor=${await deepCursor(base, project, size === "small" ? 5 : 200)}`;
    figures[size] = {
      "first page of 100": await latency(base, project, first),
      "a page far down": await latency(base, project, deep),
      "by address": await latency(base, project, `${first}&sort=email`),
      "only the unsubscribed": await latency(base, project, `${first}&subscribed=false`),
      "search with hits": await latency(base, project, "/contacts?search=person99"),
      "search without": await latency(base, project, "/contacts?search=nobody"),
    };
  }
  const aim = "≤ 1.3";
  const aims = { "first page of 100": aim, "a page far down": aim, "by address": aim, "only the unsubscribed": aim };
  const names = { ours: count(large), bare: count(small) };
  compare({ title: "GET /contacts as a project grows", ours: figures.large, bare: figures.small, aims, names });
  const { "first page of 100": top, "a page far down": down } = figures.large;
  compare({
    title: `GET /contacts of ${count(large)}`,
    ours: { latency: down },
    bare: { latency: top },
    aims: { latency: aim },
    names: { ours: "far down", bare: "first" },
  });
}

async function deepCursor(base, project, pages) {
  let cursor = "";
  for (let page = 0; page < pages; page++) {
    ({ cursor } = await call(`${base}/contacts?limit=100&cursor=${cursor}`, project.secret));
  }
  return cursor;
}

async function latency(base, project, path) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await call(base + path, project.secret);
    times.push(performance.now() - startedAt);
  }
  return { value: median(times.sort((a, b) => a - b)), unit: "ms" };
}

async function benchTracking({ base }, projects) {
  const run = (project, connections, total) =>
    load({
      url: `${base}/v1/track`,
      headers: { Authorization: `Bearer ${project.public}` },
      connections,
      total,
      bodyOf: () => ({ email: `new${++tracked}@example.com`, event: "purchase", data: { plan: "pro" } }),
    });
  const results = { small: [], large: [] };
  for (let round = 0; round < 6; round++) {
    for (const [size, project] of Object.entries(projects)) {
      const { latencies } = await run(project, 1, 100);
      if (round > 0) results[size].push(median(latencies));
    }
  }
  const middle = (values) => ({ latency: { value: median(values.sort((a, b) => a - b)), unit: "ms" } });
  compare({
    title: "POST /v1/track of a new contact as a project grows",
    ours: middle(results.large),
    bare: middle(results.small),
    aims: { latency: "≤ 1.3" },
    names: { ours: count(large), bare: count(small) },
  });
}

let tracked = 0;

async function benchImport(worker, adminToken) {
  const { secret } = await newProject(worker, adminToken);
  const { csv, rows } = fiveMegabytes();
  const startedAt = performance.now();
  const job = await importFile(worker, secret, csv);
  const seconds = (performance.now() - startedAt) / 1000;
  if (job.imported !== rows) throw new Error(`The import ended with ${JSON.stringify(job)}`);
  const size = (csv.length / 1e6).toFixed(1);
  single(`Import of ${size} MB, ${count(rows)} rows, from upload to completed`, seconds, "s", "≤ 8");
}

function count(number) {
  return number.toLocaleString("en");
}
