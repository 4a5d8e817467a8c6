import { createServer } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { fireCron } from "../scripts/lib/worker.mjs";
import { call, newProject } from "./api.mjs";
import { load } from "./load.mjs";
import { single, table } from "./report.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const deliveries = Number(process.env.BENCH_DELIVERIES ?? 1_000);
const endpoints = 20;
const answerMs = 50;
const longestMs = 10 * 60_000;

/**
 * Measures deliveries to endpoints that answer in 50 ms, without and with one more that never answers. First each
 * endpoint is in its own project, then all are in one. The local queue has a single consumer.
 */
export async function benchWebhooks() {
  const receiver = await openReceiver();
  const bench = await openBenchState();
  const { settings } = bench.state;
  writeEnvFile(settings, {
    ...readEnvFile(settings),
    WEBHOOK_SECRETS: randomHex(),
    OUTBOUND_ALLOW_LOOPBACK: receiver.place,
    RATE_LIMIT_API_PER_MINUTE: "1000000",
  });
  const worker = await startBenchWorker("bench/called.ts", bench);
  const project = () => newProject(worker, bench.adminToken);
  try {
    const apart = [];
    for (let n = 0; n <= endpoints; n++) apart.push(await project());
    await compareRuns(worker, receiver, { title: "each endpoint in a project of its own", projects: apart });
    const together = Array(endpoints).fill(await project());
    await compareRuns(worker, receiver, { title: "all endpoints in one project", projects: together });
  } finally {
    await worker.stop();
    receiver.close();
    bench.remove();
  }
}

/** The endpoint of the last project never answers. */
async function compareRuns(worker, receiver, { title, projects }) {
  const healthy = projects.slice(0, -1);
  receiver.forget();
  for (const { secret } of healthy) await listen(worker, secret, receiver.newUrl());
  const without = await run(worker, receiver, healthy);
  const { secret } = projects.at(-1);
  const { id } = await listen(worker, secret, receiver.hangingUrl);
  const beside = await run(worker, receiver, projects);
  await fetch(`${worker.base}/webhooks/${id}`, { method: "DELETE", headers: { Authorization: `Bearer ${secret}` } });
  const row = (of) => ({
    "deliveries a second": { value: of.perSecond, unit: "/s" },
    "longest wait of an endpoint": { value: of.longestWaitMs, unit: "ms" },
    "last delivery, after": { value: of.wholeMs, unit: "ms" },
    "calls in flight, at most": { value: of.most, unit: "" },
    "of one endpoint, at most": { value: of.mostOfOne, unit: "" },
    "calls of the one that hangs": { value: of.hanging, unit: "" },
  });
  table({
    title: `${without.answered.toLocaleString("en")} deliveries, ${title}`,
    names: ["alone", "beside one"],
    figures: [row(without), row(beside)],
  });
  single(
    "Longest wait of an endpoint beside one that hangs",
    beside.longestWaitMs / without.longestWaitMs,
    "of the same without it",
    "≤ 1.5",
  );
}

function listen({ base }, secret, url) {
  return call(`${base}/webhooks`, secret, { url, events: ["bench"] });
}

/** Measures what the endpoints received, from the first delivery until those that answer have all of theirs. */
async function run(worker, receiver, projects) {
  const secrets = [...new Set(projects.map(({ secret }) => secret))];
  const events = Math.ceil(deliveries / endpoints);
  await call(`${worker.base}/bench/hold`);
  const { pending: before } = await call(`${worker.base}/bench/pending`);
  const tracked = secrets.map((secret) =>
    load({
      url: `${worker.base}/events/track`,
      headers: { Authorization: `Bearer ${secret}` },
      connections: 1,
      total: events,
      bodyOf: () => ({ event: "bench", email: "ada@example.com" }),
    }),
  );
  await Promise.all(tracked);
  const expected = events * projects.length;
  await until(`${expected} deliveries`, async () => {
    const { pending } = await call(`${worker.base}/bench/pending`);
    return pending - before === expected;
  });
  await call(`${worker.base}/bench/release`);
  receiver.begin();
  // Once a minute, as in production. The first time at once, because what is due was held.
  let cronAt = 0;
  await until("an answer to each", async () => {
    if (Date.now() >= cronAt) {
      await fireCron(worker, "* * * * *");
      cronAt = Date.now() + 60_000;
    }
    return receiver.isEachCalled(events);
  });
  return receiver.seen();
}

async function until(what, isSo) {
  const deadline = Date.now() + longestMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`${what}: not there after ${longestMs / 1000} seconds.`);
    await sleep(100);
  }
}

/** Starts endpoints on this machine, one for each path. A path under `/hangs` only reads the call. */
async function openReceiver() {
  const calls = { now: 0, most: 0, mostOfOne: 0, hanging: 0 };
  const byPath = new Map();
  let beganAt = 0;
  const server = createServer((request, response) => {
    request.resume();
    const at = performance.now();
    const one = byPath.get(request.url);
    calls.most = Math.max(calls.most, ++calls.now);
    response.on("close", () => calls.now--);
    if (!one) {
      calls.hanging++;
      return;
    }
    calls.mostOfOne = Math.max(calls.mostOfOne, ++one.now);
    one.longestWaitMs = Math.max(one.longestWaitMs, at - one.lastAt);
    setTimeout(() => {
      one.now--;
      one.answered++;
      one.lastAt = performance.now();
      response.end("ok");
    }, answerMs);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const place = `127.0.0.1:${server.address().port}`;
  const all = () => [...byPath.values()];
  return {
    place,
    hangingUrl: `http://${place}/hangs`,
    /** Returns the URL of a new endpoint that answers. */
    newUrl() {
      const path = `/${byPath.size}`;
      byPath.set(path, {});
      return `http://${place}${path}`;
    },
    forget: () => byPath.clear(),
    begin() {
      beganAt = performance.now();
      Object.assign(calls, { most: 0, mostOfOne: 0, hanging: 0 });
      for (const one of all()) Object.assign(one, { now: 0, answered: 0, longestWaitMs: 0, lastAt: beganAt });
    },
    isEachCalled: (times) => all().every(({ answered }) => answered >= times),
    seen() {
      const wholeMs = Math.max(...all().map(({ lastAt }) => lastAt)) - beganAt;
      const answered = all().reduce((sum, one) => sum + one.answered, 0);
      const longestWaitMs = Math.max(...all().map((one) => one.longestWaitMs));
      return { ...calls, answered, wholeMs, longestWaitMs, perSecond: (answered / wholeMs) * 1000 };
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
