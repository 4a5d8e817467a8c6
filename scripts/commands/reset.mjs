import { existsSync } from "node:fs";
import { Failure } from "../lib/failure.mjs";
import { forgetState, locateState } from "../lib/state.mjs";

const HELP = `Usage: npm run reset

Deletes the local data, so that the next npm start begins with an empty database. Secrets in .dev.vars stay.

  STATE_DIR          where the data is; .wrangler/state
`;

/** `npm run reset`: makes the next `npm start` begin with an empty database. Secrets in .dev.vars stay. */
export async function main(args) {
  if (args.includes("--help") || args.includes("-h")) return console.log(HELP);
  if (args.length > 0) throw new Failure(`npm run reset takes no ${args[0]}: see npm run reset -- --help.`);
  const state = locateState(process.env);
  if (!existsSync(state.folder)) {
    console.log(`Nothing to forget: there is no ${state.shownAs}.`);
    return;
  }
  await forgetState(state);
  console.log(`Forgot ${state.shownAs}.`);
}
