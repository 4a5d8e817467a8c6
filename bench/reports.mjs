import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { fireCron } from "../scripts/lib/worker.mjs";
import { call, newProject } from "./api.mjs";
import { load } from "./load.mjs";
import { single, table } from "./report.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const reports = Number(process.env.BENCH_REPORTS ?? 10_000);
const recipientsPerCall = 500;
const connections = 16;
const hardBounceEvery = 50;
const longestMs = 2 * 60_000;
const secret = "bench-bench-bench";

/** Measures a provider that reports every email of a campaign at once, until the counters are final. */
export async function benchReports() {
  const bench = await openBenchState();
  const given = readEnvFile(bench.state.settings);
  const settings = {
    POSTMARK_SERVER_TOKEN: "bench",
    POSTMARK_WEBHOOK_USER: "bench",
    POSTMARK_WEBHOOK_PASSWORD: secret,
  };
  writeEnvFile(bench.state.settings, {
    ...given,
    ...settings,
    MAIL_PROVIDER: "outbox",
    RATE_LIMIT_API_PER_MINUTE: "1000000",
  });
  const worker = await startBenchWorker("bench/reported.ts", bench);
  try {
    const project = await newProject(worker, bench.adminToken);
    await call(`${worker.base}/domains`, project.secret, { domain: "bench.test" });
    await accept(worker, project.secret);
    await call(`${worker.base}/bench/campaign`);
    await untilCounted(worker, { sent: reports });
    report(await burst(worker, project.id, await call(`${worker.base}/bench/ids`)));
  } finally {
    await worker.stop();
    bench.remove();
  }
}

function accept({ base }, token) {
  let people = 0;
  return load({
    url: `${base}/v1/send`,
    headers: { Authorization: `Bearer ${token}` },
    connections: 1,
    total: Math.ceil(reports / recipientsPerCall),
    bodyOf: () => ({
      ...{ from: "hello@bench.test", subject: "News", body: "<p>News</p>", subscribed: true },
      to: Array.from({ length: recipientsPerCall }, () => `r${++people}@example.com`),
    }),
  });
}

async function burst(worker, projectId, ids) {
  const startedAt = performance.now();
  const { perSecond } = await load({
    url: `${worker.base}/hooks/postmark`,
    headers: { Authorization: `Basic ${btoa(`bench:${secret}`)}` },
    connections,
    total: ids.length,
    bodyOf: (n) => noticeOf(n, `${projectId}_${ids[n]}`),
  });
  const lastAt = performance.now();
  const bounced = Math.ceil(ids.length / hardBounceEvery);
  const rowsWritten = await untilCounted(worker, { bounced, delivered: ids.length - bounced });
  const now = performance.now();
  return { perSecond, rows: rowsWritten / ids.length, afterMs: now - lastAt, wholeMs: now - startedAt };
}

function noticeOf(n, tag) {
  const of = { MessageID: `bench-${n}`, ServerID: 23, MessageStream: "outbound", Metadata: { petrel: tag } };
  if (n % hardBounceEvery > 0) return { ...of, RecordType: "Delivery", Details: "250 OK" };
  return { ...of, RecordType: "Bounce", ID: n, Type: "HardBounce", Details: "smtp;550 5.1.1 user unknown" };
}

/** Waits until the counters are as expected and no page is marked. Returns the rows written meanwhile. */
async function untilCounted(worker, expected) {
  const deadline = Date.now() + longestMs;
  let cronAt = Date.now() + 60_000;
  let rows = 0;
  for (;;) {
    const { rowsWritten, ...counters } = await call(`${worker.base}/bench/counters`);
    rows += rowsWritten;
    const isThere = Object.entries(expected).every(([name, n]) => counters[name] === n);
    if (isThere && counters.marked === 0) return rows;
    if (Date.now() > deadline)
      throw new Error(`The counters do not come to ${JSON.stringify(expected)}: ${JSON.stringify(counters)}`);
    // Once a minute, as in production; the first time at once, because the fixture has no marked pages.
    if (counters.sent === null || Date.now() > cronAt) {
      await fireCron(worker, "* * * * *");
      cronAt = Date.now() + 60_000;
    }
    await sleep(100);
  }
}

function report({ perSecond, rows, afterMs, wholeMs }) {
  single(
    `Rows written per report, of ${reports.toLocaleString("en")} with 2 % hard bounces, counting included`,
    rows,
    "rows",
    "≤ 6",
  );
  table({
    title: `A burst of ${reports.toLocaleString("en")} reports of one campaign`,
    names: ["Petrel"],
    figures: [
      {
        "reports a second": { value: perSecond, unit: "/s" },
        "the counters stand, after the last report": { value: afterMs / 1000, unit: "s" },
        "and after the first one": { value: wholeMs / 1000, unit: "s" },
      },
    ],
  });
}
