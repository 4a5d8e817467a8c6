import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { BIN, machinePath, ROOT } from "./paths.mjs";

/**
 * Starts a tool from node_modules, or one of our scripts by its full path, on the lockfile's Node, whatever Node the
 * machine has.
 */
export function startTool(name, args, { env, nodeArgs = [], ...options } = {}) {
  return spawn(join(BIN, "node"), [...nodeArgs, realpathSync(resolve(BIN, name)), ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      PATH: BIN + delimiter + machinePath,
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_WRITE_LOGS: "false",
      WRANGLER_HIDE_BANNER: "true",
      ...env,
    },
    ...options,
  });
}

/** Runs a tool to its end and returns its output for the caller to judge. `input` is its stdin. */
export function captureTool(name, args, { signal, env, input, cwd = ROOT } = {}) {
  const child = startTool(name, args, {
    ...{ signal, env, cwd },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  // A tool that ends without reading reports the reason itself.
  child.stdin?.on("error", () => {}).end(input);
  let stdout = "";
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8");
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, stdout, output: plain(output).trim() }));
  });
}

/** Runs a tool to its end on the user's terminal. */
export function showTool(name, args, options) {
  const child = startTool(name, args, { ...options, stdio: "inherit" });
  // The terminal sends Ctrl-C to the tool as well. The tool ends in its own way first, and then we do.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/** Returns text without colours. */
export function plain(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with the escape character
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}
