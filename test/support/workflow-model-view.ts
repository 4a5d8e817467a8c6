import type { StepType } from "../../src/core/workflows/step";
import {
  type ConfigOf,
  isOfType,
  type ModelContact,
  type ModelStep,
  type ModelWorkflow,
  nextOf,
} from "./workflow-model-graph";
import type { Play } from "./workflow-model-play";
import type { ExecutionRow, StepRow } from "./workflow-model-rows";
import type { ModelEvent, Moment } from "./workflow-model-timeline";

/** What an execution may have seen of the world, and when. */
export class View {
  constructor(
    readonly play: Play,
    readonly row: ExecutionRow,
  ) {}

  get now(): number {
    return this.play.world.now;
  }

  moments(from: number, to: number): Moment[] {
    return this.play.timeline.between(from, to);
  }

  /** The graph as it may have been read between these times. */
  graphs(from: number, to: number): ModelWorkflow[] {
    return this.moments(from, to).flatMap(({ workflows }) => workflows.get(this.row.workflow_id) ?? []);
  }

  contacts(from: number, to: number): (ModelContact | null)[] {
    return this.moments(from, to).map(({ contacts }) => contacts.get(this.row.contact_id) ?? null);
  }

  /** What it was given, which is forgotten with its contact. */
  get contexts(): Record<string, unknown>[] {
    return this.isErased() ? [{}, { gift: "book" }] : [JSON.parse(this.row.context ?? "{}")];
  }

  isErased(): boolean {
    return this.contacts(this.row.started_at, this.now).includes(null);
  }

  nextAfter(step: StepRow): (ModelStep | "end")[] {
    return this.graphs(step.started_at, step.completed_at ?? this.now).flatMap((graph) =>
      graph.steps.has(step.step_id) ? [nextOf(graph, step.step_id, step.branch)] : [],
    );
  }

  /**
   * How a step that asks nobody may have been set up. It follows at once on the one before, by the graph that was read
   * before that had its effect.
   */
  configs<T extends StepType>(step: StepRow, type: T): ConfigOf<T>[] {
    const before = this.row.steps.find(({ ordinal }) => ordinal === step.ordinal - 1);
    const to = step.completed_at ?? this.row.completed_at ?? this.now;
    const found = this.graphs(before?.started_at ?? step.started_at, to).flatMap(({ steps }) => {
      const known = steps.get(step.step_id);
      return isOfType(known, type) ? [known.config] : [];
    });
    return [...new Map(found.map((config) => [JSON.stringify(config), config])).values()];
  }

  spanOf({ started_at, completed_at }: StepRow): [number, number] {
    return [started_at, completed_at ?? this.row.completed_at ?? this.now];
  }

  /** Events of the contact with that name that a wait hears which begins after `since`. */
  heard(name: string, since: string, takesPublic: boolean): ModelEvent[] {
    return this.play.timeline.events.filter(
      (event) =>
        event.contactId === this.row.contact_id &&
        event.name === name &&
        event.id > since &&
        (!event.isPublic || takesPublic),
    );
  }

  newest(at: number): string {
    return (
      this.play.timeline.events.findLast((event) => event.contactId === this.row.contact_id && event.at <= at)?.id ?? ""
    );
  }
}
