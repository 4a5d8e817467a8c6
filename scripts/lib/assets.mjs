import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ASSETS, ROOT } from "./paths.mjs";

const SOURCE = join(ROOT, "node_modules", "@scalar", "api-reference", "dist", "browser", "standalone.js");

/** Puts the script of /docs where the Worker serves it from. False when the package is not installed. */
export function copyAssets() {
  mkdirSync(ASSETS, { recursive: true });
  if (!existsSync(SOURCE)) return false;
  copyFileSync(SOURCE, join(ASSETS, "standalone.js"));
  return true;
}
