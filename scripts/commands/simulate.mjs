import { readFileSync } from "node:fs";
import { options } from "../../test/simulation/options.mjs";
import { Failure } from "../lib/failure.mjs";
import { ensureInstalled } from "../lib/install.mjs";
import { readOptions } from "../lib/options.mjs";
import { showTool } from "../lib/tools.mjs";

/** A world is one thread. Helpers of the garbage collector would take the other core, and save little time. */
const nodeArgs = ["--single-threaded-gc"];

const HELP = `
  npm run simulate                       plays 20 seeds, each a world of its own
  npm run simulate -- --seeds 100        plays the seeds from 1 to 100;
                      --from 1001        begins at another seed
  npm run simulate -- --minutes 60       plays new seeds for an hour
  npm run simulate -- --seed 7           plays one seed
                      --trace            prints all that happens in it
                      --shrink           looks for a smaller plan that fails in
                                         the same way, and keeps it
  npm run simulate -- --found            plays all plans that were kept
  npm run simulate -- --planted          searches for each planted fault;
                      --only "<name>"    for one of them

  --steps 200  the deeds of a world (60 unless you say otherwise)
  --twice      plays each seed twice, and compares the logs
  --upgrade    half of the isolates run the last release
  --plant "<fault>"  breaks the world itself, to see an invariant fail

  The exit code is 1 when something does not hold, else 0.
  docs/promises.md lists what must hold.
`;
const NUMBERS = ["seeds", "from", "seed", "steps", "minutes"];

/** The faults of the world that `--plant` takes. The faults of the product are in `faults.json`. */
const WORLD_FAULTS = ["forgetful provider"];
const PLANTED = new URL("../../test/simulation/planted/faults.json", import.meta.url);

/**
 * `npm run simulate`: runs the whole product in one process under seeds, with faults; `-- --seed 7 --trace` shows one
 * seed.
 */
export async function main(args) {
  const { values } = readOptions(args, options, HELP);
  if (values.help) return console.log(HELP);
  for (const name of NUMBERS) {
    if (values[name] !== undefined && !(Number(values[name]) > 0))
      throw new Failure(`--${name} takes a number above 0, not ${JSON.stringify(values[name])}.\n${HELP}`);
  }
  checkFaults(values);
  await ensureInstalled();
  return showTool("../../test/simulation/run.mjs", args, { nodeArgs });
}

/** Refuses the name of a fault that does not exist. Without the fault, everything would hold, and nothing be shown. */
function checkFaults({ plant, planted, only }) {
  if (plant !== undefined && !WORLD_FAULTS.includes(plant))
    throw new Failure(
      `--plant takes ${WORLD_FAULTS.map((name) => `"${name}"`).join(", ")}, not ${JSON.stringify(plant)}.`,
    );
  if (only === undefined) return;
  if (!planted) throw new Failure(`--only goes with --planted.\n${HELP}`);
  const names = JSON.parse(readFileSync(PLANTED, "utf8")).map(({ name }) => name);
  if (!names.some((name) => name.includes(only)))
    throw new Failure(`No planted fault has ${JSON.stringify(only)} in its name. There are:\n  ${names.join("\n  ")}`);
}
