import { expect, it } from "vitest";
import { ticks } from "../../src/cron";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { dueHosts, expectBounded } from "../support/plan";
import { newProject } from "../support/project";
import { World } from "../support/world";

it("sends, delivers, tries again and sweeps without walking through what a project already has", async () => {
  const project = await newProject();
  const world = new World();
  const { ctx } = await world.context(project);
  const call = { from: `hi@${project.domain}`, subject: "Hi", body: "Hi", data: { plan: "pro" }, subscribed: true };
  await sendEmails(ctx, SendEmail.parse({ ...call, to: ["ada@example.com", "bob@example.com", "cyd@example.com"] }));
  // Withheld at the hand-over.
  await project.api.post("/suppressions", { email: "cyd@example.com", reason: "complaint" });
  world.answer = () => ({ kind: "busy", reason: "429" });
  await world.pass(1);
  world.answer = () => ({
    kind: "accepted",
    providerMessageId: "m",
    reports: [{ kind: "delivered" }, { kind: "complained" }],
  });
  await world.pass(3);

  expect(world.statements.length).toBeGreaterThan(20);
  // Every sweep, also those that a tick would leave out, because it has found nothing for them.
  for (const sweep of Object.values({ ...ticks["* * * * *"], ...ticks["*/5 * * * *"] })) {
    await sweep(world.process().platform);
  }
  await expectBounded(world.statements, [
    dueHosts,
    // The emails of one call come to one month, and those of a round that never go out to few.
    { sql: /INSERT INTO monthly_usage/, step: /TEMP B-TREE FOR GROUP BY/ },
    { sql: /UPDATE monthly_usage .* FROM json_each/, step: /TEMP B-TREE FOR GROUP BY/ },
    // The emails of one message.
    { sql: /FROM json_each\(\?\) r CROSS JOIN emails e .* ORDER BY e\.abandonments/, step: /TEMP B-TREE FOR ORDER BY/ },
  ]);
});
