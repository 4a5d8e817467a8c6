import { idOf } from "./contacts.mjs";
import { journey } from "./tenant.mjs";

/** What tenants do with their workflow, while people are in it. */
export const workflowDeeds = {
  async changeWorkflow(caller, { draws: [draw] }) {
    const { name, workflow, marketing } = caller.tenant;
    const document = journey(name, marketing.id, Math.floor(draw * 3));
    await caller.insist("PUT", `/workflows/${workflow.id}/document?force=true`, { body: document });
  },

  async startExecution(caller) {
    const contactId = await idOf(caller, caller.address());
    if (contactId === null) return;
    const path = `/workflows/${caller.tenant.workflow.id}/executions`;
    await caller.ask("POST", path, { body: { contactId }, allowed: [404, 409] });
  },

  async cancelExecutions(caller) {
    await caller.insist("POST", `/workflows/${caller.tenant.workflow.id}/executions/cancel-all`);
  },
};
