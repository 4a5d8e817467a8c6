import type { References } from "../audience/references";
import { segmentOfEvent } from "../events/activity-types";
import { type Id, publicId } from "../ids";
import { type CausingWorkflow, causedEvents, pathTo } from "./circles";
import { definitionOf, type Graph, type Step } from "./step";
import { reachableFrom } from "./structure";
import type { Trigger } from "./trigger";

/** A probable mistake in a workflow. The workflow can be enabled even so. */
export interface Issue {
  /** A public id. Absent if the issue concerns the workflow as a whole. */
  stepId?: string;
  message: string;
}

/**
 * The segment whose entries or exits start the workflow, and the fields and events that the segment's condition names.
 */
export interface TriggerSegment {
  name: string;
  references: Pick<References, "fields" | "events">;
}

/**
 * Lists the issues of a workflow: first those of the workflow as a whole, then those of each step, in the order of the
 * steps. The list is empty if the workflow is sound.
 */
export function issuesOf(
  trigger: Trigger,
  graph: Graph,
  segment: TriggerSegment | null,
  others: readonly CausingWorkflow[] = [],
): Issue[] {
  const start = graph.steps.find(({ type }) => type === "TRIGGER");
  const reached = start ? reachableFrom(graph, start.id) : new Set<Id>();
  const steps = graph.steps.flatMap((step) => {
    const messages = [
      ...ownIssues(step, graph),
      ...(reached.has(step.id)
        ? causes(step, trigger, segment, others)
        : ["No step leads to this one, so no execution reaches it."]),
    ];
    return messages.map((message) => ({ stepId: publicId(step.id), message }));
  });
  return [...triggerIssues(trigger).map((message) => ({ message })), ...steps];
}

function triggerIssues({ triggerType, triggerConfig }: Trigger): string[] {
  return triggerType === "EVENT" && triggerConfig.eventName === null
    ? ["It has no event name: set triggerConfig.eventName. Until then it starts by hand only."]
    : [];
}

function ownIssues({ id, type, config, templateId }: Step, graph: Graph): string[] {
  const drawn = graph.transitions.filter(({ fromStepId }) => fromStepId === id).map(({ branch }) => branch);
  return definitionOf(type).issues?.(config, { templateId, drawn }) ?? [];
}

/** Returns the issues of a step that may cause the event that starts the workflow. */
function causes(
  step: Step,
  trigger: Trigger,
  segment: TriggerSegment | null,
  others: readonly CausingWorkflow[],
): string[] {
  const eventName = trigger.triggerType === "EVENT" ? trigger.triggerConfig.eventName : null;
  if (eventName === null) return [];
  if (causedEvents(step).includes(eventName)) {
    return [
      `It causes ${eventName}, which starts the workflow. An event that the workflow itself caused never starts it again.`,
    ];
  }
  const through = pathTo(eventName, causedEvents(step), others);
  if (through !== null) {
    const names = through.map((name) => JSON.stringify(name)).join(" and ");
    return [
      `Through ${names}, which it may start, it causes ${eventName}, which starts the workflow: a loop. An event that ` +
        "the workflow itself caused never starts it again.",
    ];
  }
  if (segment === null || segmentOfEvent(eventName) === null || !movesIn(step, segment)) return [];
  return [
    `It changes who is in the segment ${segment.name}, which starts the workflow: a loop. ` +
      "A contact enters one workflow by segment events at most once an hour.",
  ];
}

/** Whether a step may bring a contact into the segment or out of it. */
function movesIn(step: Step, { references: { fields, events } }: TriggerSegment): boolean {
  if (causedEvents(step).some((name) => events.includes(name))) return true;
  const written = definitionOf(step.type).writes?.(step.config) ?? [];
  return written.some((field) => fields.some((named) => named === field || named === "updatedAt"));
}
