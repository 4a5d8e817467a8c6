import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Issue } from "../../core/workflows/issues";
import { stepTypes } from "../../core/workflows/step";
import { triggerTypes } from "../../core/workflows/trigger";
import { clock, createdAt, flag, id, jsonObject, projectId, rowKey, time, updatedAt } from "../columns";

/** A workflow: steps, transitions between them, and its trigger. Its version changes with every change of any of them. */
export const workflows = sqliteTable(
  "workflows",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    description: text(),
    enabled: flag().notNull(),
    triggerType: text({ enum: triggerTypes }).notNull(),
    triggerConfig: jsonObject().notNull(),
    allowReentry: flag().notNull(),
    clock: clock(),
    /** When a scheduled workflow starts next. */
    nextTickAt: time(),
    /** Name and description in lower case, for the list's search. */
    searchText: text().notNull(),
    /** Where its mail's links lead without a PUBLIC_URL: where the last call that changed it was made. */
    linkBase: text(),
    /** What is not sound about it, as of its last change: for lists. */
    issues: text({ mode: "json" }).$type<Issue[]>().notNull().default([]),
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    rowKey(table),
    index("ix_workflows_tick").on(table.clock, table.nextTickAt).where(sql`next_tick_at IS NOT NULL`),
  ],
);

export const workflowSteps = sqliteTable(
  "workflow_steps",
  {
    projectId: projectId(),
    workflowId: id().notNull(),
    id: id().notNull(),
    /** What documents call it, if one has made it; see core/workflows/document.ts. */
    key: text(),
    /** Its place among the steps of the document; null behind those that have one, in the order of their ids. */
    place: integer(),
    type: text({ enum: stepTypes }).notNull(),
    name: text().notNull(),
    x: real().notNull(),
    y: real().notNull(),
    config: jsonObject().notNull(),
    templateId: id(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.workflowId, table.id] }),
    index("ix_workflow_steps_template").on(table.projectId, table.templateId).where(sql`template_id IS NOT NULL`),
  ],
);

export const workflowTransitions = sqliteTable(
  "workflow_transitions",
  {
    projectId: projectId(),
    workflowId: id().notNull(),
    id: id().notNull(),
    fromStepId: id().notNull(),
    toStepId: id().notNull(),
    branch: text(),
    priority: integer().notNull().default(0),
    /** As of a step. */
    place: integer(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.workflowId, table.id] })],
);

/** A scheduled start, once for each tick. */
export const workflowTicks = sqliteTable(
  "workflow_ticks",
  {
    projectId: projectId(),
    workflowId: id().notNull(),
    tick: integer().notNull(),
    /** The last contact for which it has started. */
    cursor: id(),
    completedAt: time(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.workflowId, table.tick] })],
);

/** The data of executions for lists and sweeps. The executions themselves are in the objects of their contacts. */
export const workflowExecutions = sqliteTable(
  "workflow_executions",
  {
    projectId: projectId(),
    workflowId: id().notNull(),
    id: id().notNull(),
    contactId: id().notNull(),
    shard: integer().notNull(),
    status: text({ enum: ["RUNNING", "WAITING", "COMPLETED", "EXITED", "FAILED", "CANCELLED"] }).notNull(),
    currentStepId: id(),
    exitReason: text(),
    clock: clock(),
    wakeAt: time(),
    startedAt: integer().notNull(),
    completedAt: time(),
    updatedAt: updatedAt(),
    /** The event that it waits for, so that the listener of that name stays. */
    awaits: text(),
    error: text(),
    /** The version of the execution in its object that the row shows: an older one never replaces it. */
    version: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.workflowId, table.id] }),
    index("ix_workflow_executions_status").on(table.projectId, table.workflowId, table.status, table.id),
    index("ix_workflow_executions_contact").on(table.projectId, table.contactId),
    // What a project's executions wait for, soonest first.
    index("ix_workflow_executions_waiting")
      .on(table.projectId, table.wakeAt, table.id)
      .where(sql`status = 'WAITING' AND wake_at IS NOT NULL`),
    index("ix_workflow_executions_due").on(table.clock, table.wakeAt).where(sql`wake_at IS NOT NULL`),
    // Whether anybody waits for an event: only executions that do are in it.
    index("ix_workflow_executions_awaits").on(table.projectId, table.awaits).where(sql`awaits IS NOT NULL`),
  ],
);

/**
 * The effects of executions on contacts, so that each step has its effect once: whoever inserts the row has it. A row is
 * kept for as long as its execution may repeat the step.
 */
export const workflowEffects = sqliteTable(
  "workflow_effects",
  {
    projectId: projectId(),
    /** `execution:step`, in the letters of ids. */
    effectId: text().notNull(),
    /** Of the batch that has had the effect: the batch's other statements act for its rows alone. */
    token: text().notNull(),
    result: jsonObject().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.effectId] }),
    index("ix_workflow_effects_expiry").on(table.createdAt),
  ],
);

/**
 * The calls of WEBHOOK steps, one for each execution and step. Nobody is called while a step runs: consumers make them by
 * turns, and report to the execution. A row is kept for a while after that, so that a step that is repeated finds it.
 */
export const workflowCalls = sqliteTable(
  "workflow_calls",
  {
    projectId: projectId(),
    contactId: id().notNull(),
    /** `execution:step`, in the letters of ids. */
    effectId: text().notNull(),
    host: text().notNull(),
    /** The whole call, as it was rendered once. Null when it is over. */
    request: jsonObject(),
    attempts: integer().notNull().default(0),
    /** While a consumer has it: when it counts as lost. Null when it is over. */
    nextAttemptAt: time(),
    /** What came of it, until the execution has heard. */
    outcome: jsonObject(),
    endedAt: time(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.contactId, table.effectId] }),
    index("ix_workflow_calls_due")
      .on(table.projectId, table.host, table.nextAttemptAt)
      .where(sql`next_attempt_at IS NOT NULL`),
    index("ix_workflow_calls_ended").on(table.endedAt).where(sql`ended_at IS NOT NULL`),
  ],
);

/** The hosts that a project's WEBHOOK steps call: each has its own turns, and its own patience. */
export const workflowHosts = sqliteTable(
  "workflow_hosts",
  {
    projectId: projectId(),
    host: text().notNull(),
    /** Calls in a row without an answer. */
    timeouts: integer().notNull().default(0),
    /** No call is made before this. */
    putOffUntil: time(),
    /** When its next call is due. Null when none waits. */
    dueAt: time(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.host] }),
    // The next ones of each project: one with many does not hide the others.
    index("ix_workflow_hosts_due").on(table.projectId, table.dueAt).where(sql`due_at IS NOT NULL`),
  ],
);

export type WorkflowRow = typeof workflows.$inferSelect;
export type WorkflowStepRow = typeof workflowSteps.$inferSelect;
export type WorkflowTransitionRow = typeof workflowTransitions.$inferSelect;
export type WorkflowExecutionRow = typeof workflowExecutions.$inferSelect;
