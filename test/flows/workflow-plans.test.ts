import { expect, it } from "vitest";
import { cancelAllExecutions } from "../../src/features/workflows/executions/cancel";
import { listExecutions } from "../../src/features/workflows/executions/list";
import { type Allowed, dueHosts, expectBounded } from "../support/plan";
import { newProject } from "../support/project";
import { newTemplate } from "../support/template";
import { addressOf, executionsOf, newWorkflow, track } from "../support/workflow";
import { World } from "../support/world";

const hourMs = 60 * 60_000;

/** The runs, mails or events of one round or message: a hundred at most. */
const itemsOfRound: Allowed = { sql: /json_each\(\?\)/, step: /TEMP B-TREE FOR (ORDER BY|GROUP BY|json_group_array)/ };

it("goes through every type of step without walking through what a project already has", async () => {
  const [world, project] = [new World(), await newProject()];
  const { id: templateId } = await newTemplate(project, { type: "MARKETING" });
  const { id } = await newWorkflow(project, {
    steps: {
      mail: ["SEND_EMAIL", {}, { templateId }],
      later: ["DELAY", { amount: 1, unit: "hours" }],
      check: ["CONDITION", { field: "data.plan", operator: "equals", value: "pro" }],
      note: ["UPDATE_CONTACT", { data: { n: "{{ plan }}" }, subscribed: false }],
      back: ["UPDATE_CONTACT", { data: { n: "again" }, subscribed: true }],
      wait: ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: 3_600 }],
      exit: ["EXIT", { reason: "Done" }],
    },
    ways: [
      ["TRIGGER", "mail"],
      ["mail", "later"],
      ["later", "check"],
      ["check", "note", "yes"],
      ["note", "back"],
      ["back", "wait"],
      ["wait", "exit"],
    ],
  });
  const { contactId } = await track(world, project, "signup", { data: { plan: "pro" } });
  const { contactId: other } = await track(world, project, "signup", { email: "bob@example.com" });
  await world.drain();
  world.now += hourMs;
  await world.ring(addressOf(project, contactId));
  await world.ring(addressOf(project, other));
  await track(world, project, "purchase");
  await world.drain();
  const [execution] = await executionsOf(world, project, contactId);
  expect(execution).toMatchObject({ status: "EXITED", exitReason: "Done" });
  const { ctx } = await world.context(project);
  await listExecutions(ctx, id, { page: 1, pageSize: 20, status: "EXITED" });
  await cancelAllExecutions(ctx, id);
  await world.sweep();
  const statements = [...new Map(world.statements.map((one) => [one.sql, one])).values()];
  await expectBounded(
    statements.filter(({ sql }) => /workflow_|json_each/.test(sql)),
    [itemsOfRound, dueHosts],
  );
});
