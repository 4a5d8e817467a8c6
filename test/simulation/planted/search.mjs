import { readFileSync } from "node:fs";
import { workerOf } from "../parts/modules.mjs";
import { drawPlan } from "../people/plan.mjs";
import { openBuilder } from "./builder.mjs";

/** The faults, each as a change of one file of `src`: `find` is there once, and becomes `replace`. */
const planted = JSON.parse(readFileSync(new URL("./faults.json", import.meta.url), "utf8"));

/**
 * Plants each fault, and plays seeds until an invariant finds it. Prints a row of a table for each. Returns whether all
 * were found.
 */
export async function searchPlanted({ only, seeds, run, steps, say }) {
  let missed = 0;
  const builder = await openBuilder();
  say("| Planted | Seeds | What does not hold |\n| --- | --- | --- |");
  for (const fault of planted.filter(({ name }) => only === undefined || name.includes(only))) {
    const found = await search(workerOf(await builder.build(fault)), { seeds, run, steps });
    if (found === null) missed += 1;
    say(`| ${fault.name} | ${found?.seeds ?? `not within ${seeds}`} | ${found?.fault.slice(0, 160) ?? ""} |`);
  }
  await builder.close();
  return missed === 0;
}

async function search(openModules, { seeds, run, steps }) {
  for (let seed = 1; seed <= seeds; seed++) {
    const fault = await faultOf(() => run(drawPlan(seed, steps), openModules));
    if (fault !== undefined) return { seeds: seed, fault };
  }
  return null;
}

/** A product that is so broken that a world cannot even begin is found too. */
async function faultOf(play) {
  try {
    return (await play()).faults[0];
  } catch (error) {
    return error.message;
  }
}
