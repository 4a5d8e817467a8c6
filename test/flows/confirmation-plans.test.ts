import { expect, it } from "vitest";
import { confirm } from "../../src/features/preferences/confirm/confirm";
import { findRecipient } from "../../src/features/preferences/recipient";
import { ask, askPublicly, confirming, confirmPath } from "../support/confirmation";
import { expectBounded } from "../support/plan";
import { World } from "../support/world";

it("asks and confirms without walking through what a project already has, in one batch each", async () => {
  const { project } = await confirming({ monthlySendLimit: 100 });
  const world = new World();
  await askPublicly(world, project, { data: { plan: "pro" } });
  await ask(world, project, { email: "bob@example.com", subscribed: false });
  await world.drain();
  const [message] = world.taken;
  if (!message) throw new Error("Nothing was sent");
  const { platform, process } = world.process();
  const found = await findRecipient(platform, "confirm", confirmPath(message).slice("/confirm/".length));
  if (found?.contact == null) throw new Error("Nobody was found");
  expect((await confirm(found))?.state).toBe("done");
  // The project, the contact, the request, and then all of it at once.
  expect(process.steps).toHaveLength(4);
  expect(process.steps.at(-1)).toBe("batch");
  const ours = world.statements.filter(({ sql }) => sql.includes("confirmations"));
  expect(ours.length).toBeGreaterThan(10);
  await expectBounded([...new Set([...ours, ...process.statements])]);
});
