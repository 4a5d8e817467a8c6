import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, inject, it } from "vitest";
import { captureTool } from "../../scripts/lib/tools.mjs";
import { Limits, limitSqlite } from "../simulation/parts/limits.mjs";
import { scansOf } from "../simulation/parts/scans.mjs";

const planted: { name: string; file: string; find: string }[] = JSON.parse(
  readFileSync("test/simulation/planted/faults.json", "utf8"),
);
/** Each commit begins with other seeds. It plays fewer than this. */
const seedsOfCommit = 1_000;
const firstSeed = 1_000_000;
const simulate = (...args: string[]) => captureTool("../../test/simulation/run.mjs", args);

describe("the simulated world", () => {
  it("holds what it promises in all plans that ever failed, and in seeds that no commit before has played", async () => {
    const from = String(firstSeed + seedsOfCommit * inject("turn"));
    const { code, output } = await simulate("--found", "--minutes", inject("seedMinutes"), "--from", from);
    // A seed that fails says how anybody can play it again.
    expect(code, output).toBe(0);
    expect(output).toMatch(/^\d+ seeds of 60 steps, \d+ faults, \d+ round trips: \d+ hold, 0 do not\.$/m);
  }, 300_000);

  it("goes the same way twice", async () => {
    const { code, output } = await simulate("--from", "3", "--seeds", "1", "--twice");
    expect(output).toMatch(/: 1 hold, 0 do not\.$/m);
    expect(code).toBe(0);
  }, 120_000);

  it("finds a provider that forgets what it took, and names the seed", async () => {
    const { code, output } = await simulate("--from", "1", "--seeds", "1", "--plant", "forgetful provider");
    expect(output).toMatch(
      /^seed 1: npm run simulate -- --seed 1 --steps 60 --shrink --plant "forgetful provider"\n {2}\d+ deeds within \d+ s, with faults: /m,
    );
    expect(output).toMatch(/took it 2 times/);
    expect(code).toBe(1);
  }, 120_000);

  it.each([
    [["--planted", "--only", "no such fault"], 'No planted fault has "no such fault" in its name'],
    [["--only", "forgets"], "--only goes with --planted."],
    [["--plant", "forgetful"], '--plant takes "forgetful provider", not "forgetful".'],
  ])("is not played with %j, which names no fault", async (args, message) => {
    const { code, output } = await captureTool("../../scripts/simulate.mjs", args);
    expect(output).toContain(message);
    expect(code).toBe(1);
  });

  it("counts the limits of the platform", () => {
    const [world, invocation] = [new Limits(), { statements: 1_000 }];
    const statement =
      (sql: string, parameters: unknown[] = []) =>
      () =>
        world.checkStatement({ sql, parameters });
    expect(statement("SELECT ?", Array(101).fill(1))).toThrow("too many SQL variables: 101");
    expect(statement(`SELECT '${"a".repeat(100_000)}'`)).toThrow("statement too long");
    expect(statement("SELECT ?", ["a".repeat(2_000_001)])).toThrow("2000001 bytes");
    expect(() => world.checkStatement({ sql: "SELECT 1", parameters: [] }, invocation)).toThrow("1000 statements");
    expect(() => world.checkMessages(Array(101).fill({ body: 1 }))).toThrow("101 messages");
    expect(() => world.checkMessages([{ body: "a".repeat(128_000) }])).toThrow("128002 bytes");
    expect(world.passed.size).toBe(6);
    const sqlite = new DatabaseSync(":memory:");
    limitSqlite(sqlite);
    sqlite.exec(
      "CREATE TABLE contacts (project_id INTEGER, email TEXT, PRIMARY KEY (project_id, email)) WITHOUT ROWID",
    );
    expect(() => sqlite.prepare(`SELECT ${Array(6).fill("1").join(" UNION SELECT ")}`)).toThrow("too many terms");
    expect(scansOf(sqlite, "SELECT * FROM contacts c WHERE email = ?")).toHaveLength(1);
    expect(scansOf(sqlite, "SELECT * FROM contacts c WHERE project_id = ?")).toEqual([]);
    expect(scansOf(sqlite, "SELECT * FROM contacts LIMIT 10")).toEqual([]);
  });

  it.each(planted)("has a place in the sources for: $name", ({ file, find }) => {
    const source = readFileSync(`src/${file}`, "utf8");
    expect(source.split(find)).toHaveLength(2);
  });
});
