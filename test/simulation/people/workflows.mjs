import { idOf, isGood, listOf } from "./contacts.mjs";
import { drawDocument, kindsOfEvents } from "./documents.mjs";

/** What tenants do with their workflows, while people are in them. */
export const workflowDeeds = {
  /** Executions on steps that are gone end, or go on at another step, or are reasons to change nothing. */
  async changeWorkflow(caller, { draws: [draw, leaving] }) {
    const workflow = chosen(caller);
    const document = drawDocument(draw, workflow.given);
    const moveTo = leaving > 0.6 && leaving < 0.85 ? document.steps[0].key : undefined;
    const query = moveTo === undefined ? (leaving < 0.6 ? "?force=true" : "") : `?moveTo=${moveTo}`;
    const put = { document, moveTo, from: caller.now(), until: Number.POSITIVE_INFINITY };
    workflow.documents.push(put);
    const { status, attempts } = await caller.insist("PUT", `/workflows/${workflow.id}/document${query}`, {
      body: document,
      allowed: [409],
    });
    if (isGood(status)) put.until = caller.now();
    // A call before this one may have changed it, although nobody got its answer.
    else if (attempts === 1 && status === 409) workflow.documents.splice(workflow.documents.indexOf(put), 1);
  },

  /** Begins something, and comes back when what waits for it is about to end: workflows wait for halves of minutes. */
  async comeBack(caller, { number, draws: [draw, which, late] }) {
    const email = draw < 0.5 ? caller.address() : `c${number}@${caller.tenant.name}.example`;
    const track = (event) =>
      caller.insist("POST", "/events/track", {
        body: {
          email,
          event,
          data: { kind: { value: kindsOfEvents[number % kindsOfEvents.length], persistent: false } },
        },
        headers: { "Idempotency-Key": caller.newKey() },
        allowed: [409],
      });
    await track(which < 0.8 ? "signup" : "purchase");
    await caller.world.time.wait(30_000 * (1 + Math.floor(draw * 4)) + late * late * 20_000);
    await track(which < 0.8 ? "purchase" : "visit");
  },

  async startExecution(caller, { draws: [draw] }) {
    const contactId = await idOf(caller, caller.address());
    if (contactId === null) return;
    const path = `/workflows/${chosen(caller).id}/executions`;
    const options = { body: { contactId }, allowed: [404, 409] };
    const headers = { "Idempotency-Key": caller.newKey() };
    const { status, body } =
      draw < 0.5 ? await caller.ask("POST", path, options) : await caller.insist("POST", path, { ...options, headers });
    if (status === 201) caller.note({ is: "made", path: `${path}/${body.id}` });
  },

  async cancelExecution(caller, { draws: [draw] }) {
    const { id } = chosen(caller);
    const { status, body } = await caller.insist("GET", `/workflows/${id}/executions?pageSize=20`);
    const executions = status === 200 ? listOf(body) : [];
    if (executions.length === 0) return;
    const execution = executions[Math.floor(draw * executions.length)].id;
    await cancel(caller, "DELETE", `/workflows/${id}/executions/${execution}`, execution);
  },

  cancelExecutions: (caller) =>
    cancel(caller, "POST", `/workflows/${chosen(caller).id}/executions/cancel-all`, chosen(caller).id),
};

/** Notes from when to when what is cancelled may have ended. */
async function cancel(caller, method, path, cancelledId) {
  const fact = caller.note({
    is: "cancelling",
    cancelledId,
    begun: caller.now(),
    until: Number.POSITIVE_INFINITY,
  });
  const { status } = await caller.insist(method, path, { allowed: [404, 409] });
  if (isGood(status)) fact.until = caller.now();
}

function chosen({ tenant: { workflows }, entry: { number } }) {
  return workflows[number % workflows.length];
}
