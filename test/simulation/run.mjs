import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildLastRelease, buildThis, lastReleaseCommit, withoutLastRelease } from "../upgrades/versions.mjs";
import { foundPlans, keepPlan } from "./found.mjs";
import { logOf } from "./log.mjs";
import { options } from "./options.mjs";
import { compileWorker } from "./parts/modules.mjs";
import { drawPlan } from "./people/plan.mjs";
import { searchPlanted } from "./planted/search.mjs";
import { play } from "./play.mjs";
import { shrink } from "./shrink.mjs";

const { values } = parseArgs({ options });
const say = console.log.bind(console);
const steps = Number(values.steps);
const mostPlaysOfShrinking = 150;
/** The machine's own clock, because that of the process becomes the world's. */
const elapsedMs = () => Number(process.hrtime.bigint() / 1_000_000n);
// New seeds each time, unless the caller names the first one.
const newSeed = Math.floor(Date.now() / 1_000);

function* plans() {
  if (values.found) yield* foundPlans();
  if (values.found && values.minutes === undefined) return;
  const from = Number(values.seed ?? values.from ?? (values.minutes ? newSeed : 1));
  const count = values.seed ? 1 : values.minutes ? Number.POSITIVE_INFINITY : Number(values.seeds);
  const until = elapsedMs() + Number(values.minutes ?? 0) * 60_000;
  for (let seed = from; seed < from + count; seed++) {
    if (values.minutes && elapsedMs() >= until) return;
    yield drawPlan(seed, steps);
  }
}

async function run(plan, openModules, { isBrief = false } = {}) {
  const log = logOf(values.trace ? say : null);
  const result = await play(plan, openModules, { planted: values.plant, isBrief });
  return { ...result, log: `${log.hash()} ${result.trips} ${result.statements}` };
}

async function runAll(openModules) {
  const begun = process.cpuUsage();
  let [count, failed, trips, drawn, events] = [0, 0, 0, 0, 0];
  for (const plan of plans()) {
    const result = await run(plan, openModules);
    count += 1;
    trips += result.trips;
    drawn += result.drawn;
    events += result.events;
    const isSame = !values.twice || (await run(plan, openModules)).log === result.log;
    const faults = [...result.faults, ...(isSame ? [] : ["Two runs of the seed differ"])];
    if (faults.length === 0) continue;
    failed += 1;
    say(headOf(plan));
    for (const fault of faults.slice(0, 10)) say(`  ${fault}`);
    if (values.shrink) await keepShrunk(plan, faults, openModules);
  }
  const { user, system } = process.cpuUsage(begun);
  say(
    `${count} seeds of ${steps} steps, ${drawn} faults, ${trips} round trips: ${count - failed} hold, ${failed} do not.`,
  );
  const seconds = (user + system) / 1e6;
  if (!values.twice)
    say(`${(count / seconds).toFixed(2)} seeds and ${Math.round(events / seconds)} events a second of CPU.`);
  return failed === 0;
}

/** What failed, how anybody can see it again, and what kind of world it was. */
function headOf({ name, seed, rates, entries }) {
  const more = [values.upgrade ? " --upgrade" : "", values.plant ? ` --plant "${values.plant}"` : ""].join("");
  const again = name ? `plan ${name}: npm run simulate -- --found` : `seed ${seed}: npm run simulate -- --seed ${seed}`;
  const command = name ? again : `${again} --steps ${steps} --shrink${more}`;
  const faults = Object.entries(rates).filter(([, rate]) => rate > 0);
  const drawn = faults.map(([fault, rate]) => `${fault} ${rate}`).join(", ") || "none";
  return `${command}\n  ${entries.length} deeds within ${Math.round(entries.at(-1).at / 1_000)} s, with faults: ${drawn}`;
}

async function keepShrunk(plan, faults, openModules) {
  const least = await shrink(
    plan,
    faults,
    (smaller, options) => run(smaller, openModules, options),
    mostPlaysOfShrinking,
  );
  const kept = Object.values(least.rates).filter((rate) => rate > 0).length;
  say(`  shrunk to ${least.entries.length} deeds and ${kept} kinds of faults: ${keepPlan(least, faults)}`);
}

/** Opens isolates of this version and, during an upgrade, as many of the last release. */
async function worker(folder) {
  const current = compileWorker(await buildThis(folder));
  if (!values.upgrade) return current;
  const commit = lastReleaseCommit();
  if (commit === null) throw new Error(withoutLastRelease);
  const last = compileWorker(await buildLastRelease(commit));
  return (time, random) => (random() < 0.5 ? current : last)(time);
}

const folder = mkdtempSync(join(tmpdir(), "petrel-simulation-"));
try {
  const isGood = values.planted
    ? await searchPlanted({ only: values.only, seeds: Number(values.seeds), run, steps, say })
    : await runAll(await worker(folder));
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
