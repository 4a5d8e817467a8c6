import { expect, it } from "vitest";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { planOf } from "../support/plan";
import { newProject } from "../support/project";
import { World } from "../support/world";

/** Steps of a plan that grow with the number of rows of a tenant, or of all tenants. */
function growing(plan: string): boolean {
  const tables = /\b(emails|e|contacts|c|events|email_contents|content|suppressions|s|outbox_messages)\b/;
  if (/^SCAN /.test(plan)) return tables.test(plan.replace(/^SCAN /, "").split(" ")[0] ?? "");
  // An index that is entered by the project alone is walked through all that the project has.
  return /\(project_id=\?\)$/.test(plan);
}

it("sends, delivers, tries again and sweeps without walking through what a project already has", async () => {
  const project = await newProject();
  const world = new World();
  const { ctx } = await world.context(project);
  const call = { from: `hi@${project.domain}`, subject: "Hi", body: "Hi", data: { plan: "pro" }, subscribed: true };
  await sendEmails(ctx, SendEmail.parse({ ...call, to: ["ada@example.com", "bob@example.com"] }));
  world.answer = () => ({ kind: "busy", reason: "429" });
  await world.pass(1);
  world.answer = () => ({
    kind: "accepted",
    providerMessageId: "m",
    reports: [{ kind: "delivered" }, { kind: "complained" }],
  });
  await world.pass(3);

  expect(world.statements.length).toBeGreaterThan(20);
  for (const { sql, values } of world.statements) {
    const steps = await planOf({ sql, values });
    expect(steps.filter(growing), sql).toEqual([]);
  }
});
