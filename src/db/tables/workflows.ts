import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { belowAllIds } from "../../core/ids";
import type { Issue } from "../../core/workflows/issues";
import { stepTypes } from "../../core/workflows/step";
import { triggerTypes } from "../../core/workflows/trigger";
import { clock, createdAt, flag, id, jsonObject, projectId, rowKey, time, updatedAt } from "../columns";

/** A workflow: a trigger, steps and the transitions between them. The version changes whenever any of these changes. */
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
    /** When a scheduled workflow next starts. */
    nextTickAt: time(),
    /** Name and description in lower case, for the list's search. */
    searchText: text().notNull(),
    /**
     * The origin of links in the workflow's mail when PUBLIC_URL is unset: the origin of the last request that changed
     * the workflow.
     */
    linkBase: text(),
    /** The issues of the workflow at its last change, stored so that lists need not compute them. */
    issues: text({ mode: "json" }).$type<Issue[]>().notNull().default([]),
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    rowKey(table),
    // Finds workflows by the beginning of their names, because the search text begins with the name.
    index("ix_workflows_search").on(table.projectId, table.searchText, table.id),
    index("ix_workflows_issues").on(table.projectId, table.id).where(sql`enabled AND issues <> '[]'`),
    index("ix_workflows_tick").on(table.clock, table.nextTickAt).where(sql`next_tick_at IS NOT NULL`),
  ],
);

export const workflowSteps = sqliteTable(
  "workflow_steps",
  {
    projectId: projectId(),
    workflowId: id().notNull(),
    id: id().notNull(),
    /** The key of the step in workflow documents, if it has one; see core/workflows/document.ts. */
    key: text(),
    /** The position among the steps of the workflow's document. Steps with null come last, ordered by id. */
    ordinal: integer(),
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
    /** The position among the transitions of the workflow's document. Transitions with null come last. */
    ordinal: integer(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.workflowId, table.id] })],
);

/** A scheduled start of a workflow, with one row for each tick. */
export const workflowTicks = sqliteTable(
  "workflow_ticks",
  {
    projectId: projectId(),
    workflowId: id().notNull(),
    tick: integer().notNull(),
    /** Cursor: the last contact for which the tick has started an execution. */
    cursor: id(),
    completedAt: time(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.workflowId, table.tick] })],
);

/** A mirror of executions for lists and sweeps. The executions themselves are stored in shards. */
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
    /**
     * The name of the event that the execution waits for. It is stored so that the listener for this name is retained.
     */
    awaits: text(),
    error: text(),
    /** The version of the execution that the row shows. An older version never replaces it. */
    version: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.workflowId, table.id] }),
    index("ix_workflow_executions_status").on(table.projectId, table.workflowId, table.status, table.id),
    index("ix_workflow_executions_contact").on(table.projectId, table.contactId),
    // The executions of a project that have a time to wake, soonest first: for its list of scheduled work, for an
    // advance of its clock, and for the sweep, which reads the first ones of each project.
    index("ix_workflow_executions_wake")
      .on(table.clock, table.projectId, table.wakeAt, table.id)
      .where(sql`wake_at IS NOT NULL`),
    // Shows whether any execution waits for an event. Only executions that wait for one are in the index.
    index("ix_workflow_executions_awaits").on(table.projectId, table.awaits).where(sql`awaits IS NOT NULL`),
  ],
);

/**
 * How many executions a workflow has in the mirror, by status. Each batch that changes them updates the row; see
 * engine/workflows/execution-counts.ts.
 */
export const executionCounts = sqliteTable(
  "execution_counts",
  {
    projectId: projectId(),
    workflowId: id().notNull(),
    running: integer().notNull().default(0),
    waiting: integer().notNull().default(0),
    completed: integer().notNull().default(0),
    exited: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    cancelled: integer().notNull().default(0),
    /**
     * The counts include the executions with ids up to this one. Unless a count is under way, this value is above all
     * ids.
     */
    countedTo: id().notNull().default(belowAllIds),
    /** When the sweep next continues or restarts the count. */
    dueAt: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.workflowId] }),
    index("ix_execution_counts_due").on(table.dueAt),
  ],
);

/**
 * The effects of executions on contacts. The batch that inserts a row also has the effect, so each step has its effect
 * only once. A row is deleted together with its execution: see engine/workflows/shard/forget.ts.
 */
export const workflowEffects = sqliteTable(
  "workflow_effects",
  {
    projectId: projectId(),
    /** `execution:step`: the two ids in their stored form. */
    effectId: text().notNull(),
    /** Identifies the batch that inserted this row. The other statements of that batch look for rows with its token. */
    token: text().notNull(),
    result: jsonObject().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.effectId] })],
);

/**
 * The calls of WEBHOOK steps, one for each execution and step. No call is made while a step runs: consumers make the
 * calls in turns, and report to the execution. A row is retained for a while after the call, so that a repeated step
 * finds it.
 */
export const workflowCalls = sqliteTable(
  "workflow_calls",
  {
    projectId: projectId(),
    contactId: id().notNull(),
    /** `execution:step`: the two ids in their stored form. */
    effectId: text().notNull(),
    host: text().notNull(),
    /** The complete call, rendered once. Null when the call is over. */
    request: jsonObject(),
    attempts: integer().notNull().default(0),
    /**
     * When the call is due. While a consumer works on it, this is when that consumer counts as lost. Null when the call
     * is over.
     */
    nextAttemptAt: time(),
    /** The outcome of the call, until the execution has received it. */
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

/** The hosts that the WEBHOOK steps of a project call. Each host has its own turns and its own time limits. */
export const workflowHosts = sqliteTable(
  "workflow_hosts",
  {
    projectId: projectId(),
    host: text().notNull(),
    /** The number of consecutive calls without an answer. */
    timeouts: integer().notNull().default(0),
    /** No call is made before this time. */
    putOffUntil: time(),
    /** When the next call is due. Null when none waits. */
    dueAt: time(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.host] }),
    // Finds the hosts of each project that are due next, so that a project with many hosts does not hide other
    // projects.
    index("ix_workflow_hosts_due").on(table.projectId, table.dueAt).where(sql`due_at IS NOT NULL`),
  ],
);

export type WorkflowRow = typeof workflows.$inferSelect;
export type WorkflowStepRow = typeof workflowSteps.$inferSelect;
export type WorkflowTransitionRow = typeof workflowTransitions.$inferSelect;
export type WorkflowExecutionRow = typeof workflowExecutions.$inferSelect;
