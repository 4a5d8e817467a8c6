import { Invalid } from "../../../core/errors";
import { isReservedEvent } from "../../../core/events/names";
import { type Id, newIdAt, publicId } from "../../../core/ids";
import { iso, isoOrNull } from "../../../core/time";
import { getContact } from "../../../engine/contacts/contact";
import { readGivenData } from "../../../engine/contacts/given-data";
import { graphOf, triggerOf } from "../../../engine/workflows/graph";
import { simulate } from "../../../engine/workflows/simulation/simulate";
import type { GivenEvent } from "../../../engine/workflows/simulation/world";
import type { Context } from "../../../platform/context";
import { pathOf } from "../executions/path";
import { getWorkflow } from "../workflow";
import type { SimulateWorkflow, WorkflowSimulation } from "./schema";

/**
 * Implements `POST /workflows/{id}/simulate`: the path that a contact would take, with every wait and email, and
 * without any effect. Throws NotFound for the workflow or the contact.
 */
export async function simulateWorkflow(ctx: Context, id: Id, call: SimulateWorkflow): Promise<WorkflowSimulation> {
  const [workflow, contact] = await Promise.all([getWorkflow(ctx, id), getContact(ctx, call.contactId)]);
  const graph = graphOf(workflow);
  const trigger = triggerOf(workflow.row);
  const name = trigger.triggerType === "EVENT" ? trigger.triggerConfig.eventName : null;
  const events = givenEvents(ctx, call, name ?? null);
  const start = events.find((event) => event.name === name) ?? null;
  const until = call.until ? Date.parse(call.until) : null;
  requireOrder(start?.at ?? ctx.now.getTime(), until);
  const { position, records, mails } = await simulate(ctx, {
    workflow: workflow.row,
    graph,
    contact,
    events,
    start,
    until,
  });
  return {
    path: pathOf(records, graph.steps),
    mails: mails.map((mail) => ({ at: iso(mail.at), templateId: publicId(mail.templateId), subject: mail.subject })),
    endsAt: isoOrNull(position.completedAt),
    status: position.status,
  };
}

function requireOrder(startsAt: number, until: number | null): void {
  if (until === null || until >= startsAt) return;
  const message = `Must not be before ${iso(startsAt)}, when the execution starts`;
  throw new Invalid([{ field: "until", code: "too_small", message }]);
}

/**
 * Returns the events in chronological order, with ids in the same order. `starting` is the name of the event that starts
 * the execution.
 */
function givenEvents(ctx: Context, { events }: SimulateWorkflow, starting: string | null): GivenEvent[] {
  const starts = (events ?? []).flatMap(({ at, name }) => (at && name === starting ? [Date.parse(at)] : []));
  const startsAt = starts.length === 0 ? ctx.now.getTime() : Math.min(...starts);
  return (events ?? [])
    .map(({ at, after, name, data }, index) => {
      const { own, patch } = readGivenData(ctx, data ?? {}, `events.${index}.data`);
      const time = at ? Date.parse(at) : startsAt + (after ?? 0);
      // Events of the service itself write nothing to contacts.
      const more = isReservedEvent(name) ? { source: "SYSTEM" as const, patch: {} } : { source: "API" as const, patch };
      return { at: time, name, data: own, ...more };
    })
    .toSorted((one, other) => one.at - other.at)
    .map((event) => ({ ...event, id: newIdAt(event.at) }));
}
