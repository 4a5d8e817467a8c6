import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../scripts/lib/port.mjs";
import { bold, dim } from "../scripts/lib/screen.mjs";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { fireCron } from "../scripts/lib/worker.mjs";
import { call, newProject } from "./api.mjs";
import { importFile } from "./import.mjs";
import { attach, inspect, targetsAt } from "./inspector.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";
import { listeningPorts, residentMegabytes, workerdMs, workerdPids } from "./workerd.mjs";

/** An hour by default. A few minutes, even fractions of one, are enough for a try. */
const minutes = Number(process.env.BENCH_MINUTES ?? 60);
/**
 * Kinds of calls, separated by commas: each runs alone for its share of the time. Without it, all are mixed all the
 * time.
 */
const apart = process.env.BENCH_KINDS?.split(",") ?? null;
const connections = 8;
const minuteMs = 60_000;
const samples = 30;
const megabyte = 1024 * 1024;
const attachMs = 5_000;
const collectMs = 10_000;
const product = "core:user:petrel";
/** Smaller isolates only count in the sum. */
const shownMegabytes = 1;

/** How often each kind occurs in the mix, and its calls. */
const kinds = {
  send: { weight: 8, run: sendOne },
  many: { weight: 1, run: sendMany },
  track: { weight: 8, run: trackEvent },
  contacts: { weight: 4, run: createContact },
  lists: { weight: 6, run: readLists },
  hits: { weight: 4, run: openAndClick },
  segments: { weight: 1, run: changeSegment },
  campaigns: { weight: 0.05, run: sendCampaign },
  imports: { weight: 0.05, run: importSome },
  nothing: { weight: 0, run: () => sleep(1_000) },
};

/**
 * Measures the memory of the local Worker under mixed traffic: that of its process, next to the live memory of the
 * isolates in it. The product's Worker is one of them; the others are the local stand-ins of the platform.
 * `MINIFLARE_WORKERD_V8_FLAGS=--gc-global` makes every garbage collection a full one, so that the remaining memory is
 * really in use.
 */
export async function benchSoak() {
  const bench = await openBenchState();
  const { settings } = bench.state;
  writeEnvFile(settings, { ...readEnvFile(settings), MAIL_PROVIDER: "outbox", LINK_SECRETS: randomHex() });
  const inspectorPort = await findFreePort();
  const worker = await startBenchWorker("bench/held.ts", bench, { inspectorPort, deliversMail: true });
  try {
    const processes = await processesOf(worker, brieflyAt(inspectorPort));
    const traffic = await openTraffic(worker, bench.adminToken);
    console.log(`\n${bold(`Memory of the local Worker, ${minutes} minutes, ${connections} connections`)}`);
    await soak({ worker, processes, traffic });
    for (const { isolates } of processes) for (const { close } of isolates) close();
  } finally {
    await worker.stop();
    bench.remove();
  }
}

async function soak({ worker, processes, traffic }) {
  const phases = apart ?? ["mixed"];
  const cron = setInterval(() => fireCron(worker, "* * * * *"), minuteMs);
  const lines = [];
  try {
    const first = await takeSample(processes);
    lines.push({ phase: "start", atMs: 0, ...first });
    showHeader(first);
    showLine(lines[0]);
    const startedAt = Date.now();
    for (const phase of phases) {
      const run = startPhase(traffic, phase);
      const cpuBefore = workerdMs(worker);
      for (let n = 0; n < samples / phases.length; n++) {
        await sleep((minutes * minuteMs) / samples);
        const line = { phase, atMs: Date.now() - startedAt, calls: run.calls, ...(await takeSample(processes)) };
        lines.push(line);
        showLine(line);
      }
      await run.stop();
      showIsolates(lines.at(-1));
      console.log(dim(`  ${((workerdMs(worker) - cpuBefore) / run.calls).toFixed(1)} ms of CPU a call`));
    }
    await collectGarbage(processes);
    showLine({ phase: "collected", atMs: Date.now() - startedAt, ...(await takeSample(processes)) });
  } finally {
    clearInterval(cron);
  }
  showGrowth(lines, traffic);
}

/** Makes the calls of one kind, or of all in their proportion, until it is stopped. */
function startPhase(traffic, phase) {
  const run = { calls: 0, stop };
  let isOver = false;
  async function connection() {
    while (!isOver) {
      await traffic.run(phase === "mixed" ? anyKind() : phase);
      run.calls += 1;
    }
  }
  const working = Promise.all(Array.from({ length: connections }, connection));
  // `stop` throws the failure.
  working.catch(() => {});
  async function stop() {
    isOver = true;
    await working;
  }
  return run;
}

function anyKind() {
  const entries = Object.entries(kinds);
  let left = Math.random() * entries.reduce((sum, [, { weight }]) => sum + weight, 0);
  return entries.find(([, { weight }]) => {
    left -= weight;
    return left < 0;
  })[0];
}

/** Makes a project to call, with a hundred people. */
async function openTraffic(worker, adminToken) {
  const keys = await newProject(worker, adminToken);
  await call(`${worker.base}/domains`, keys.secret, { domain: "bench.test" });
  const { id: segmentId } = await call(`${worker.base}/segments`, keys.secret, {
    name: "Pro",
    condition: conditionOf("pro"),
  });
  const room = { worker, keys, segmentId, links: [], n: 0, calls: {} };
  await sendMany(room);
  for (const _ of [1, 2, 3]) await sendCampaign(room);
  return {
    calls: room.calls,
    async run(kind) {
      room.n += 1;
      await kinds[kind].run(room);
      room.calls[kind] = (room.calls[kind] ?? 0) + 1;
    },
  };
}

const mail = {
  from: "hello@bench.test",
  subject: "Hello {{ name }}",
  body: `<h1>Hello {{ name ?? "friend" }}</h1>${'<p>Here is <a href="https://bench.test/news">what is new</a>.</p>'.repeat(20)}`,
};

const conditionOf = (plan) => ({
  logic: "AND",
  groups: [{ filters: [{ field: "data.plan", operator: "equals", value: plan }] }],
});

/** A tenth of all addresses is new, and the others are the same thousand. */
function addressOf({ n }) {
  return n % 10 === 0 ? `new${n}@example.com` : `person${n % 1_000}@example.com`;
}

async function sendOne(room) {
  const { worker, keys, n } = room;
  await call(`${worker.base}/v1/send`, keys.secret, { ...mail, to: addressOf(room), data: { name: `Person ${n}` } });
}

async function sendMany({ worker, keys }) {
  const to = Array.from({ length: 100 }, (_, n) => `person${n}@example.com`);
  await call(`${worker.base}/v1/send`, keys.secret, { ...mail, to });
}

async function trackEvent(room) {
  const { worker, keys, n } = room;
  const data = { plan: n % 2 ? "pro" : "free", visits: n % 100 };
  await call(`${worker.base}/v1/track`, keys.public, { event: `event${n % 20}`, email: addressOf(room), data });
}

async function createContact(room) {
  const { worker, keys, n } = room;
  const data = { plan: n % 2 ? "pro" : "free", seats: n % 50 };
  await call(`${worker.base}/contacts`, keys.secret, { email: addressOf(room), data });
}

const lists = ["/contacts?limit=100", "/emails", "/events", "/activity", "/campaigns", "/segments", "/contacts/fields"];

async function readLists({ worker, keys, n }) {
  await call(`${worker.base}${lists[n % lists.length]}`, keys.secret);
}

async function openAndClick(room) {
  const { worker, links, n } = room;
  if (links.length === 0) links.push(...(await call(`${worker.base}/bench/links`)).slice(0, 1_000));
  const { pixel, click } = links[n % links.length];
  const answer = await fetch(n % 3 === 0 ? click : pixel, { redirect: "manual" });
  await answer.arrayBuffer();
}

async function changeSegment({ worker, keys, segmentId, n }) {
  const change = { name: "Plan", condition: conditionOf(n % 2 ? "pro" : "free") };
  await call(`${worker.base}/segments/${segmentId}`, keys.secret, change, "PATCH");
}

/** The maximum number at once, so that they finish. */
const campaignsAtOnce = 3;

async function sendCampaign({ worker, keys }) {
  const url = `${worker.base}/campaigns`;
  const { total } = await call(`${url}?status=SENDING`, keys.secret);
  if (total >= campaignsAtOnce) return;
  const { data } = await call(url, keys.secret, { ...mail, name: "News", audienceType: "ALL" });
  await call(`${url}/${data.id}/send`, keys.secret, {});
}

const rowsOfImport = 500;

async function importSome({ worker, keys, n }) {
  const rows = Array.from(
    { length: rowsOfImport },
    (_, row) => `import${(n + row) % 5_000}@example.com,pro,${row % 9}`,
  );
  await importFile(worker, keys.secret, ["email,plan,seats", ...rows].join("\n"));
}

/**
 * Returns wrangler's two processes of workerd: one for its own proxy, which has no debugger, and one for the Worker and
 * the stand-ins of the platform, whose debugger names all isolates in it.
 */
async function processesOf(worker, ours) {
  const found = await Promise.all(workerdPids(worker).map((pid) => processOf(pid, ours)));
  if (found.length === 0) throw new Error("Only Linux tells the memory of a process");
  return found;
}

/**
 * Connects to the isolate of the product through wrangler, because it only accepts one debugger. The connection lasts
 * for one question only, because wrangler passes every network call on to a debugger that stays.
 */
function brieflyAt(inspectorPort) {
  async function ask(method, params) {
    const isolate = await inspect(inspectorPort);
    try {
      return await isolate.ask(method, params);
    } finally {
      isolate.close();
    }
  }
  return { ask, close: () => {} };
}

async function processOf(pid, ours) {
  const named = await Promise.all(listeningPorts(pid).map((port) => targetsAt(port).catch(() => [])));
  const targets = named.flat().filter(({ title }) => title?.startsWith("workerd:"));
  const isOurs = targets.some(({ id }) => id === product);
  const attached = await Promise.all(targets.filter(({ id }) => id !== product).map(isolateOf));
  const isolates = attached.filter((isolate) => isolate !== null);
  if (isOurs) isolates.push({ name: product, ...ours });
  return { pid, name: isOurs ? "workerd" : "proxy", isolates };
}

/** Null for an isolate that does not answer, because its service has not been called yet. */
async function isolateOf({ id, webSocketDebuggerUrl }) {
  const attached = attach(webSocketDebuggerUrl).then(
    (isolate) => ({ name: id, ...isolate }),
    () => null,
  );
  const isolate = await Promise.race([attached, sleep(attachMs, null)]);
  if (isolate === null) console.log(dim(`  ${id} does not answer the debugger`));
  return isolate;
}

async function takeSample(processes) {
  const of = {};
  for (const { pid, name, isolates } of processes) {
    const heaps = {};
    for (const { name: isolate, ask } of isolates) heaps[isolate] = await heapOf(ask);
    of[name] = { ...residentMegabytes(pid), heaps };
  }
  return { of };
}

async function heapOf(ask) {
  const { usedSize, totalSize, embedderHeapUsedSize, backingStorageSize } = await ask("Runtime.getHeapUsage");
  const outside = embedderHeapUsedSize + backingStorageSize;
  return { used: (usedSize + outside) / megabyte, total: (totalSize + outside) / megabyte };
}

/** An isolate that is never called does not answer, but has little in it. */
async function collectGarbage(processes) {
  const asked = processes.flatMap(({ isolates }) => isolates.map(({ ask }) => ask("HeapProfiler.collectGarbage")));
  // The question fails if the isolate is gone first.
  for (const answer of asked) answer.catch(() => {});
  await Promise.race([Promise.allSettled(asked), sleep(collectMs)]);
}

/**
 * Returns, for each process, its memory, the part that is not mapped from files, and the heaps in it, used and size.
 */
function columnsOf({ of }) {
  return Object.fromEntries(
    Object.entries(of).flatMap(([name, { all, anonymous, heaps }]) => {
      const sumOf = (size) => Object.values(heaps).reduce((sum, heap) => sum + heap[size], 0);
      return [
        ["all", all],
        ["anon", anonymous],
        // The proxy's heaps cannot be read.
        ...(Object.keys(heaps).length === 0
          ? []
          : [
              ["used", sumOf("used")],
              ["size", sumOf("total")],
            ]),
      ].map(([title, value]) => [`${name} ${title}`, value]);
    }),
  );
}

function showHeader(sample) {
  console.log(
    dim(`  ${"minute".padStart(7)} ${"phase".padEnd(10)} ${Object.keys(columnsOf(sample)).map(cell).join(" ")}  (MB)`),
  );
}

function showLine({ atMs, phase, calls, ...sample }) {
  const figures = Object.values(columnsOf(sample)).map((value) => cell(value.toFixed(0)));
  const made = calls === undefined ? "" : dim(`  ${calls} calls`);
  console.log(`  ${(atMs / minuteMs).toFixed(1).padStart(7)} ${phase.padEnd(10)} ${figures.join(" ")}${made}`);
}

function cell(text) {
  return text.padStart(12);
}

/** Prints how much each column grew per minute of each phase, without its first fifth, in which caches fill up. */
function showGrowth(lines, { calls }) {
  console.log(`\n${bold("Growth in a minute, after the first fifth of the time")}`);
  for (const phase of new Set(lines.map((line) => line.phase))) {
    const of = lines.filter((line) => line.phase === phase);
    const [from, to] = [of[Math.floor(of.length / 5)], of.at(-1)];
    const span = (to.atMs - from.atMs) / minuteMs;
    if (span === 0) continue;
    const [before, after] = [columnsOf(from), columnsOf(to)];
    const figures = Object.keys(before).map((name) => cell(((after[name] - before[name]) / span).toFixed(1)));
    console.log(`  ${"".padStart(7)} ${phase.padEnd(10)} ${figures.join(" ")}`);
  }
  console.log(`\n${bold("Isolates at the end, used and size in MB")}`);
  showIsolates(lines.at(-1));
  console.log(
    dim(
      `\n  Calls: ${Object.entries(calls)
        .map(([kind, n]) => `${kind} ${n}`)
        .join(", ")}`,
    ),
  );
}

function showIsolates({ of }) {
  const large = Object.values(of)
    .flatMap(({ heaps }) => Object.entries(heaps))
    .filter(([, { total }]) => total >= shownMegabytes)
    .toSorted(([, one], [, other]) => other.total - one.total);
  const shown = large.map(([name, { used, total }]) => `${name} ${used.toFixed(0)}/${total.toFixed(0)}`);
  console.log(dim(`  ${shown.join("  ")}`));
}
