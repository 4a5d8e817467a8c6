import { performance } from "node:perf_hooks";
import { call } from "./api.mjs";
import { median } from "./load.mjs";
import { makeProjects } from "./projects.mjs";
import { table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const large = Number(process.env.BENCH_EVENTS ?? 5_000_000);
const sizes = [10_000, large / 5, large];
const times = 15;

/** Half of the events are mail, one in 10,000 is a bounce, and a person has ten of them. */
const name = `CASE WHEN n % 10000 = 7 THEN 'email.bounced' WHEN n % 2 THEN 'page_view'
  WHEN n % 10 = 0 THEN 'email.opened' ELSE 'email.sent' END`;

const titles = {
  answer: "median of an answer",
  "longest statement": "its longest statement, median",
  "rows read": "rows of the statement that reads most",
};

/** Measures the feed and its figures as the log grows. All other requests have to wait for the time of a statement. */
export async function benchActivity() {
  const bench = await openBenchState();
  let worker;
  try {
    const projects = Object.values(await makeProjects(bench, Object.keys(sizes)));
    seed(
      bench.state,
      projects.map(({ id }, index) => ({ id, contacts: sizes[index] / 10, events: sizes[index], name })),
    );
    worker = await startBenchWorker("bench/timed.ts", bench);
    const figures = [];
    for (const { secret } of projects) figures.push(await benchProject(worker.base, secret));
    const names = sizes.map((size) => `${size.toLocaleString("en")}`);
    for (const measure of ["answer", "longest statement", "rows read"]) {
      const column = (project) => Object.entries(project).map(([title, of]) => [title, of[measure]]);
      table({
        title: `Activity of a project with so many events: ${titles[measure]}`,
        names,
        figures: figures.map((project) => Object.fromEntries(column(project))),
      });
    }
  } finally {
    await worker?.stop();
    bench.remove();
  }
}

async function benchProject(base, secret) {
  const { data } = await call(`${base}/contacts?limit=1`, secret);
  const contactId = data[0].id;
  const daysAgo = (days) => new Date(Date.now() - days * 86_400_000).toISOString();
  const asked = {
    "for comparison: 20 contacts": "/contacts",
    "feed, first page of 20": "/activity",
    "feed, a common type": "/activity?types=email.sent",
    "feed, what callers tracked": "/activity?types=event.triggered",
    "feed, a rare type": "/activity?types=email.bounced",
    "feed, a type that there is not": "/activity?types=email.complained",
    "feed, of a contact": `/activity?contactId=${contactId}`,
    "feed, types of a contact": `/activity?contactId=${contactId}&types=email.sent,email.opened`,
    "feed, the last 30 days": `/activity?startDate=${daysAgo(30).slice(0, 10)}`,
    "stats, 30 days": "/activity/stats",
    "stats, 90 days, whole": `/activity/stats?startDate=${daysAgo(89).slice(0, 10)}`,
    "stats, 90 days, from an hour on": `/activity/stats?startDate=${daysAgo(89)}`,
    upcoming: "/activity/upcoming",
  };
  const figures = {};
  for (const [title, path] of Object.entries(asked)) figures[title] = await measure(base, secret, path);
  return figures;
}

async function measure(base, secret, path) {
  const answers = [];
  const statements = [];
  let rowsRead = 0;
  for (let n = 0; n < times; n++) {
    await call(`${base}/bench/longest`);
    const startedAt = performance.now();
    await call(`${base}${path}`, secret);
    answers.push(performance.now() - startedAt);
    const longest = await call(`${base}/bench/longest`);
    statements.push(longest.statementMs);
    rowsRead = longest.rowsRead;
  }
  const middle = (values) => median(values.sort((a, b) => a - b));
  return {
    answer: { value: middle(answers), unit: "ms" },
    "longest statement": { value: middle(statements), unit: "ms" },
    "rows read": { value: rowsRead, unit: "rows" },
  };
}
