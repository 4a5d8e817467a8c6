import { ensureInstalled } from "../lib/install.mjs";
import { showTool } from "../lib/tools.mjs";

/**
 * `npm run bench`: compares the product's speed with that of the bare platform, as ratios of one run; `-- contacts`
 * runs one part.
 */
export async function main(args) {
  await ensureInstalled();
  return showTool("../../bench/run.mjs", args);
}
