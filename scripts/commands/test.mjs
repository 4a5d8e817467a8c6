import { execFileSync } from "node:child_process";
import { slowFiles } from "../../test/slow-files.mjs";
import { ensureInstalled } from "../lib/install.mjs";
import { ROOT } from "../lib/paths.mjs";
import { showTool } from "../lib/tools.mjs";

/** Ours. All other arguments are vitest's. */
const OWN = ["--all", "--deep"];

/** A slow file is run with every fourth commit. */
const QUARTERS = 4;

/**
 * `npm test`: alone, it runs all files that are quick, and a quarter of the slow ones (test/slow-files.mjs), another quarter
 * after each commit. Arguments make it run all files that they select, as in `npm test -- test/core`. `--all` selects every
 * file, and the simulation plays new seeds for two minutes, not half a minute. Each run has a third of many similar cases, in
 * turn too. `--deep` runs every file, every case, and more seeds of each model.
 */
export async function main(args) {
  await ensureInstalled();
  const { env, options } = choose(args, Number(process.env.PETREL_TEST_TURN ?? commits()));
  if (args.length === 0)
    console.log("All quick files, and a quarter of the slow ones. npm test -- --all runs every file.");
  return showTool("vitest", ["run", "--config", "test/vitest.config.ts", ...options], { env });
}

/** Returns the options of vitest that select files, and the settings that select cases. `turn` grows with each commit. */
export function choose(args, turn) {
  const options = args.filter((arg) => !OWN.includes(arg));
  if (args.includes("--deep")) return { options, env: { PETREL_MODEL_SEEDS: "25", PETREL_TEST_DEEP: "1" } };
  if (args.includes("--all")) return { options, env: { PETREL_TEST_TURN: String(turn), PETREL_SEED_MINUTES: "2" } };
  if (args.length > 0) return { options, env: { PETREL_TEST_TURN: String(turn) } };
  const later = slowFiles.filter((_, at) => at % QUARTERS !== turn % QUARTERS);
  return {
    options: later.map((file) => `--exclude=${file}`),
    // A file has other cases each time that it is its turn.
    env: { PETREL_TEST_TURN: String(Math.floor(turn / QUARTERS)) },
  };
}

/** Returns the number of commits. A checkout without git always has the same turn. */
function commits() {
  try {
    const count = execFileSync("git", ["rev-list", "--count", "HEAD"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return Number(count);
  } catch {
    return 0;
  }
}
