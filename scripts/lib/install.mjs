import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { copyAssets } from "./assets.mjs";
import { Failure } from "./failure.mjs";
import { BIN, machinePath, ROOT } from "./paths.mjs";
import { dim } from "./screen.mjs";

const OLDEST_TOOL_NODE = [22, 12];
const FAILED_DOWNLOAD =
  /failed with (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)/;
const OFFLINE_AFTER_FAILURES = 10;
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Leaves node_modules as the lockfile says, with a Node in it that the tools can run on. */
export async function ensureInstalled() {
  if (!matchesLockfile()) await install();
  // Also here, and not only as postinstall: npm may be told to skip install scripts.
  copyAssets();
  requireToolNode();
}

/**
 * npm notes what it installed in node_modules/.package-lock.json. Versions are compared, not file times, which a
 * checkout or an image layer changes without a reason. Packages for other platforms are rightly missing.
 */
function matchesLockfile() {
  const installed = readPackages(join(ROOT, "node_modules", ".package-lock.json"));
  if (!installed) return false;
  return Object.entries(readPackages(join(ROOT, "package-lock.json"))).every(([path, wanted]) => {
    const found = installed[path];
    return path === "" || (found ? found.version === wanted.version : wanted.optional);
  });
}

function readPackages(lockfile) {
  return existsSync(lockfile) ? JSON.parse(readFileSync(lockfile, "utf8")).packages : null;
}

async function install() {
  console.log(dim("Installing the packages of package-lock.json with npm ci: a minute or two, only this once …"));
  const { code, output, isOffline } = await npmCi();
  if (code === 0) return;
  if (isOffline) {
    throw new Failure("npm could not reach its registry: connect this machine to the network and run it again.");
  }
  // npm's first lines say what is wrong; after them it explains all of its flags.
  const reasons = output.split("\n").filter((line) => line.startsWith("npm error"));
  throw new Failure(`npm ci failed, so nothing could be started. It said:\n\n${reasons.slice(0, 12).join("\n")}`);
}

/** npm tries every package several times before it gives up on a missing network: this gives up after a few. */
function npmCi() {
  // NODE_ENV=production would leave out the tools. The log level makes npm say how each download ended.
  const npm = spawn("npm", ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=http"], {
    cwd: ROOT,
    env: { ...process.env, PATH: machinePath },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const endWithUs = (signal) => {
    npm.kill(signal);
    process.exit(1);
  };
  for (const signal of END_SIGNALS) process.once(signal, endWithUs);

  let output = "";
  let isOffline = false;
  npm.stderr.on("data", (chunk) => {
    output += chunk;
    isOffline = !output.includes("fetch GET 200") && output.split(FAILED_DOWNLOAD).length > OFFLINE_AFTER_FAILURES;
    if (isOffline) npm.kill();
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
