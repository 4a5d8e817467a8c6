import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url).href), "utf8");
const exists = (path: string) => existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url).href));

/** The rows of the rules: rule, sources, what Petrel does, test. */
const rows = read("docs/deliverability.md")
  .split("\n## The rules\n")
  .slice(1)
  .flatMap((rules) => (rules.split("\n## ")[0] ?? "").split("\n"))
  .filter((line) => line.startsWith("| "))
  .slice(2)
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, rule = "", sources = "", petrel = "", test = ""]) => ({ rule, sources, petrel, test }));

describe("the rules of mailbox providers", () => {
  it("are some, of four providers", () => {
    expect(rows.length).toBeGreaterThan(15);
    for (const name of ["Gmail", "Yahoo", "Microsoft", "Apple"]) {
      expect(rows.some(({ sources }) => sources.includes(`[${name}](https://`))).toBe(true);
    }
  });

  it.each(rows)("have a source, and a test that shows it: $rule", ({ sources, petrel, test }) => {
    expect(sources).toMatch(/^(\[[\w ]+\]\(https:\/\/[^\s)]+\)(, )?)+$/);
    // Nothing here can show what others must do.
    if (/^(You|Your provider):/.test(petrel)) return expect(test).toBe("–");
    const [, file = "", name = ""] = /^`(test\/[\w/.-]+\.test\.ts)` (.+)$/.exec(test) ?? [];
    expect(exists(file), file).toBe(true);
    expect([`"${name}`, `\`${name}`].some((start) => read(file).includes(start))).toBe(true);
  });
});
