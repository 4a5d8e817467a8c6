import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ASSETS, ROOT } from "./paths.mjs";

const SOURCE = join(ROOT, "node_modules", "@scalar", "api-reference", "dist", "browser", "standalone.js");
const COPY = join(ASSETS, "standalone.js");

/** Puts the script of /docs where the Worker serves it from. False when the package is not installed. */
export function copyAssets() {
  mkdirSync(ASSETS, { recursive: true });
  if (!existsSync(SOURCE)) return false;
  // A Worker that runs reloads when the file is written.
  const isThere = existsSync(COPY) && statSync(COPY).size === statSync(SOURCE).size;
  if (!isThere) copyFileSync(SOURCE, COPY);
  return true;
}
