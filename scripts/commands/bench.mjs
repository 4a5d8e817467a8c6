import { ensureInstalled } from "../lib/install.mjs";
import { showTool } from "../lib/tools.mjs";

/** `npm run bench`: how fast the product is beside the bare platform, as ratios of one run; `-- contacts` for one part. */
export async function main(args) {
  await ensureInstalled();
  return showTool("../../bench/run.mjs", args);
}
