import { describe, expect, it } from "vitest";
import { captureTool } from "../../scripts/lib/tools.mjs";

const simulate = (...args: string[]) => captureTool("../../test/simulation/run.mjs", args);

describe("the simulated world", () => {
  it("holds what it promises, and goes the same way twice", async () => {
    const { code, output } = await simulate("--seeds", "2", "--twice");
    expect(output).toMatch(/^2 seeds of 60 steps, \d+ faults, \d+ round trips: 2 hold, 0 do not\.$/m);
    expect(code).toBe(0);
  }, 120_000);

  it("finds a provider that forgets what it took, and names the seed", async () => {
    const { code, output } = await simulate("--from", "3", "--seeds", "1", "--plant", "forgetful provider");
    expect(output).toMatch(/^seed \d: npm run simulate -- --seed \d --steps 60 --trace$/m);
    expect(output).toMatch(/is SENT, and the provider took it 2 times/);
    expect(code).toBe(1);
  }, 120_000);
});
