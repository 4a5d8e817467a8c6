import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const BIN = join(ROOT, "node_modules", ".bin");
export const DEV_VARS = join(ROOT, ".dev.vars");
export const ASSETS = join(ROOT, ".assets");
/** The package `petrel-client`, and its build. */
export const CLIENT = join(ROOT, "clients", "node");
export const CLIENT_BUILD = join(ROOT, "scripts", "lib", "client", "build-tool.mjs");

/** The package `petrel-cli`. */
export const CLI = join(ROOT, "clients", "cli");

/** The pages of the console, and their build. */
export const CONSOLE = join(ROOT, "console");
export const CONSOLE_BUILD = join(ROOT, "scripts", "lib", "console", "build-tool.mjs");

/** npm puts our own `.bin` first on PATH; without it, `npm` and `node` are those of the machine. */
export const machinePath = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => resolve(folder) !== BIN)
  .join(delimiter);
