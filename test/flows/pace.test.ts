import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openPace } from "../../src/platform/mailer/pace";

const quiet = () => {};

it("keeps a lane's pause in its object, apart for each provider and lane", async () => {
  const pace = openPace(env.PACE, "double", quiet);
  expect(await pace.enter("transactional")).toEqual({ kind: "open", troubled: false });
  expect(await pace.leave("transactional", { thrown: 2 })).toBeNull();
  expect(await pace.enter("transactional")).toEqual({ kind: "open", troubled: true });
  const until = await pace.leave("transactional", { thrown: 1 });
  expect(until).toBeGreaterThan(Date.now());
  expect(await pace.enter("transactional")).toEqual({ kind: "paused", untilMs: until });
  expect(await pace.enter("campaign")).toEqual({ kind: "open", troubled: false });
  expect(await openPace(env.PACE, "other", quiet).enter("transactional")).toEqual({ kind: "open", troubled: false });
});

it("forgets the trouble when the provider answers", async () => {
  const pace = openPace(env.PACE, "healed", quiet);
  await pace.leave("transactional", { thrown: 3 });
  expect(await pace.leave("transactional", "answered")).toBeNull();
  expect(await pace.enter("transactional")).toEqual({ kind: "open", troubled: false });
});

it("lets mail go on when the object is out of reach", async () => {
  const broken = { get: () => ({}), idFromName: () => ({}) } as unknown as typeof env.PACE;
  const said: string[] = [];
  const pace = openPace(broken, "double", (_, message) => said.push(message));
  expect(await pace.enter("transactional")).toEqual({ kind: "open", troubled: false });
  expect(await pace.leave("transactional", { thrown: 3 })).toBeNull();
  expect(said).toHaveLength(2);
});
