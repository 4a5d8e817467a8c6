import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../migrations", import.meta.url).href);

/** What breaks the freeze, one sentence for each file. `frozen` is the text of `migrations/FROZEN`. */
function thawed(frozen: string, files: ReadonlyMap<string, string>): string[] {
  const sums = frozen
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(/\s+/));
  const changed = sums.flatMap(([sum = "", file = ""]) => {
    const text = files.get(file);
    if (text !== undefined && createHash("sha256").update(text).digest("hex") === sum) return [];
    const fate = text === undefined ? "is gone" : "changed";
    return [`${file} ${fate}, but databases have run it. Put it back, and write a new one: npm run db:generate.`];
  });
  const known = sums.map(([, file]) => file);
  const added = [...files.keys()]
    .filter((file) => !known.includes(file))
    .map((file) => `${file} is not frozen yet: (cd migrations && sha256sum ${file} >> FROZEN).`);
  return [...changed, ...added];
}

describe("migrations", () => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  const texts = new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
  const frozen = readFileSync(join(folder, "FROZEN"), "utf8");

  it("are frozen: databases have run them, and only a new one reaches those", () => {
    expect(thawed(frozen, texts)).toEqual([]);
  });

  it("may not be changed or removed, and a new one is frozen with them", () => {
    const [file = ""] = files;
    const sentences = (changed: [string, string][]) => thawed(frozen, new Map(changed)).join("\n");
    expect(sentences([...texts, [file, "CREATE TABLE other (id);"]])).toContain(`${file} changed, but databases`);
    expect(sentences([])).toContain(`${file} is gone`);
    expect(sentences([...texts, ["0099_more.sql", "SELECT 1;"]])).toContain("0099_more.sql is not frozen yet");
  });
});
