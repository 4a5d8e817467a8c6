import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./found", import.meta.url));

/** The plans that once failed, by their names. */
export function foundPlans() {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files
    .sort()
    .map((name) => ({ name: name.slice(0, -5), ...JSON.parse(readFileSync(join(folder, name), "utf8")) }));
}

/** Keeps a plan that fails, with what did not hold. Returns its file. */
export function keepPlan({ seed, rates, withinMs, entries }, faults) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `seed-${seed}.json`);
  writeFileSync(file, `${JSON.stringify({ why: faults[0], seed, rates, withinMs, entries }, null, 2)}\n`);
  return file;
}
