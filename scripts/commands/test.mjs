import { execFileSync } from "node:child_process";
import { ensureInstalled } from "../lib/install.mjs";
import { ROOT } from "../lib/paths.mjs";
import { showTool } from "../lib/tools.mjs";

const DEEP = "--deep";
const DEEP_SEEDS = "25";

/**
 * `npm test`: runs the whole suite, or the tests that the arguments select, as in `npm test -- test/core`. It runs only
 * a part of many similar cases, and another part after each commit. `--deep` runs all of them, and more seeds of each
 * model.
 */
export async function main(args) {
  await ensureInstalled();
  const env = args.includes(DEEP) ? { PETREL_MODEL_SEEDS: DEEP_SEEDS, PETREL_TEST_DEEP: "1" } : { ...turn() };
  return showTool("vitest", ["run", "--config", "test/vitest.config.ts", ...args.filter((arg) => arg !== DEEP)], {
    env,
  });
}

/** Returns the number that selects the part. A checkout without git always has the same one. */
function turn() {
  if (process.env.PETREL_TEST_TURN) return {};
  try {
    const count = execFileSync("git", ["rev-list", "--count", "HEAD"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return { PETREL_TEST_TURN: String(count).trim() };
  } catch {
    return {};
  }
}
