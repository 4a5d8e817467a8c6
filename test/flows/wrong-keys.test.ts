import { expect, it } from "vitest";
import { authenticate } from "../../src/engine/projects/authenticate";
import { newProject } from "../support/project";
import { World } from "../support/world";

it("reads the database once in ten seconds for a key that does not exist", async () => {
  const world = new World();
  const wrong = `sk_${"0123456789abcdef".repeat(4)}`;
  const reads = async () => {
    const before = world.statements.length;
    expect(await authenticate(world.process().platform, wrong)).toBeNull();
    return world.statements.length - before;
  };
  expect(await reads()).toBe(1);
  expect(await reads()).toBe(0);
  world.now += 9_000;
  expect(await reads()).toBe(0);
  world.now += 1_000;
  expect(await reads()).toBe(1);
});

it("finds a key that nobody asked for before at once, whatever was asked before", async () => {
  const world = new World();
  await authenticate(world.process().platform, `sk_${"f".repeat(64)}`);
  const project = await newProject();
  expect(await authenticate(world.process().platform, project.keys.secret)).toMatchObject({ key: { kind: "secret" } });
});
