import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { logOf } from "../simulation/log.mjs";
import { compileWorker } from "../simulation/parts/modules.mjs";
import { play } from "./play.mjs";
import { buildLastRelease, buildThis, lastReleaseCommit, withoutLastRelease } from "./versions.mjs";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "1" }, trace: { type: "boolean", default: false } },
});
const say = console.log.bind(console);
const parts = ["door", "consumer", "object"];
const names = ["this", "last"];

/** Every combination of the two versions for the parts of the Worker. */
const combinations = parts.reduce(
  (all, part) => all.flatMap((some) => names.map((version) => ({ ...some, [part]: version }))),
  [{}],
);

/** Each part of the other version: what a deployment, or its way back, leads to. */
function opposite(roles) {
  return Object.fromEntries(parts.map((part) => [part, roles[part] === "this" ? "last" : "this"]));
}

function nameOf(roles) {
  return parts.map((part) => `${part} ${roles[part]}`).join(", ");
}

/** The paths at which two values differ. */
function differences(expected, found, path = "") {
  if (isDeepStrictEqual(expected, found)) return [];
  const areObjects = [expected, found].every((value) => typeof value === "object" && value !== null);
  if (!areObjects) return [`${path.slice(1)}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...keys].flatMap((key) => differences(expected[key], found[key], `${path}.${key}`));
}

const commit = lastReleaseCommit();
if (commit === null) {
  say(withoutLastRelease);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "petrel-upgrades-"));
try {
  const bundles = { this: await buildThis(folder), last: await buildLastRelease(commit) };
  const openModules = { this: compileWorker(bundles.this), last: compileWorker(bundles.last) };
  logOf(values.trace ? say : null);
  const all = (version) => Object.fromEntries(parts.map((part) => [part, version]));
  let [days, failed, met] = [0, 0, 0];
  for (let seed = 1; seed <= Number(values.seeds); seed++) {
    const { day: alone } = await play(seed * 100, openModules, { begin: all("this"), end: all("this") });
    if (values.trace) say(JSON.stringify(alone, null, 2));
    for (const [index, begin] of combinations.entries()) {
      const end = opposite(begin);
      const faults = await play(seed * 100 + 1 + index, openModules, { begin, end }).then(
        ({ day, refused }) => {
          met += refused;
          return differences(alone, day);
        },
        (error) => [error.stack],
      );
      days += 1;
      if (faults.length === 0) continue;
      failed += 1;
      say(`seed ${seed}: ${nameOf(begin)}, and then ${nameOf(end)}`);
      for (const fault of faults.slice(0, 10)) say(`  ${fault}`);
    }
  }
  say(
    `${days} days with two versions, of which one is ${commit.slice(0, 8)}: ${days - failed} end as with one, ${failed} do not.`,
  );
  say(`${met} writes met the fence of a move.`);
  process.exitCode = failed === 0 && met > 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
