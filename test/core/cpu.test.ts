import { expect, it } from "vitest";
import { openCpu, partOf } from "../../src/core/cpu";

it("is spent when as much was computed as it has", () => {
  const cpu = openCpu(100);
  cpu.spend(99);
  expect(cpu.isSpent()).toBe(false);
  cpu.spend(1);
  expect(cpu.isSpent()).toBe(true);
});

it("a part of it ends by itself, or with the whole", () => {
  const whole = openCpu(100);
  const first = partOf(whole, 60);
  first.spend(60);
  expect([first.isSpent(), whole.isSpent()]).toEqual([true, false]);
  const second = partOf(whole, 60);
  second.spend(40);
  expect([second.isSpent(), whole.isSpent()]).toEqual([true, true]);
});

it("leaves a machine three times slower than the measured one within the platform's 60 s, with a last round as long as all before", () => {
  const cpu = openCpu();
  const unitsPerRendering = 10_000_000;
  let renderings = 0;
  for (; !cpu.isSpent(); renderings++) cpu.spend(unitsPerRendering);
  const measuredMsPerRendering = 80;
  expect(2 * renderings * measuredMsPerRendering * 3).toBeLessThan(60_000);
});
