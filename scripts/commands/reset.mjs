import { existsSync } from "node:fs";
import { forgetState, locateState } from "../lib/state.mjs";

/** `npm run reset`: makes the next `npm start` begin with an empty database. Secrets in .dev.vars stay. */
export async function main() {
  const state = locateState(process.env);
  if (!existsSync(state.folder)) {
    console.log(`Nothing to forget: there is no ${state.shownAs}.`);
    return;
  }
  await forgetState(state);
  console.log(`Forgot ${state.shownAs}.`);
}
