import { type Id, newId, readId, textOf } from "../../src/core/ids";
import { shardOf } from "../../src/core/workflows/shard-of";
import type { StepType } from "../../src/core/workflows/step";
import { startListeners } from "../../src/core/workflows/trigger";
import { trackEvent } from "../../src/features/events/track";
import type { ExecutionView, ShardAddress } from "../../src/platform/workflow-shards";
import { databaseWith } from "./database";
import type { TestProject } from "./project";
import type { World } from "./world";

/** `["DELAY", { amount: 1, unit: "hours" }]`, by the name that ways call it. TRIGGER is there by itself. */
export type GivenSteps = Record<string, [type: StepType, config?: object, more?: { templateId?: string }]>;

/** `["TRIGGER", "mail"]` or `["wait", "mail", "timeout"]`. */
export type GivenWay = [from: string, to: string, branch?: string];

export interface GivenWorkflow {
  eventName?: string | null;
  publicEvents?: boolean;
  allowReentry?: boolean;
  enabled?: boolean;
  steps?: GivenSteps;
  ways?: GivenWay[];
}

export interface TestWorkflow {
  id: Id;
  steps: Record<string, Id>;
}

/** Whoever enters waits so many seconds for a purchase, and exits as `bought` or as `left`. */
export function awaitingPurchase(timeout = 3_600): GivenWorkflow {
  return {
    steps: {
      wait: ["WAIT_FOR_EVENT", { eventName: "purchase", timeout }],
      bought: ["EXIT", { reason: "bought" }],
      left: ["EXIT", { reason: "left" }],
    },
    ways: [
      ["TRIGGER", "wait"],
      ["wait", "bought", "event"],
      ["wait", "left", "timeout"],
    ],
  };
}

/** A workflow as its rows are, in one batch: enabled, and started by `signup`, unless something else is said. */
export async function newWorkflow(project: TestProject, given: GivenWorkflow = {}): Promise<TestWorkflow> {
  const {
    eventName = "signup",
    publicEvents = true,
    allowReentry = false,
    enabled = true,
    steps = {},
    ways = [],
  } = given;
  const id = newId();
  const now = Date.now();
  const db = await databaseWith(project.number);
  const all: GivenSteps = { TRIGGER: ["TRIGGER", {}], ...steps };
  const ids = Object.fromEntries(Object.keys(all).map((name) => [name, newId()]));
  const config = eventName === null ? {} : { eventName, publicEvents };
  const statements = [
    db
      .prepare(
        `INSERT INTO workflows (project_id, id, name, enabled, trigger_type, trigger_config, allow_reentry, search_text,
          created_at, updated_at) VALUES (?, ?, 'Test', ?, ?, ?, ?, 'test', ?, ?)`,
      )
      .bind(
        ...[
          project.number,
          textOf(id),
          enabled ? 1 : 0,
          eventName === null ? "MANUAL" : "EVENT",
          JSON.stringify(config),
        ],
        ...[allowReentry ? 1 : 0, now, now],
      ),
    ...Object.entries(all).map(([name, [type, stepConfig = {}, { templateId = null } = {}]]) =>
      db
        .prepare(
          `INSERT INTO workflow_steps (project_id, workflow_id, id, type, name, x, y, config, template_id, created_at,
            updated_at) VALUES (?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?)`,
        )
        .bind(
          ...[project.number, textOf(id), textOf(ids[name] as Id), type, name, JSON.stringify(stepConfig)],
          ...[templateId === null ? null : textOf(readId(templateId)), now, now],
        ),
    ),
    ...ways.map(([from, to, branch = null]) =>
      db
        .prepare(
          `INSERT INTO workflow_transitions (project_id, workflow_id, id, from_step_id, to_step_id, branch, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .bind(project.number, textOf(id), textOf(newId()), textOf(ids[from] as Id), textOf(ids[to] as Id), branch, now),
    ),
  ];
  if (enabled && eventName !== null) {
    const listener = `${publicEvents ? startListeners.open : startListeners.closed}${textOf(id)}`;
    statements.push(
      db
        .prepare("INSERT INTO event_listeners (project_id, name, listener_id) VALUES (?, ?, ?)")
        .bind(project.number, eventName, listener),
    );
  }
  await db.batch(statements);
  return { id, steps: ids };
}

/** Stops new entries, as disabling a workflow does. */
export async function disableWorkflow(project: TestProject, { id }: TestWorkflow): Promise<void> {
  const db = await databaseWith(project.number);
  await db.batch([
    db.prepare("UPDATE workflows SET enabled = 0 WHERE project_id = ? AND id = ?").bind(project.number, textOf(id)),
    db
      .prepare("DELETE FROM event_listeners WHERE project_id = ? AND listener_id IN (?, ?)")
      .bind(project.number, `${startListeners.open}${textOf(id)}`, `${startListeners.closed}${textOf(id)}`),
  ]);
}

/** `POST /v1/track` in the world's own process. Returns the contact, and the event. */
export async function track(
  world: World,
  project: TestProject,
  event: string,
  {
    email = "ada@example.com",
    data,
    subscribed,
    key = "secret",
  }: { email?: string; data?: Record<string, never> | object; subscribed?: boolean; key?: "secret" | "public" } = {},
): Promise<{ contactId: Id; eventId: Id }> {
  const { ctx } = await world.context(project);
  const call = { email, event, subscribed, data: data as never };
  return trackEvent({ ...ctx, keyKind: key }, call as Parameters<typeof trackEvent>[1], "POST /v1/track");
}

export function addressOf(project: TestProject, contactId: Id): ShardAddress {
  return { project: project.number, shard: shardOf(contactId) };
}

/** The executions of a contact, as the mirror has them and as their object answers them, oldest first. */
export async function executionsOf(world: World, project: TestProject, contactId: Id): Promise<ExecutionView[]> {
  const rows = await mirrorOf(project, contactId);
  const { platform } = world.process();
  const address = addressOf(project, contactId);
  return platform.workflowShards.of(address).get(
    address,
    rows.map(({ id }) => readId(id)),
  );
}

export interface MirrorRow {
  id: string;
  status: string;
  wake_at: number | null;
  awaits: string | null;
  exit_reason: string | null;
  shard: number;
  started_at: number;
  version: number;
}

export async function mirrorOf(project: TestProject, contactId: Id): Promise<MirrorRow[]> {
  const { results } = await project.db
    .prepare("SELECT * FROM workflow_executions WHERE project_id = ? AND contact_id = ? ORDER BY id")
    .bind(project.number, textOf(contactId))
    .all<MirrorRow>();
  return results;
}

/** The path of an execution: the names of its steps and what became of them. */
export function pathOf({ steps }: ExecutionView): string[] {
  return steps.map(({ name, status, branch }) => `${name} ${status}${branch === null ? "" : ` ${branch}`}`);
}
