import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASSETS, CONSOLE, CONSOLE_BUILD, ROOT } from "../paths.mjs";
import { captureTool } from "../tools.mjs";

const PAGE = join(ASSETS, "console", "index.html");
/** Records the sources from which the console was built. Not among the assets, because a deploy uploads those. */
const STAMP = join(ROOT, ".wrangler", "console-built-of");
const GENERATED = "generated";

/**
 * Builds the console for the Worker to serve, unless it was already built from the same sources. The product works
 * without it: a checkout may lack it, and no failure here makes a start or a deploy fail.
 */
export async function ensureConsole() {
  if (!existsSync(CONSOLE)) return;
  const version = versionOf(sources());
  if (existsSync(PAGE) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === version) return;
  const { code, output } = await captureTool(CONSOLE_BUILD, []);
  if (code !== 0) {
    console.log(`The console could not be built, so /console lacks it:\n\n${output}`);
    return;
  }
  mkdirSync(join(ROOT, ".wrangler"), { recursive: true });
  writeFileSync(STAMP, version);
}

/** The pages, the client, and the sources of the client's table of operations, each of which is next to its route. */
function sources() {
  const client = filesIn("clients/node/src").filter((file) => !file.includes(GENERATED));
  const routes = filesIn("src/features").filter((file) => /routes\.ts$/.test(file));
  const scripts = [...filesIn("scripts/lib/client"), ...filesIn("scripts/lib/console")];
  return [...filesIn("console"), ...client, ...routes, ...scripts, "package-lock.json"].toSorted();
}

function filesIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length));
}

function versionOf(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(ROOT, file)));
  return hash.digest("hex");
}
