import type { StepType } from "../../src/core/workflows/step";
import type { ModelContact, ModelStep, ModelWorkflow } from "./workflow-model-graph";

/** What the database said from a moment on. */
export interface Moment {
  at: number;
  contacts: Map<string, ModelContact>;
  workflows: Map<string, ModelWorkflow>;
}

export interface ModelEvent {
  id: string;
  /** When it was committed. */
  at: number;
  name: string;
  contactId: string | null;
  /** A public key sent it, or caused it. */
  isPublic: boolean;
  causes: string[];
  /** The workflows that it starts, as its row says. */
  starts: string[];
  data: Record<string, unknown>;
  /** A step of a workflow caused it, and no call. */
  isCaused: boolean;
  /** The latest time before it. */
  before: Moment;
}

type Cells<T extends unknown[]> = T[];

interface Seen {
  contacts: Cells<[id: string, email: string, subscribed: number, data: string]>;
  workflows: Cells<[id: string, enabled: number, type: string, config: string, allowReentry: number]>;
  steps: Cells<
    [...[workflowId: string, id: string, type: StepType, name: string], config: string, templateId: string | null]
  >;
  ways: Cells<[workflowId: string, from: string, to: string, branch: string | null, priority: number]>;
  events: Cells<
    [
      ...[id: string, name: string, contactId: string | null, isPublic: number],
      ...[causes: string | null, starts: string | null, data: string | null],
    ]
  >;
}

const query = `SELECT json_object(
    'contacts', (SELECT json_group_array(json_array(id, email, subscribed, data)) FROM contacts WHERE project_id = ?1),
    'workflows', (SELECT json_group_array(json_array(id, enabled, trigger_type, trigger_config, allow_reentry))
      FROM workflows WHERE project_id = ?1),
    'steps', (SELECT json_group_array(json_array(workflow_id, id, type, name, config, template_id))
      FROM workflow_steps WHERE project_id = ?1),
    'ways', (SELECT json_group_array(json_array(workflow_id, from_step_id, to_step_id, branch, priority))
      FROM workflow_transitions WHERE project_id = ?1),
    'events', (SELECT json_group_array(json_array(id, name, contact_id, source = 'PUBLIC' OR is_public, causes, starts, data)) FROM (
      SELECT * FROM events WHERE project_id = ?1 AND id > ?2 ORDER BY id))) AS seen`;

/** What was in the database when. It is looked at after every step that has written, so that nothing is missed. */
export class Timeline {
  moments: Moment[] = [];
  events: ModelEvent[] = [];

  constructor(
    private readonly db: D1Database,
    private readonly project: number,
    private readonly now: () => number,
  ) {}

  async see(isByShard = false): Promise<void> {
    const last = this.events.at(-1)?.id ?? "";
    const text = await this.db.prepare(query).bind(this.project, last).first<string>("seen");
    // The query is above.
    const seen = JSON.parse(text ?? "{}") as Seen;
    const [at, before] = [this.now(), this.last];
    this.moments.push({ at, ...momentOf(seen) });
    for (const [id, name, contactId, isPublic, causes, starts, data] of seen.events) {
      this.events.push({
        ...{ id, at, name, contactId, isPublic: isPublic === 1, before, isCaused: isByShard },
        ...{ causes: JSON.parse(causes ?? "[]"), starts: JSON.parse(starts ?? "[]"), data: JSON.parse(data ?? "{}") },
      });
    }
  }

  get last(): Moment {
    return this.moments.at(-1) ?? { at: 0, contacts: new Map(), workflows: new Map() };
  }

  /** What it may have said to somebody who asked between these two times. */
  between(from: number, to: number): Moment[] {
    const first = this.moments.findLastIndex(({ at }) => at <= from);
    const last = this.moments.findLastIndex(({ at }) => at <= to);
    return this.moments.slice(Math.max(0, first), last + 1);
  }

  /** As it was last seen. */
  contact(id: string): ModelContact | null {
    return this.moments.findLast(({ contacts }) => contacts.has(id))?.contacts.get(id) ?? null;
  }
}

function momentOf({ contacts, workflows, steps, ways }: Seen): Omit<Moment, "at"> {
  return {
    contacts: new Map(
      contacts.map(([id, email, subscribed, data]) => [
        id,
        { id, email, subscribed: subscribed === 1, data: JSON.parse(data) },
      ]),
    ),
    workflows: new Map(
      workflows.map(([id, enabled, type, config, allowReentry]): [string, ModelWorkflow] => {
        const { eventName = null, publicEvents = true } = JSON.parse(config);
        return [
          id,
          {
            ...{ id, enabled: enabled === 1, allowReentry: allowReentry === 1, publicEvents },
            eventName: type === "EVENT" ? eventName : null,
            steps: new Map(
              steps
                .filter(([workflowId]) => workflowId === id)
                .map(([, stepId, stepType, name, given, templateId]): [string, ModelStep] => [
                  stepId,
                  { id: stepId, type: stepType, name, config: JSON.parse(given), templateId },
                ]),
            ),
            ways: ways
              .filter(([workflowId]) => workflowId === id)
              .map(([, from, to, branch, priority]) => ({ from, to, branch, priority })),
          },
        ];
      }),
    ),
  };
}
