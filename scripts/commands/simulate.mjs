import { ensureInstalled } from "../lib/install.mjs";
import { showTool } from "../lib/tools.mjs";

/**
 * `npm run simulate`: runs the whole product in one process under seeds, with faults; `-- --seed 7 --trace` shows one
 * seed.
 */
export async function main(args) {
  await ensureInstalled();
  // Most objects of a simulated world live only for a moment.
  return showTool("../../test/simulation/run.mjs", args, { nodeArgs: ["--max-semi-space-size=64"] });
}
