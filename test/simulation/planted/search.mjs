import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildBundle } from "../../../scripts/lib/bundle.mjs";
import { ROOT } from "../../../scripts/lib/paths.mjs";
import { compileWorker } from "../parts/modules.mjs";
import { drawPlan } from "../people/plan.mjs";

/** The faults, each as a change of one file of `src`: `find` is there once, and becomes `replace`. */
const planted = JSON.parse(readFileSync(new URL("./faults.json", import.meta.url), "utf8"));

/** A checkout with sources of its own; all else in it is ours. */
const copy = join(ROOT, ".planted");
const owned = new Set(["src", ".planted", ".wrangler", ".git"]);

/**
 * Plants each fault into a copy of the sources, and plays seeds until an invariant finds it. Prints a row of a table for
 * each. Returns whether all were found.
 */
export async function searchPlanted(folder, { only, seeds, run, steps, say }) {
  let missed = 0;
  say("| Planted | Seeds | What does not hold |\n| --- | --- | --- |");
  for (const fault of planted.filter(({ name }) => only === undefined || name.includes(only))) {
    const load = compileWorker(await buildWith(folder, fault));
    const found = await search(load, { seeds, run, steps });
    if (found === null) missed += 1;
    say(`| ${fault.name} | ${found?.seeds ?? `not within ${seeds}`} | ${found?.fault.slice(0, 160) ?? ""} |`);
  }
  return missed === 0;
}

async function search(load, { seeds, run, steps }) {
  for (let seed = 1; seed <= seeds; seed++) {
    const fault = await faultOf(() => run(drawPlan(seed, steps), load));
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

async function buildWith(folder, { name, file, find, replace }) {
  mkdirSync(copy);
  try {
    for (const name of readdirSync(ROOT).filter((each) => !owned.has(each)))
      symlinkSync(join(ROOT, name), join(copy, name));
    cpSync(join(ROOT, "src"), join(copy, "src"), { recursive: true });
    const path = join(copy, "src", file);
    const source = readFileSync(path, "utf8");
    if (source.split(find).length !== 2) throw new Error(`"${name}" does not apply: ${file} must have its text once`);
    writeFileSync(
      path,
      source.replace(find, () => replace),
    );
    return (await buildBundle(folder, copy)).file;
  } finally {
    rmSync(copy, { recursive: true });
  }
}
