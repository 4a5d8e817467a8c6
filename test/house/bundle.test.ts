import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundle, buildBundle } from "../../scripts/lib/bundle.mjs";

const folder = mkdtempSync(join(tmpdir(), "petrel-bundle-"));
let bundle: Bundle;

beforeAll(async () => {
  bundle = await buildBundle(folder);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe("the bundle that a deploy uploads", () => {
  it("is at most 2.6 MB, and 850 kB compressed", () => {
    expect(bundle.bytes).toBeLessThanOrEqual(2_600_000);
    expect(bundle.gzipBytes).toBeLessThanOrEqual(850_000);
  });

  it("has zod's messages in English alone", () => {
    const languages = pathsWith("zod/v4/locales/").map((path) => path.split("/").at(-1));
    expect(languages).toEqual(["en.js"]);
  });

  it("has no table of entities but the two by which HTML is read", () => {
    const tables = pathsWith("generated/").filter((path) => path.includes("entities/"));
    expect(tables.map((path) => path.split("/").at(-1))).toEqual(["decode-data-html.js", "decode-data-xml.js"]);
  });

  // A new one is no fault. It is named here so that nobody uploads a large package without having seen it.
  it("has no package of more than 50 kB but these", () => {
    const large = Object.entries(bytesOfPackages()).filter(([, bytes]) => bytes > 50_000);
    const named = ["@modelcontextprotocol/server", "drizzle-orm", "liquidjs", "tldts", "zod"];
    expect(large.map(([name]) => name).toSorted()).toEqual(named);
  });
});

function pathsWith(part: string): string[] {
  return Object.entries(bundle.inputs)
    .filter(([path, bytes]) => path.includes(part) && bytes > 0)
    .map(([path]) => path)
    .toSorted();
}

function bytesOfPackages(): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [path, bytes] of Object.entries(bundle.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    if (name !== undefined) sums[name] = (sums[name] ?? 0) + bytes;
  }
  return sums;
}
