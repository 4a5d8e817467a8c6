import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ASSETS, ROOT } from "./paths.mjs";

/** Files next to the Worker's bundle, each from a package: the script of /docs/reference, and lists of domains. */
const COPIES = {
  "standalone.js": "@scalar/api-reference/dist/browser/standalone.js",
  "disposable-domains.json": "disposable-email-domains-js/dist/dict/disposable_email_blocklist.json",
  "mailbox-providers.json": "email-providers/all.json",
};

/** Copies the files to where the Worker serves them from. Returns the packages' files that are not installed. */
export function copyAssets() {
  mkdirSync(ASSETS, { recursive: true });
  const missing = [];
  for (const [name, path] of Object.entries(COPIES)) {
    const source = join(ROOT, "node_modules", path);
    const copy = join(ASSETS, name);
    if (!existsSync(source)) missing.push(path);
    // Copies only files that are missing or have another size, because a running Worker reloads when a file is written.
    else if (!existsSync(copy) || statSync(copy).size !== statSync(source).size) copyFileSync(source, copy);
  }
  return missing;
}
