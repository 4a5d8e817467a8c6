import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildBundle } from "../../scripts/lib/bundle.mjs";
import { play } from "./play.mjs";
import { loadWorker } from "./world.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    steps: { type: "string", default: "60" },
    twice: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    plant: { type: "string" },
  },
});
const say = console.log.bind(console);
const folder = mkdtempSync(join(tmpdir(), "petrel-simulation-"));
const steps = Number(values.steps);
const [first, last] = values.seed
  ? [Number(values.seed), Number(values.seed)]
  : [Number(values.from), Number(values.from) + Number(values.seeds) - 1];

/** What the Worker logs is the trace of a run; its hash shows whether two runs are the same. */
function listen() {
  const hash = createHash("sha256");
  for (const level of ["debug", "log", "info", "warn", "error"]) {
    console[level] = (...given) => {
      // A trace names the isolate of its code.
      hash.update(given.join(" ").replaceAll(/isolate=\d+/g, ""));
      if (values.trace) say(...given);
    };
  }
  return hash;
}

async function run(seed, worker) {
  const hash = listen();
  const result = await play(seed, worker, { steps, planted: values.plant });
  return { ...result, log: hash.digest("hex").slice(0, 16) };
}

/** Plays a seed twice, each time with modules that remember nothing. Returns whether both went the same way. */
async function isSameTwice(seed, bundle) {
  const logs = [];
  for (let times = 0; times < 2; times++) logs.push((await run(seed, await loadWorker(bundle))).log);
  return logs[0] === logs[1];
}

/** The first world of an isolate also loads what the Worker loads late. It is played for that alone. */
async function warmWorker(bundle) {
  const worker = await loadWorker(bundle);
  const { trace } = values;
  values.trace = false;
  await run(0, worker);
  values.trace = trace;
  return worker;
}

try {
  const { file: bundle } = await buildBundle(folder);
  const worker = await warmWorker(bundle);
  const begun = process.cpuUsage();
  let [failed, trips, drawn] = [0, 0, 0];
  for (let seed = first; seed <= last; seed++) {
    const result = await run(seed, worker);
    trips += result.trips;
    drawn += result.drawn;
    const isSame = !values.twice || (await isSameTwice(seed, bundle));
    const faults = [...result.faults, ...(isSame ? [] : ["Two runs of the seed differ"])];
    if (faults.length > 0) {
      failed += 1;
      say(`seed ${seed}: npm run simulate -- --seed ${seed} --steps ${steps} --trace`);
      for (const fault of faults.slice(0, 10)) say(`  ${fault}`);
    }
  }
  const { user, system } = process.cpuUsage(begun);
  const count = last - first + 1;
  const perSecond = (count / ((user + system) / 1e6)).toFixed(1);
  say(
    `${count} seeds of ${steps} steps, ${drawn} faults, ${trips} round trips: ${count - failed} hold, ${failed} do not.`,
  );
  if (!values.twice) say(`${perSecond} seeds a second of CPU.`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
