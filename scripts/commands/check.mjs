import { ensureInstalled } from "../lib/install.mjs";
import { CLIENT_BUILD } from "../lib/paths.mjs";
import { green, red } from "../lib/screen.mjs";
import { captureTool } from "../lib/tools.mjs";

const CHECKS = [
  ["types of src", "tsc", ...remembering("src"), "-p", "tsconfig.json"],
  ["types of src/core", "tsc", ...remembering("core"), "-p", "src/core"],
  ["types of clients", CLIENT_BUILD],
  ["types of test", "tsc", ...remembering("test"), "-p", "test"],
  ["types of console", "tsc", "-p", "console"],
  ["format and lint", "biome", "check", "--diagnostic-level=warn"],
  ["unused code", "knip"],
  ["rules", "vitest", "run", "--config", "test/vitest.config.ts", "--project", "core", "--project", "lists"],
];

/** Lets the compiler check only what has changed since the last run, and what depends on that. */
function remembering(name) {
  return ["--incremental", "--tsBuildInfoFile", `node_modules/.cache/petrel/${name}.tsbuildinfo`];
}

/**
 * `npm run check`: runs everything that each commit must pass, even after a failure. `--static` leaves out the tests,
 * for callers that also run `npm test`.
 */
export async function main(given = []) {
  await ensureInstalled();
  let failures = 0;
  const checks = given.includes("--static") ? CHECKS.filter(([, tool]) => tool !== "vitest") : CHECKS;
  for (const [title, tool, ...args] of checks) {
    const startedAt = Date.now();
    const { code, output } = await captureTool(tool, args);
    const seconds = `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
    console.log(`${code === 0 ? green("ok    ") : red("failed")}  ${title.padEnd(17)}  ${seconds}`);
    if (code === 0) continue;
    failures += 1;
    console.log(`\n${output}\n`);
  }
  return failures > 0 ? 1 : 0;
}
