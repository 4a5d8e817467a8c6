import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "./failure.mjs";
import { isGroupAlive } from "./processes.mjs";
import { captureTool, startTool } from "./tools.mjs";
import { watchLog } from "./worker-log.mjs";
import { databaseBindings, readWranglerToml, WRANGLER_TOML } from "./wrangler-toml.mjs";

const READY_WITHIN_MS = 60_000;
// A Worker that answers, but not with a 200, is broken rather than slow.
const REFUSALS = 2;
const STOP_WITHIN_MS = 5_000;

const givenV8Flags = process.env.MINIFLARE_WORKERD_V8_FLAGS ?? "";

/**
 * Migrates every database of wrangler.toml or of another configuration, one after another, because they share the
 * folder.
 */
export async function applyMigrations(state, signal, config = WRANGLER_TOML) {
  for (const binding of databaseBindings(readWranglerToml(config))) {
    const args = ["d1", "migrations", "apply", binding, "--local", "--persist-to", state.folder, "--config", config];
    const { code, output } = await captureTool("wrangler", args, { signal });
    if (code !== 0) {
      throw new Failure(`The migrations could not be applied to ${binding} in ${state.shownAs}:\n\n${output}`);
    }
  }
}

/** Runs `wrangler dev`, which reloads changes in src. */
export function startWorker({ port, ip, state, config, inspectorPort = 0, v8Flags = givenV8Flags }) {
  const where = ["--port", String(port), "--ip", ip, "--inspector-port", String(inspectorPort)];
  const settings = ["--env-file", state.settings, ...(config ? ["--config", config] : [])];
  const what = ["--persist-to", state.folder, ...settings, "--no-minify"];
  const child = startTool("wrangler", ["dev", ...where, ...what], {
    env: {
      // Both would open the local database to everybody who can reach the port.
      X_LOCAL_EXPLORER: "false",
      X_LOCAL_OBSERVABILITY: "false",
      // Request.cf stays a placeholder, so that nothing outside is called.
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      // All copies on a machine share one registry by default.
      WRANGLER_REGISTRY_PATH: state.registry,
      MINIFLARE_WORKERD_V8_FLAGS: v8Flags,
    },
    nodeArgs: ["--import", new URL("leash.mjs", import.meta.url).href],
    stdio: ["pipe", "pipe", "pipe"],
    // A separate process group, so that the Worker is stopped together with everything that it starts.
    detached: true,
  });
  const log = watchLog(child, { verbose: Boolean(process.env.VERBOSE) });
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });

  return {
    base: `http://127.0.0.1:${port}`,
    /** The group of its processes. */
    groupId: child.pid,
    /** Rejects when the Worker ends without having been stopped. */
    async untilEnd() {
      const how = await ended;
      throw new Failure(explain(`wrangler ended by itself (${how}).`, log));
    },
    stop: () => stopGroup(child.pid, ended),
    explain: (problem) => explain(problem, log),
  };
}

export async function untilReady(worker, signal) {
  const deadline = Date.now() + READY_WITHIN_MS;
  let answer = "nothing";
  for (let refusals = 0; refusals < REFUSALS && Date.now() < deadline; ) {
    try {
      const response = await fetch(`${worker.base}/health`, { signal });
      if (response.ok) return;
      answer = response.status;
      refusals += 1;
    } catch (error) {
      if (signal.aborted) throw error;
    }
    await sleep(refusals > 0 ? 2_000 : 150, undefined, { signal });
  }
  throw new Failure(worker.explain(`The Worker does not get ready: GET /health answered ${answer}.`));
}

/**
 * Runs the Worker's scheduled handler. The path is wrangler's own; it refuses callers whose host is not "localhost".
 */
export async function fireCron(worker, cron, signal) {
  const url = `${worker.base}/cdn-cgi/local/scheduled?cron=${encodeURIComponent(cron)}`;
  // A failure is in the Worker's log, and the next tick tries again.
  await fetch(url, { signal })
    .then((response) => response.text())
    .catch(() => {});
}

// Errors were shown when they occurred. Without any, the last lines are the best explanation.
function explain(problem, log) {
  return log.sawError() ? `${problem} Its errors are above.` : `${problem} It said:\n\n${log.recent()}`;
}

async function stopGroup(groupId, ended) {
  signalGroup(groupId, "SIGTERM");
  const deadline = Date.now() + STOP_WITHIN_MS;
  while (isGroupAlive(groupId)) {
    if (Date.now() > deadline) signalGroup(groupId, "SIGKILL");
    await sleep(50);
  }
  await ended;
}

function signalGroup(groupId, signal) {
  try {
    process.kill(-groupId, signal);
  } catch {
    // The Worker has ended meanwhile.
  }
}
