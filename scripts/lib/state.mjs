import { readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "./failure.mjs";
import { takeLock } from "./lock.mjs";
import { ROOT } from "./paths.mjs";

// wrangler stores D1, R2 and the objects in v3; the rest is ours.
const KNOWN_ENTRIES = ["v3", "registry", "demo.json", "seeds.json", "lock", "settings.env"];
// Files of earlier versions.
const OLD_ENTRIES = ["running.json"];

/** How long the Worker of a killed `npm start` may take to notice that and end by itself. */
const LEFT_BEHIND_WITHIN_MS = 10_000;

/** Returns where local state is stored: STATE_DIR, or .wrangler/state in the checkout. */
export function locateState(environment) {
  const folder = environment.STATE_DIR ? resolve(environment.STATE_DIR) : join(ROOT, ".wrangler", "state");
  const file = (name) => join(folder, name);
  return {
    folder,
    shownAs: folder.startsWith(ROOT) ? relative(ROOT, folder) : folder,
    settings: file("settings.env"),
    demo: file("demo.json"),
    seeds: file("seeds.json"),
    lock: file("lock"),
    registry: file("registry"),
  };
}

/**
 * Claims the state folder for this process. `release` gives it back, and leaves no settings of ours in it; `shareWith`
 * also keeps it for a process group, in case this process is killed.
 */
export async function claimState(state, port, { waitMs = LEFT_BEHIND_WITHIN_MS } = {}) {
  requireStateFolder(state);
  const { release, shareWith } = await lockState(state, { command: "npm start", port }, waitMs);
  return {
    shareWith,
    release() {
      rmSync(state.settings, { force: true });
      release();
    },
  };
}

/** Deletes all local state. */
export async function forgetState(state) {
  requireStateFolder(state);
  const { release } = await lockState(state, { command: "npm run reset" });
  try {
    for (const entry of entriesOf(state)) {
      if (entry !== "lock") rmSync(join(state.folder, entry), { recursive: true });
    }
  } finally {
    release();
  }
  removeEmpty(state.lock);
  removeEmpty(state.folder);
}

/** Returns the content of a JSON file; null when the file does not exist, or is incomplete. */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** Throws unless the folder is a state folder, so that a mistyped STATE_DIR costs nobody their files. */
function requireStateFolder(state) {
  const stranger = entriesOf(state).find((entry) => ![...KNOWN_ENTRIES, ...OLD_ENTRIES].includes(entry));
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

/** Lets only one process at a time write into the folder. */
async function lockState(state, about, waitMs = LEFT_BEHIND_WITHIN_MS) {
  const note = { pid: process.pid, since: new Date().toISOString(), ...about };
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = await takeLock(state.lock, note).catch((error) => {
      throw unusable(state, error);
    });
    if (lock.release) return lock;
    if (lock.group === undefined) {
      throw new Failure(`${describe(lock.holder)} is using ${state.shownAs}: stop it, or set another STATE_DIR.`);
    }
    if (Date.now() > deadline) throw leftBehind(state, lock);
    await sleep(50);
  }
}

function leftBehind(state, { holder, group }) {
  return new Failure(
    `${describe(holder)} was killed, and its Worker, process group ${group}, still uses ${state.shownAs}: end it with kill -9 -- -${group}, or set another STATE_DIR.`,
  );
}

function describe(holder) {
  if (holder === null) return "Another process";
  const { command, pid, port, since } = holder;
  const where = port === undefined ? "" : `, port ${port}`;
  return `${command} (process ${pid}${where}, since ${since.slice(0, 19).replace("T", " ")} UTC)`;
}

/** Removes the folder, unless something has been put into it meanwhile. */
function removeEmpty(folder) {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (error.code !== "ENOTEMPTY" && error.code !== "ENOENT") throw error;
  }
}
