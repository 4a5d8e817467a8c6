import { Failure } from "./failure.mjs";
import { readHolder } from "./lock.mjs";
import { readEnvFile } from "./settings.mjs";

/** Returns where the Petrel of this state listens, and its settings. `npm start` writes both into the state folder. */
export async function findRunning(state) {
  const running = readHolder(state.lock);
  const base = `http://localhost:${running?.port}`;
  if (!running || !(await isUp(base))) {
    throw new Failure(
      `No Petrel runs from ${state.shownAs}: start it with npm start in another terminal, or set STATE_DIR as you did there.`,
    );
  }
  return { base, settings: readEnvFile(state.settings) };
}

async function isUp(base) {
  try {
    return (await fetch(`${base}/health`)).ok;
  } catch {
    return false;
  }
}
