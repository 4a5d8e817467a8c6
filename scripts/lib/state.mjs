import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Failure } from "./failure.mjs";
import { ROOT } from "./paths.mjs";
import { isPortFree } from "./port.mjs";

// wrangler keeps D1, R2 and the objects in v3, the rest is ours.
const KNOWN_ENTRIES = ["v3", "registry", "demo.json", "seeds.json", "running.json", "settings.env"];

/** Where local state lives: STATE_DIR, or .wrangler/state in the checkout. */
export function locateState(environment) {
  const folder = environment.STATE_DIR ? resolve(environment.STATE_DIR) : join(ROOT, ".wrangler", "state");
  const file = (name) => join(folder, name);
  return {
    folder,
    shownAs: folder.startsWith(ROOT) ? relative(ROOT, folder) : folder,
    settings: file("settings.env"),
    demo: file("demo.json"),
    seeds: file("seeds.json"),
    running: file("running.json"),
    registry: file("registry"),
  };
}

/** Takes the state folder for this process. The answer gives it back, and leaves no settings of ours in it. */
export async function claimState(state, port) {
  requireStateFolder(state);
  await requireIdle(state);
  try {
    mkdirSync(state.folder, { recursive: true });
    writeFileSync(state.running, JSON.stringify({ pid: process.pid, port }));
  } catch (error) {
    throw unusable(state, error);
  }
  return () => {
    for (const file of [state.running, state.settings]) rmSync(file, { force: true });
  };
}

/** Removes everything that is kept locally. */
export async function forgetState(state) {
  requireStateFolder(state);
  await requireIdle(state);
  for (const entry of entriesOf(state)) rmSync(join(state.folder, entry), { recursive: true });
  if (existsSync(state.folder)) rmdirSync(state.folder);
}

/** Null when there is no such file, or half of one. */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** A mistyped STATE_DIR must not cost anyone their files. */
function requireStateFolder(state) {
  const stranger = entriesOf(state).find((entry) => !KNOWN_ENTRIES.includes(entry));
  if (stranger) {
    throw new Failure(
      `${state.shownAs} holds "${stranger}", which is not Petrel's: point STATE_DIR to a folder of its own.`,
    );
  }
}

function entriesOf(state) {
  try {
    return readdirSync(state.folder);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw unusable(state, error);
  }
}

function unusable(state, error) {
  return new Failure(
    `The state folder ${state.shownAs} cannot be used (${error.code}): point STATE_DIR to one that you may write.`,
  );
}

/** A process id alone proves little, for it may be somebody else's after a restart: its port must be taken too. */
async function requireIdle(state) {
  const running = readJson(state.running);
  if (!running) return;
  const { pid, port } = running;
  if (isAlive(pid) && !(await isPortFree(port))) {
    throw new Failure(
      `npm start (process ${pid}, port ${port}) is using ${state.shownAs}: stop it, or set another STATE_DIR.`,
    );
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
