import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copyAssets } from "./assets.mjs";
import { Failure } from "./failure.mjs";
import { takeLock } from "./lock.mjs";
import { BIN, machinePath, ROOT } from "./paths.mjs";
import { dim } from "./screen.mjs";
import { ensureDocs } from "./site/build.mjs";

const OLDEST_TOOL_NODE = [22, 12];
const FAILED_DOWNLOAD =
  /failed with (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)/;
const OFFLINE_AFTER_FAILURES = 10;
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
// Not in node_modules, which npm ci empties.
const LOCK = join(ROOT, ".wrangler", "install-lock");

/** Installs what the lockfile lists into node_modules, including a Node that the tools can run on. */
export async function ensureInstalled() {
  if (!matchesLockfile()) await installAlone();
  // Also done here, not only as postinstall, because npm may be told to skip install scripts.
  copyAssets();
  await ensureDocs();
  requireToolNode();
}

/**
 * Whether node_modules matches the lockfile. npm lists what it installed in node_modules/.package-lock.json. Versions
 * are compared, not file times, which a checkout or an image layer changes for no reason. Packages for other platforms
 * may be missing.
 */
function matchesLockfile() {
  const installed = readInstalled(join(ROOT, "node_modules", ".package-lock.json"));
  if (!installed) return false;
  const wantedPackages = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
  return Object.entries(wantedPackages).every(([path, wanted]) => {
    const found = installed[path];
    return path === "" || (found ? found.version === wanted.version : wanted.optional);
  });
}

/** Null when there is no such file, or when npm is still writing it. */
function readInstalled(lockfile) {
  if (!existsSync(lockfile)) return null;
  try {
    return JSON.parse(readFileSync(lockfile, "utf8")).packages;
  } catch (error) {
    if (error instanceof SyntaxError || error.code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Lets one command install at a time, because two npm ci in one folder delete each other's files. The second one waits,
 * and then finds everything installed.
 */
async function installAlone() {
  const { release, shareWith } = await lockInstall();
  try {
    if (!matchesLockfile()) await install(shareWith);
  } finally {
    release();
  }
}

async function lockInstall() {
  let isTold = false;
  for (;;) {
    const lock = await takeLock(LOCK, { pid: process.pid });
    if (lock.release) return lock;
    if (!isTold) {
      const whose = lock.holder ? `process ${lock.holder.pid}` : "another process";
      console.log(dim(`Waiting for ${whose}, which is installing the packages …`));
    }
    isTold = true;
    await sleep(200);
  }
}

async function install(shareLock) {
  console.log(dim("Installing the packages of package-lock.json with npm ci: a minute or two, only this once …"));
  const { code, output, isOffline } = await npmCi(shareLock);
  if (code === 0) return;
  if (isOffline) {
    throw new Failure("npm could not reach its registry: connect this machine to the network and run it again.");
  }
  // npm's first lines tell what is wrong; after them it explains all of its flags.
  const reasons = output.split("\n").filter((line) => line.startsWith("npm error"));
  throw new Failure(`npm ci failed, so nothing could be started. It said:\n\n${reasons.slice(0, 12).join("\n")}`);
}

/**
 * Runs npm ci, and ends it after a few failed downloads when the network is missing. npm itself would repeat every
 * package several times before it gives up.
 */
function npmCi(shareLock) {
  // NODE_ENV=production would leave out the tools. The log level makes npm report how each download ended.
  const npm = spawn("npm", ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=http"], {
    cwd: ROOT,
    env: { ...process.env, PATH: machinePath },
    stdio: ["ignore", "ignore", "pipe"],
    // A separate process group, which keeps the lock if this process is killed while npm continues.
    detached: true,
  });
  if (npm.pid !== undefined) shareLock(npm.pid);
  const endWithUs = (signal) => {
    if (npm.pid !== undefined) endGroup(npm.pid, signal);
    process.exit(1);
  };
  for (const signal of END_SIGNALS) process.once(signal, endWithUs);

  let output = "";
  let isOffline = false;
  npm.stderr.on("data", (chunk) => {
    output += chunk;
    isOffline = !output.includes("fetch GET 200") && output.split(FAILED_DOWNLOAD).length > OFFLINE_AFTER_FAILURES;
    if (isOffline) endGroup(npm.pid, "SIGTERM");
  });
  return new Promise((resolve, reject) => {
    npm.on("error", () =>
      reject(new Failure("npm is not on PATH: it comes with Node, install it and run this again.")),
    );
    npm.on("close", (code) => {
      for (const signal of END_SIGNALS) process.off(signal, endWithUs);
      resolve({ code, output, isOffline });
    });
  });
}

function endGroup(groupId, signal) {
  try {
    process.kill(-groupId, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

function requireToolNode() {
  const advice = "run `npm ci` without --ignore-scripts, and then this again.";
  let version;
  try {
    version = execFileSync(join(BIN, "node"), ["--version"], { encoding: "utf8" }).trim();
  } catch {
    throw new Failure(
      `The Node that package-lock.json names is missing from node_modules or does not run here: ${advice}`,
    );
  }
  const [major, minor] = version.slice(1).split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_TOOL_NODE;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new Failure(`node_modules/.bin/node is ${version}, but ${OLDEST_TOOL_NODE.join(".")} is needed: ${advice}`);
  }
}
