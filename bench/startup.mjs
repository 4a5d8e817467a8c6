import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildBundle } from "../scripts/lib/bundle.mjs";
import { BIN } from "../scripts/lib/paths.mjs";
import { findFreePort } from "../scripts/lib/port.mjs";
import { readWranglerToml } from "../scripts/lib/wrangler-toml.mjs";
import { median } from "./load.mjs";
import { compare, single } from "./report.mjs";

const starts = 15;
const readyWithinMs = 30_000;

/**
 * Measures what a deploy uploads, and the cost of its start: the CPU time of all threads of a workerd that compiles and
 * evaluates it, next to one that starts an empty Worker. Both start in turns, and neither is asked for anything of the
 * product.
 */
export async function benchStartup() {
  const folder = mkdtempSync(join(tmpdir(), "petrel-startup-"));
  try {
    const { file, bytes, gzipBytes } = await buildBundle(folder);
    single("What a deploy uploads", bytes / 1_000_000, "MB", "≤ 2.6");
    single("What a deploy uploads, compressed", gzipBytes / 1_000, "kB", "≤ 700");
    copyFileSync(file, join(folder, "petrel.js"));
    writeFileSync(join(folder, "empty.js"), "");
    if (platform() !== "linux") return;
    const petrel = [];
    const empty = [];
    for (let start = 0; start < starts; start++) {
      petrel.push(await startMs(folder, "petrel.js"));
      empty.push(await startMs(folder, "empty.js"));
    }
    const typical = (values) => ({ value: median(values.toSorted((one, other) => one - other)), unit: "ms" });
    compare({
      title: "CPU of a workerd that starts, all its threads",
      ours: { start: typical(petrel) },
      bare: { start: typical(empty) },
      aims: { start: "≤ 8.3" },
      names: { ours: "Petrel", bare: "empty" },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function startMs(folder, module) {
  const port = await findFreePort();
  writeFileSync(join(folder, "entry.js"), 'import "bundle.js"; export default { fetch: () => new Response("") };');
  writeFileSync(join(folder, "config.capnp"), configOf(module, port));
  const workerd = spawn(join(BIN, "workerd"), ["serve", "config.capnp"], {
    cwd: folder,
    stdio: "ignore",
    detached: true,
  });
  const ended = new Promise((resolve, reject) => workerd.on("exit", resolve).on("error", reject));
  try {
    await untilAnswer(`http://127.0.0.1:${port}/`);
    return cpuMs(workerd.pid);
  } finally {
    workerd.kill("SIGKILL");
    await ended;
  }
}

/** Returns the CPU time of all threads of a process, to the nanosecond. Only available on Linux. */
function cpuMs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spentNs = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]));
  return spentNs.reduce((sum, ns) => sum + ns, 0) / 1_000_000;
}

async function untilAnswer(url) {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline) {
    if (await fetch(url).catch(() => null)) return;
    await sleep(10);
  }
  throw new Error("workerd does not start with the bundle");
}

function configOf(module, port) {
  const { compatibility_date: date, compatibility_flags: flags } = readWranglerToml();
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "worker", worker = (
    modules = [(name = "entry.js", esModule = embed "entry.js"), (name = "bundle.js", esModule = embed "${module}")],
    compatibilityDate = "${date}",
    compatibilityFlags = ${JSON.stringify(flags)},
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "worker")],
);`;
}
