import { ensureInstalled } from "../lib/install.mjs";
import { showTool } from "../lib/tools.mjs";

/** `npm run simulate`: the whole product in one process under seeds, with faults; `-- --seed 7 --trace` shows one of them. */
export async function main(args) {
  await ensureInstalled();
  // Most of what a world makes lives for a moment.
  return showTool("../../test/simulation/run.mjs", args, { nodeArgs: ["--max-semi-space-size=64"] });
}
