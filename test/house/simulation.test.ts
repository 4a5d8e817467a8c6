import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { captureTool } from "../../scripts/lib/tools.mjs";

const planted: { name: string; file: string; find: string }[] = JSON.parse(
  readFileSync("test/simulation/planted/faults.json", "utf8"),
);
const simulate = (...args: string[]) => captureTool("../../test/simulation/run.mjs", args);

describe("the simulated world", () => {
  it("holds what it promises in all plans that ever failed, and in half a minute of new seeds", async () => {
    const { code, output } = await simulate("--found", "--minutes", "0.5");
    expect(output).toMatch(/^\d+ seeds of 60 steps, \d+ faults, \d+ round trips: \d+ hold, 0 do not\.$/m);
    expect(code).toBe(0);
  }, 300_000);

  it("goes the same way twice", async () => {
    const { code, output } = await simulate("--from", "3", "--seeds", "1", "--twice");
    expect(output).toMatch(/: 1 hold, 0 do not\.$/m);
    expect(code).toBe(0);
  }, 120_000);

  it("finds a provider that forgets what it took, and names the seed", async () => {
    const { code, output } = await simulate("--from", "3", "--seeds", "1", "--plant", "forgetful provider");
    expect(output).toMatch(/^seed 3: npm run simulate -- --seed 3 --steps 60 --shrink$/m);
    expect(output).toMatch(/took it 2 times/);
    expect(code).toBe(1);
  }, 120_000);

  it.each(planted)("has a place in the sources for: $name", ({ file, find }) => {
    const source = readFileSync(`src/${file}`, "utf8");
    expect(source.split(find)).toHaveLength(2);
  });
});
