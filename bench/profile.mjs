import { findFreePort } from "../scripts/lib/port.mjs";
import { bold } from "../scripts/lib/screen.mjs";
import { newProject } from "./api.mjs";
import { inspect } from "./inspector.mjs";
import { load } from "./load.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const connections = 32;
const warmUp = 1_000;
const total = 2_000;
const sampleEveryUs = 100;
const shown = 10;

/** Prints where the time of the Worker's own isolate goes in a request. The local database runs in another isolate. */
export async function benchProfile() {
  const bench = await openBenchState();
  const inspectorPort = await findFreePort();
  const worker = await startBenchWorker("src/index.ts", bench, { inspectorPort });
  try {
    const keys = await newProject(worker, bench.adminToken);
    const isolate = await inspect(inspectorPort);
    await isolate.ask("Debugger.enable");
    const data = { plan: "pro", seats: 12, amount: { value: 49, persistent: false } };
    let people = 0;
    await profile(isolate, "POST /v1/track, a new contact", {
      url: `${worker.base}/v1/track`,
      headers: { Authorization: `Bearer ${keys.public}` },
      bodyOf: () => ({ email: `r${++people}@example.com`, event: "purchase", data }),
    });
    await profile(isolate, "GET /contacts, the first 20", {
      url: `${worker.base}/contacts`,
      headers: { Authorization: `Bearer ${keys.secret}` },
    });
    isolate.close();
  } finally {
    await worker.stop();
    bench.remove();
  }
}

async function profile(isolate, title, requests) {
  await load({ ...requests, connections, total: warmUp });
  const times = await profiled(isolate, () => load({ ...requests, connections, total }));
  const busy = times.reduce((sum, { ms }) => sum + ms, 0);
  console.log(`\n${bold(title)}: ${(busy / total).toFixed(2)} ms a request in the isolate`);
  rank(times, busy, ({ name, module }) => `${name}  ${module}`);
  console.log();
  rank(times, busy, ({ module }) => packageOf(module));
}

/**
 * Returns the time spent in each function itself during some work, with its module and those of its callers, nearest
 * first. The isolate's debugger must be enabled.
 */
export async function profiled({ ask }, work) {
  await ask("Profiler.enable");
  await ask("Profiler.setSamplingInterval", { interval: sampleEveryUs });
  await ask("Profiler.start");
  await work();
  const { profile } = await ask("Profiler.stop");
  return selfTimes(ask, profile);
}

async function selfTimes(ask, { nodes, samples, timeDeltas }) {
  const msOf = new Map();
  // A late sample means that the isolate was waiting for a core, which counts for no function.
  const longestUs = 1.5 * sampleEveryUs;
  for (const [index, id] of samples.entries()) {
    msOf.set(id, (msOf.get(id) ?? 0) + Math.min(timeDeltas[index], longestUs) / 1000);
  }
  const busy = nodes.filter(({ id, callFrame }) => msOf.has(id) && callFrame.functionName !== "(idle)");
  const modules = new Map();
  for (const scriptId of new Set(nodes.map(({ callFrame }) => callFrame.scriptId))) {
    modules.set(scriptId, await modulesOf(ask, scriptId));
  }
  const moduleOf = ({ callFrame: { scriptId, lineNumber } }) => modules.get(scriptId)[lineNumber] ?? "";
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node])));
  const callersOf = (node) => {
    const caller = callers.get(node.id);
    return caller ? [moduleOf(caller), ...callersOf(caller)] : [];
  };
  return busy.map((node) => ({
    ms: msOf.get(node.id),
    name: node.callFrame.functionName || "(anonymous)",
    module: moduleOf(node),
    callers: callersOf(node),
  }));
}

/**
 * Returns the module of each line of a script. A bundle names each module before its code, after a few helpers of its
 * own.
 */
async function modulesOf(ask, scriptId) {
  // V8's built-in functions belong to no script.
  if (scriptId === "0") return [];
  const { scriptSource } = await ask("Debugger.getScriptSource", { scriptId });
  const lines = scriptSource.split("\n");
  const paths = lines.map((line) => /^\s*\/\/ (\S+\.[cm]?[jt]sx?)$/.exec(line)?.[1]);
  let module = paths.some(Boolean) ? "the bundle's own" : "the runtime's own";
  return paths.map((path) => {
    if (path) module = path.replace(/^.*\/(?:node_modules|(?=src\/))/, "").replace(/^\//, "");
    return module;
  });
}

function packageOf(module) {
  if (module === "") return "native code";
  return /^(?:src\/[^/]+|@[^/]+\/[^/]+|[^/]+)/.exec(module)[0];
}

function rank(times, busy, labelOf) {
  const sums = new Map();
  for (const time of times) sums.set(labelOf(time), (sums.get(labelOf(time)) ?? 0) + time.ms);
  for (const [label, ms] of [...sums].toSorted(([, one], [, other]) => other - one).slice(0, shown)) {
    const share = `${((ms / busy) * 100).toFixed(1)} %`;
    console.log(`  ${(ms / total).toFixed(3).padStart(7)} ms  ${share.padStart(6)}  ${label}`);
  }
}
