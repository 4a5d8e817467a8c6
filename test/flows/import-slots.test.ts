import { afterEach, describe, expect, it } from "vitest";
import { publicId } from "../../src/core/ids";
import { beginUpload } from "../../src/features/contacts/imports/begin";
import { completeUpload, planUpload } from "../../src/features/contacts/imports/complete";
import { type TakenSlot, takeSlot } from "../../src/platform/memory-slots";
import { utf8 } from "../support/import";
import { storeBytes } from "../support/import-parts";
import { call, newProject, type TestProject } from "../support/project";
import { World } from "../support/world";

const megabyte = 1024 * 1024;
const line = "ada@example.com,pro\n";

/** An upload with one part of this size, which has arrived. */
async function uploaded(world: World, project: TestProject, size: number) {
  const file = utf8(`email,plan\n${line.repeat(size / line.length)}`);
  const { ctx } = await world.context(project);
  const { row } = await beginUpload(ctx, { bytes: file.byteLength }, file.byteLength);
  await storeBytes(world, project, row.id, 1, file);
  return { ctx, id: row.id };
}

const held: (TakenSlot | null)[] = [];
afterEach(() => {
  for (const slot of held.splice(0)) slot?.giveBack();
});

/** Other projects hold both slots of the isolate. */
async function fillSlots(): Promise<void> {
  held.push(await takeSlot(-1, 0), await takeSlot(-2, 0));
  expect(held).not.toContain(null);
}

/** Whether the call has ended after a while in which nothing else happens. */
async function hasEnded(call: Promise<unknown>): Promise<boolean> {
  const waited = new Promise<false>((resolve) => setTimeout(() => resolve(false), 300));
  return Promise.race([call.then(() => true), waited]);
}

const calls = {
  "a dry run": planUpload,
  "a completion that checks a mapping": (...[ctx, id]: Parameters<typeof completeUpload>) =>
    completeUpload(ctx, id, { mapping: { plan: null } }),
};

describe.each(Object.entries(calls))("%s of a large file", (_, read) => {
  it("waits for a memory slot, and gives it back", async () => {
    const [world, project] = [new World(), await newProject()];
    const { ctx, id } = await uploaded(world, project, 2 * megabyte);
    await fillSlots();
    const call = read(ctx, id, {});
    expect(await hasEnded(call)).toBe(false);
    held.pop()?.giveBack();
    await call;
    const free = await takeSlot(ctx.project.number, 0);
    held.push(free);
    expect(free).not.toBeNull();
    await world.drain();
  });

  it("leaves the second slot to a neighbour, however many calls its project makes", async () => {
    const [world, project] = [new World(), await newProject()];
    const { ctx, id } = await uploaded(world, project, 2 * megabyte);
    const own = await takeSlot(ctx.project.number, 0);
    held.push(own);
    const waiting = [1, 2, 3].map(() => read(ctx, id, {}));
    const neighbours = await takeSlot(-1, 1_000);
    expect(neighbours).not.toBeNull();
    held.push(neighbours);
    expect(await hasEnded(Promise.race(waiting))).toBe(false);
    own?.giveBack();
    await Promise.all(waiting);
    await world.drain();
  });

  it("needs none when the file is small", async () => {
    const [world, project] = [new World(), await newProject()];
    const { ctx, id } = await uploaded(world, project, megabyte / 2);
    await fillSlots();
    await read(ctx, id, {});
    expect((await project.api.get(`/contacts/imports/${publicId(id)}`)).status).toBe(200);
    await world.drain();
  });
});

it.each([
  ["POST /contacts/imports/{id}/complete", "Too many large requests"],
  ["GET /contacts/imports/{id}", "This installation has no secret to sign upload URLs"],
])("%s documents its 503", async (operation, message) => {
  const [method = "", path = ""] = operation.split(" ");
  const { body } = await call("GET", "/openapi.json");
  const { 503: described } = body.paths[path][method.toLowerCase()].responses;
  expect(JSON.stringify(described?.content)).toContain(message);
});
