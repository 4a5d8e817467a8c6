import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { apiOf } from "../lib/api.mjs";
import { ensureConsole } from "../lib/console/build.mjs";
import { everyMinute } from "../lib/cron.mjs";
import { ensureDemoProject } from "../lib/demo.mjs";
import { Failure } from "../lib/failure.mjs";
import { ensureInstalled } from "../lib/install.mjs";
import { followMail } from "../lib/mail-log.mjs";
import { firstOwnerLink } from "../lib/owner-link.mjs";
import { readPort, requireFree } from "../lib/port.mjs";
import { LOCAL_SENDERS } from "../lib/provider.mjs";
import { requireKnownTables } from "../lib/schema.mjs";
import { dim } from "../lib/screen.mjs";
import { adminTokenOf, readSettings, writeEnvFile } from "../lib/settings.mjs";
import { claimState, locateState } from "../lib/state.mjs";
import { welcome } from "../lib/welcome.mjs";
import { applyMigrations, fireCron, startWorker, untilReady } from "../lib/worker.mjs";
import { readWranglerToml } from "../lib/wrangler-toml.mjs";

const HELP = `
  npm start          runs Petrel on this machine until Ctrl-C

  Settings come from the environment, for example PORT=9000 npm start:

  PORT               the port to listen on; 8080
  HOST               127.0.0.1, or 0.0.0.0 for other machines too
  STATE_DIR          where the data stays; .wrangler/state
  MAIL_PROVIDER      outbox keeps the mail; ${LOCAL_SENDERS} send it
  VERBOSE=1          shows every line that the Worker logs
  DEBUG_PORT         where a debugger can attach

  All settings are in docs/settings.md. npm run reset forgets the data.
`;

/** `npm start`: sets up everything that a fresh clone needs, and runs the Worker until Ctrl-C. */
export async function main(args) {
  if (args.includes("--help") || args.includes("-h")) return console.log(HELP);
  if (args.length > 0) throw new Failure(`npm start takes no ${args[0]}: see npm start -- --help.`);
  await ensureInstalled();
  await ensureConsole();
  const port = readPort(process.env.PORT || "8080");
  const debugPort = process.env.DEBUG_PORT ? readPort(process.env.DEBUG_PORT, "DEBUG_PORT") : undefined;
  const settings = readSettings(process.env);
  const state = locateState(process.env);
  const signal = stopSignal();
  const { release, shareWith } = await claimState(state, port);
  try {
    // Checked only now, because the Worker of a killed start listens for as long as it holds the state.
    await requireFree(port);
    if (debugPort) await requireFree(debugPort, "DEBUG_PORT");
    writeEnvFile(state.settings, settings);
    await run({ port, debugPort, settings, state, signal, shareWith });
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log(dim("\nStopped."));
  } finally {
    release();
  }
}

/** Aborted when we are asked to end, when our output is no longer read, and when npm was killed. */
function stopSignal() {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => stop.abort());
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stop.abort());
  if (process.env.npm_lifecycle_event) {
    const npm = process.ppid;
    setInterval(() => process.ppid === npm || stop.abort(), 500).unref();
  }
  return stop.signal;
}

async function run({ port, debugPort, settings, state, signal, shareWith }) {
  console.log(dim("Applying the migrations …"));
  await requireKnownTables(state);
  await applyMigrations(state, signal);
  console.log(dim("Starting the Worker …"));
  const { ip, notes } = chooseAddress(process.env.HOST);
  const worker = startWorker({ port, ip, state, inspectorPort: debugPort });
  shareWith(worker.groupId);
  try {
    await Promise.race([worker.untilEnd(), serve({ worker, port, debugPort, settings, state, notes, signal })]);
  } finally {
    await worker.stop();
  }
}

async function serve({ worker, port, debugPort, settings, state, notes, signal }) {
  await untilReady(worker, signal);
  // No other process works on this state, so the Worker immediately continues what was under way at the last stop.
  fireCron(worker, "start", signal);
  const stopCron = everyMinute(readWranglerToml().triggers.crons, (cron) => fireCron(worker, cron, signal));
  try {
    const demo = await ensureDemoProject({
      call: apiOf(worker.base, signal),
      state,
      adminToken: adminTokenOf(settings),
      wantsDomain: settings.MAIL_PROVIDER === "outbox",
    });
    const base = `http://localhost:${port}`;
    const link = await firstOwnerLink({ call: apiOf(worker.base, signal), base, adminToken: adminTokenOf(settings) });
    const tokenPlace = process.env.ADMIN_TOKEN ? "the environment" : ".dev.vars";
    const allNotes = [...notes, ...settingNotes(settings)];
    console.log(welcome({ base, debugPort, demo, link, settings, state, tokenPlace, notes: allNotes }));
    if (settings.MAIL_PROVIDER === "outbox") {
      await followMail({ call: apiOf(worker.base, signal), adminToken: settings.ADMIN_TOKEN, signal });
    }
    while (!signal.aborted) await sleep(60_000, undefined, { signal });
  } finally {
    stopCron();
  }
}

/**
 * Listens for this machine only, because the outbox is open to every caller. A container would thus be unreachable;
 * there, the container decides which ports can be reached.
 */
function chooseAddress(host) {
  const inContainer = existsSync("/.dockerenv") || existsSync("/run/.containerenv");
  const fallback = inContainer ? "0.0.0.0" : "127.0.0.1";
  if (!host || host === "localhost") return { ip: host ? "127.0.0.1" : fallback, notes: [] };
  if (host === "127.0.0.1" || host === "0.0.0.0") return { ip: host, notes: [] };
  // Some shells export the machine's name as HOST, which is no reason to fail.
  return { ip: fallback, notes: [`HOST is neither 127.0.0.1 nor 0.0.0.0, so Petrel listens on ${fallback}.`] };
}

function settingNotes(settings) {
  const notes = [];
  if (settings.ENVIRONMENT !== "development") {
    notes.push(`ENVIRONMENT is ${settings.ENVIRONMENT}: the outbox asks for the ADMIN_TOKEN.`);
  }
  if (settings.OUTBOUND_ALLOW_LOOPBACK) {
    notes.push(`OUTBOUND_ALLOW_LOOPBACK: webhooks may call ${settings.OUTBOUND_ALLOW_LOOPBACK} on this machine.`);
  }
  return notes;
}
