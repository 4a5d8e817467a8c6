import { sql } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { schedules } from "../../src/core/operating/schedules";
import { emails } from "../../src/db/tables";
import { noteCron } from "../../src/engine/operating/note-cron";
import { watchHealth } from "../../src/features/health/watch";
import { Outside } from "../support/outside";
import { signedIn } from "../support/visitor";
import { accepts, World } from "../support/world";

const minuteMs = 60_000;
/** The health is that of all projects, and files before this one left theirs. */
beforeAll(async () => {
  const { platform } = new World().process();
  for (const shard of platform.shards) await platform.databaseOf(shard).delete(emails);
});

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

function providerIsOut(): void {
  world.outage = "provider";
  world.answer = () => {
    throw new Error("No answer");
  };
}

function providerIsBack(): void {
  world.outage = null;
  world.answer = accepts;
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
  providerIsOut();
  await look();
  expect([alerts(), beats()]).toEqual([[], 1]);
  // The mail to owners goes by the same provider, so the webhook is the way that is left.
  await look();
  const failure = { type: "health.turned", checks: ["mail_provider fail"] };
  expect([alerts(), beats()]).toEqual([[failure], 1]);
  await look();
  expect(alerts()).toEqual([failure]);
  providerIsBack();
  world.taken = [];
  await look();
  await look();
  await look();
  expect([alerts(), beats()]).toEqual([[failure, { type: "health.turned", checks: ["mail_provider ok"] }], 4]);
  expect(world.taken.map(({ subject }) => subject)).toContain(
    "Petrel at this installation: mail_provider has recovered",
  );
});

it("says nothing of what fails for one look alone", async () => {
  await look();
  providerIsOut();
  await look();
  providerIsBack();
  await look();
  await look();
  expect(alerts()).toEqual([]);
});

it("tells again what nobody took, until somebody does", async () => {
  providerIsOut();
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
