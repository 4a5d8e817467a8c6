import { ensureInstalled } from "../lib/install.mjs";
import { showTool } from "../lib/tools.mjs";

const DEEP = "--deep";
const DEEP_SEEDS = "25";

/**
 * `npm test`: the whole suite, or what the arguments select, as in `npm test -- test/core`. With `--deep` each model plays more
 * seeds.
 */
export async function main(args) {
  await ensureInstalled();
  const env = args.includes(DEEP) ? { PETREL_MODEL_SEEDS: DEEP_SEEDS } : {};
  return showTool("vitest", ["run", "--config", "test/vitest.config.ts", ...args.filter((arg) => arg !== DEEP)], {
    env,
  });
}
