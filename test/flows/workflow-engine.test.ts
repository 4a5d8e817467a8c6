import { describe, expect, it } from "vitest";
import { newProject } from "../support/project";
import { addressOf, awaitingPurchase, executionsOf, mirrorOf, newWorkflow, pathOf, track } from "../support/workflow";
import { World } from "../support/world";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe("a workflow", () => {
  it("is entered by its event, sleeps, and comes to its end", async () => {
    const world = new World();
    const project = await newProject();
    const { id } = await newWorkflow(project, {
      steps: { later: ["DELAY", { amount: 2, unit: "hours" }], exit: ["EXIT", { reason: "Done" }] },
      ways: [
        ["TRIGGER", "later"],
        ["later", "exit"],
      ],
    });
    const { contactId } = await track(world, project, "signup", { data: { plan: "pro" } });
    await world.drain();
    const [asleep] = await executionsOf(world, project, contactId);
    expect(asleep).toMatchObject({
      workflowId: id,
      status: "WAITING",
      context: { event: { plan: "pro" } },
      completedAt: null,
    });
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "WAITING", wake_at: world.now + 2 * hourMs }]);

    const address = addressOf(project, contactId);
    world.now += 2 * hourMs - 1;
    expect(await world.ring(address)).toBe(false);
    world.now += 1;
    expect(await world.ring(address)).toBe(true);
    const [over] = await executionsOf(world, project, contactId);
    expect(over).toMatchObject({ status: "EXITED", exitReason: "Done", completedAt: world.now });
    expect(over && pathOf(over)).toEqual(["TRIGGER COMPLETED", "later COMPLETED", "exit COMPLETED"]);
    expect(await mirrorOf(project, contactId)).toMatchObject([
      { status: "EXITED", exit_reason: "Done", wake_at: null },
    ]);
  });

  it("waits for an event, and goes on by it or by its timeout", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, awaitingPurchase());
    const ada = await track(world, project, "signup");
    const bob = await track(world, project, "signup", { email: "bob@example.com" });
    await world.drain();
    expect(await mirrorOf(project, ada.contactId)).toMatchObject([{ status: "WAITING", awaits: "purchase" }]);
    world.now += minuteMs;
    await track(world, project, "purchase", { data: { item: "shoe" } });
    await world.drain();
    const [bought] = await executionsOf(world, project, ada.contactId);
    expect(bought).toMatchObject({ status: "EXITED", exitReason: "bought", context: { event: { item: "shoe" } } });
    world.now += hourMs;
    expect(await world.ring(addressOf(project, bob.contactId))).toBe(true);
    const [left] = await executionsOf(world, project, bob.contactId);
    expect(left).toMatchObject({ status: "EXITED", exitReason: "left" });
  });
});
