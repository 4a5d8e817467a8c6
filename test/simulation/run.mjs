import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildBundle } from "../../scripts/lib/bundle.mjs";
import { logOf } from "./log.mjs";
import { compileWorker } from "./parts/modules.mjs";
import { drawPlan } from "./people/plan.mjs";
import { play } from "./play.mjs";

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
const first = Number(values.seed ?? values.from);
const last = values.seed ? first : first + Number(values.seeds) - 1;

async function run(seed, load) {
  const log = logOf(values.trace ? say : null);
  const result = await play(drawPlan(seed, steps), load, { planted: values.plant });
  return { ...result, log: log.hash() };
}

try {
  const { file } = await buildBundle(folder);
  const load = compileWorker(file);
  const begun = process.cpuUsage();
  let [failed, trips, drawn] = [0, 0, 0];
  for (let seed = first; seed <= last; seed++) {
    const result = await run(seed, load);
    trips += result.trips;
    drawn += result.drawn;
    const isSame = !values.twice || (await run(seed, load)).log === result.log;
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
