import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

interface Locked {
  version: string;
  integrity?: string;
  optional?: boolean;
  os?: string;
  cpu?: string;
  bin?: Record<string, string>;
}

const lockfile: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../package-lock.json", import.meta.url).href), "utf8"),
);
const packages = Object.entries(lockfile.packages).filter(([path]) => path !== "");

const hasIntegrity = ({ integrity }: Locked) => integrity?.startsWith("sha512-") ?? false;

it("says of every package what it must contain, but of those for other platforms", () => {
  expect(packages.filter(([, locked]) => !locked.optional && !hasIntegrity(locked)).map(([path]) => path)).toEqual([]);
});

// The package `node` has a script that installs the one of the platform, and npm knows nothing of what that must contain.
it("names the Node that the tools run on for each platform, as packages of its own", () => {
  const nodes = packages.filter(([, { bin }]) => bin?.node !== undefined).map(([, locked]) => locked);
  expect(nodes.map(({ os, cpu, optional }) => `${os} ${cpu} ${optional}`).toSorted()).toEqual([
    "darwin arm64 true",
    "darwin x64 true",
    "linux arm64 true",
    "linux x64 true",
  ]);
  expect(nodes.every(hasIntegrity)).toBe(true);
  for (const { version } of nodes) expect(version).toMatch(/^24\./);
});
