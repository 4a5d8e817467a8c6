import { ensureInstalled } from "../lib/install.mjs";
import { showTool } from "../lib/tools.mjs";

/**
 * Most objects of a simulated world live only for a moment. The code of an isolate is cold, so it is compiled at once,
 * without an interpreter. These options take a quarter off the CPU of a seed.
 */
const nodeArgs = [
  "--max-semi-space-size=128",
  "--min-semi-space-size=64",
  "--single-threaded-gc",
  "--always-sparkplug",
];

/**
 * `npm run simulate`: runs the whole product in one process under seeds, with faults; `-- --seed 7 --trace` shows one
 * seed.
 */
export async function main(args) {
  await ensureInstalled();
  return showTool("../../test/simulation/run.mjs", args, { nodeArgs });
}
