import { listOf } from "../../people/contacts.mjs";
import { publicId, storedId } from "../ids.mjs";
import { slackMs } from "./documents.mjs";
import { isAfter, pathFaults } from "./path.mjs";
import { startFaults } from "./starts.mjs";

/** What was begun before a restore by rows of before it may begin its execution so much later. */
const cutMs = 60_000;

/**
 * Each execution has walked a path that the specification allows, each step has had its effect once, and each event has
 * started what it was to start.
 */
export async function pathsNotAllowed(world, state) {
  const deleted = new Set(state.facts.filter(({ is }) => is === "deleted").map(({ tenant }) => tenant));
  const faults = [];
  for (const tenant of state.tenants.filter(({ name }) => !deleted.has(name))) {
    const rows = rowsOf(world, state, state.numberOf.get(tenant.name));
    for (const workflow of tenant.workflows) faults.push(...(await faultsOf(world, state, tenant, workflow, rows)));
  }
  return faults;
}

async function faultsOf(world, state, tenant, workflow, rows) {
  const executions = await readExecutions(world, tenant, workflow);
  const { documents } = workflow;
  const seen = executions
    .filter(({ contactId }) => rows.contacts.has(contactId))
    .map((execution) => {
      const taken = rows.takenBy(execution.id);
      return {
        ...{ execution, documents, taken, mails: rows.mails, calls: world.outside.receivers.calls },
        contact: rows.contacts.get(execution.contactId),
        events: rows.events.get(execution.contactId) ?? [],
        hasGaps: hasGaps(execution, documents),
        isByEvent: isByEvent(execution, workflow, taken),
        isCancelled: (reason, from, to) => isCancelled(state, tenant, workflow, execution, reason, from, to),
        isFaultless: world.faults.drawn === 0,
        isOnTime: !world.faults.counts.clocksDiffer,
        isOnClock: tenant.isOnClock,
      };
    });
  return [
    ...seen
      .filter((one) => !isCutByRestore(state, tenant, one.execution))
      .flatMap((one) =>
        pathFaults(one).map((fault) => `Execution ${one.execution.id} of ${one.contact.email} ${fault}`),
      ),
    ...startFaults(state, tenant, workflow, seen, rows),
  ];
}

/** Whether a database went back while an execution was on its way. */
function isCutByRestore({ restored }, { name }, { startedAt, completedAt }) {
  return restored.some(
    ({ names, from, to }) =>
      names.has(name) &&
      Date.parse(startedAt) <= to + cutMs &&
      (Date.parse(completedAt) || Number.POSITIVE_INFINITY) >= from - slackMs,
  );
}

async function readExecutions(world, { key }, { id }) {
  const { body } = await world.call("GET", `/workflows/${id}/executions?pageSize=100`, { key });
  const executions = [];
  for (const one of listOf(body)) {
    const { status, body: whole } = await world.call("GET", `/workflows/${id}/executions/${one.id}`, { key });
    // One that its object has forgotten is in a row alone.
    if (status !== 404) executions.push(whole);
  }
  return executions;
}

/** Whether it has come to a step twice. */
function hasGaps({ steps }, documents) {
  return steps.some(
    (step, place) => place > 0 && !isAfter(steps[place - 1], step, steps.slice(place + 1), documents).isDirect,
  );
}

/** Whether an event has started it, and nobody by hand. */
function isByEvent(execution, { given, documents }, taken) {
  const [first] = taken;
  if (first?.name !== given.eventName || first.at > Date.parse(execution.startedAt) + slackMs) return false;
  const woken = execution.steps.filter(({ type, branch }) => type === "WAIT_FOR_EVENT" && branch === "event").length;
  return taken.length > woken || hasGaps(execution, documents);
}

/** Somebody must have cancelled it: one execution, all of the workflow, or the project was disabled. */
function isCancelled({ facts }, tenant, workflow, execution, reason, from, to) {
  const own = facts.filter(({ tenant: name, begun }) => name === tenant.name && begun <= to + slackMs);
  const isSince = ({ until }) => until >= from - slackMs;
  if (reason === "Project disabled") return own.some(({ is }) => is === "disabling");
  return (
    reason === "Cancelled" &&
    own.some(
      (fact) => isSince(fact) && fact.is === "cancelling" && [workflow.id, execution.id].includes(fact.cancelledId),
    )
  );
}

/** The rows of a project, by the ids that the API gives. */
function rowsOf(world, { emails, facts }, number) {
  const steady = steadyEvents(facts);
  const contacts = world.rowsOf(number, "SELECT id, email, data FROM contacts WHERE project_id = ?");
  const events = world
    .rowsOf(number, "SELECT id, name, contact_id, data, is_public FROM events WHERE project_id = ?")
    .map((event) => ({
      ...event,
      at: timeOf(event.id),
      isSteady: steady.has(publicId(event.id)),
      data: JSON.parse(event.data || "{}"),
    }));
  const byId = new Map(events.map((event) => [event.id, event]));
  const started = new Map(world.objects.WORKFLOWS.rows("executions").map((row) => [publicId(row.id), row]));
  return {
    contacts: new Map(
      contacts.map(({ id, email, data }) => [publicId(id), { id: publicId(id), email, data: JSON.parse(data) }]),
    ),
    events: Map.groupBy(
      events.filter(({ contact_id: contact }) => contact !== null),
      ({ contact_id: contact }) => publicId(contact),
    ),
    mails: emails
      .filter((email) => email.project_id === number && email.effect_id !== null)
      .map((email) => ({ ...email, contact_id: publicId(email.contact_id), effect_id: publicEffect(email.effect_id) })),
    hasBeenIn: (workflowId, contactId) =>
      [...started.values()].some(
        (row) => row.workflow_id === storedId(workflowId) && row.contact_id === storedId(contactId),
      ),
    takenBy: (id) => {
      const { event_id: last, earlier } = started.get(id);
      const ids = [...JSON.parse(earlier ?? "[]"), last];
      return ids.map((one) => byId.get(one)).filter((one) => one !== undefined);
    },
  };
}

/** The events of calls during which no clock has moved. */
function steadyEvents(facts) {
  const tracked = facts.filter(({ is, clock, clockBefore }) => is === "tracked" && clock === clockBefore);
  return new Set(tracked.flatMap(({ answers }) => answers.map(({ body }) => body?.event)));
}

function publicEffect(id) {
  return id.split(":").map(publicId).join(":");
}

function timeOf(id) {
  return Number.parseInt(publicId(id).replaceAll("-", "").slice(0, 12), 16);
}
