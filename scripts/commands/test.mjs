import { ensureInstalled } from "../lib/install.mjs";
import { showTool } from "../lib/tools.mjs";

/** `npm test`: the whole suite, or what the arguments select, as in `npm test -- test/core`. */
export async function main(args) {
  await ensureInstalled();
  return showTool("vitest", ["run", "--config", "test/vitest.config.ts", ...args]);
}
