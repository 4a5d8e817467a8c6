import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { schedules } from "../../src/core/operating/schedules";
import { noteCron } from "../../src/engine/operating/note-cron";
import { watchHealth } from "../../src/features/health/watch";
import { Outside } from "../support/outside";
import { signedIn } from "../support/visitor";
import { World } from "../support/world";

const minuteMs = 60_000;
let world: World;
let outside: Outside;
let hookStatus = 200;

beforeEach(async () => {
  outside = new Outside();
  hookStatus = 200;
  outside.play("alerts.example", () => new Response("", { status: hookStatus }));
  outside.play("beats.example", () => new Response(""));
  world = new World();
  world.settings = {
    HEARTBEAT_URL: "https://beats.example/petrel",
    ALERT_WEBHOOK_URL: "https://alerts.example/hook",
    CONSOLE_FROM: "Petrel <console@acme.test>",
  };
  for (const cron of Object.keys(schedules)) await noteCron(world.process().platform, cron);
});

afterEach(async () => {
  const { control } = world.process().platform;
  await control.run(sql`DELETE FROM health_states`);
  await control.run(sql`DELETE FROM cron_runs`);
});

/** Looks once, five minutes after the look before. */
async function look(): Promise<void> {
  world.now += 5 * minuteMs;
  const { platform } = world.process();
  for (const cron of Object.keys(schedules)) await noteCron(platform, cron);
  const provider = { ...platform.config.mail.provider, name: "double" };
  const config = { ...platform.config, mail: { ...platform.config.mail, provider } };
  await watchHealth({ ...platform, config, reporterOf: () => async () => null, sleep: (ms) => scheduler.wait(ms) });
}

const alerts = () =>
  outside.callsTo("alerts.example").map(({ json }) => ({
    type: json.type,
    checks: json.data.checks.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`),
  }));
const beats = () => outside.callsTo("beats.example").length;

it("tells of a failure that stays once, and of its end once, and beats while nothing fails", async () => {
  await signedIn("owner");
  await look();
  expect([alerts(), beats()]).toEqual([[], 1]);
  world.outage = "provider";
  await look();
  expect([alerts(), beats()]).toEqual([[], 1]);
  // The mail to owners goes by the same provider, so the webhook is the way that is left.
  await look();
  const failure = { type: "health.turned", checks: ["mail_provider fail"] };
  expect([alerts(), beats()]).toEqual([[failure], 1]);
  await look();
  expect(alerts()).toEqual([failure]);
  world.outage = null;
  world.taken = [];
  await look();
  await look();
  await look();
  expect([alerts(), beats()]).toEqual([[failure, { type: "health.turned", checks: ["mail_provider ok"] }], 4]);
  expect(world.taken.map(({ subject }) => subject)).toContain(
    "Petrel at this installation: mail_provider is well again",
  );
});

it("says nothing of what fails for one look alone", async () => {
  await look();
  world.outage = "provider";
  await look();
  world.outage = null;
  await look();
  await look();
  expect(alerts()).toEqual([]);
});

it("tells again what nobody took, until somebody does", async () => {
  world.outage = "provider";
  hookStatus = 500;
  await look();
  await look();
  await look();
  expect(alerts()).toHaveLength(2);
  hookStatus = 200;
  await look();
  await look();
  expect(alerts()).toHaveLength(3);
});
