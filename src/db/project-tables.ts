import { getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { controlShard } from "./client";
import { columnsOf } from "./rows";
import * as t from "./tables";

/** A table with rows of projects, described for erasing and copying a project. */
export interface ProjectTable {
  name: string;
  /** The columns of the table's key without `project_id`: at most four in a table that is copied. */
  key: readonly string[];
  /** All columns of the table without `project_id`, in a fixed order. */
  columns: readonly string[];
  /** Whether a row can contain a text of 64 KB. A page of such a table has fewer rows. */
  isLarge: boolean;
  /** Whether a backup includes the table, or the reason why it does not. */
  backup: "all rows" | "no jobs of the operator" | { no: string };
  /** Columns that a backup leaves out, because they contain secrets. */
  secrets: readonly string[];
}

type Options = Partial<Pick<ProjectTable, "isLarge" | "backup" | "secrets">>;

function table(of: SQLiteTable, key: readonly string[], options: Options = {}): ProjectTable {
  const columns = columnsOf(of)
    .map(({ name }) => name)
    .filter((name) => name !== "project_id");
  return { name: getTableName(of), key, columns, isLarge: false, backup: "all rows", secrets: [], ...options };
}

const large: Options = { isLarge: true };
const ofCopying: Options = { backup: { no: "it belongs to the copying itself" } };

/**
 * Every table in a project's own database that has rows of the project. The erasure, the backup and the restore of a
 * project follow this list, so a test fails when a table is missing from it.
 */
export const projectTables: readonly ProjectTable[] = [
  table(t.emails, ["id"], large),
  table(t.emailContents, ["id"], large),
  table(t.rounds, ["id"], large),
  table(t.sendingBlocks, ["number"]),
  table(t.templates, ["id"]),
  table(t.templateVersions, ["id"], large),
  table(t.campaigns, ["id"], large),
  table(t.campaignPages, ["campaign_id", "first_id"]),
  table(t.campaignCounts, ["campaign_id", "content_id"]),
  table(t.campaignLeftOut, ["campaign_id"]),
  table(t.campaignLinks, ["campaign_id", "content_id", "number"]),
  table(t.campaignRuns, ["id"]),
  table(t.workflows, ["id"], large),
  table(t.workflowSteps, ["workflow_id", "id"], large),
  table(t.workflowTransitions, ["workflow_id", "id"]),
  table(t.workflowTicks, ["workflow_id", "tick"]),
  table(t.workflowExecutions, ["workflow_id", "id"]),
  table(t.executionCounts, ["workflow_id"]),
  table(t.workflowEffects, ["effect_id"], large),
  table(t.workflowCalls, ["contact_id", "effect_id"], large),
  table(t.workflowHosts, ["host"]),
  table(t.webhooks, ["id"], { secrets: ["secret", "old_secret", "old_secret_until"] }),
  table(t.webhookDeliveries, ["webhook_id", "event_id"]),
  table(t.events, ["id"], large),
  table(t.eventNames, ["name"]),
  table(t.eventDays, ["name", "day"]),
  table(t.eventListeners, ["name", "listener_id"]),
  table(t.contacts, ["id"], large),
  table(t.projectCounts, []),
  table(t.contactFields, ["key"]),
  table(t.topics, ["id"]),
  table(t.contactTopics, ["contact_id", "topic_id"]),
  table(t.confirmations, ["contact_id", "id"]),
  table(t.erasedAddresses, ["hash"]),
  table(t.audienceReferences, ["kind", "name", "referrer", "referrer_id"]),
  table(t.segments, ["id"], large),
  table(t.segmentMembers, ["segment_id", "contact_id"]),
  table(t.trash, ["type", "id"], large),
  table(t.suppressions, ["email"]),
  table(t.domains, ["id"]),
  table(t.files, ["id"]),
  table(t.importChanges, ["job_id", "contact_id"], large),
  table(t.idempotencyEffects, ["kind", "key"], large),
  table(t.monthlyUsage, ["month", "template_id"]),
  table(t.auditEntries, ["id"], large),
  table(t.jobs, ["id"], { ...large, backup: "no jobs of the operator" }),
  table(t.capturedRows, ["table_name", "k1", "k2", "k3", "k4"], ofCopying),
  table(t.movedKeys, ["number"], ofCopying),
  table(t.moves, [], ofCopying),
];

/** The tables with rows of a project in the control database. */
export const controlTables: readonly ProjectTable[] = [
  table(t.outboxMessages, ["id"], { backup: { no: "it is mail that the embedded provider has delivered" } }),
  table(t.verifiedDomains, ["domain"], { backup: { no: "a name is claimed when its domain is verified again" } }),
  table(t.apiKeys, ["id"], { backup: { no: "a restored project has new keys" } }),
  table(t.memberships, ["person_id"], { backup: { no: "people belong to the installation, not to the project" } }),
  table(t.auditEntries, ["id"], {
    backup: { no: "it tells what was done to keys, people and settings, which no backup has" },
  }),
  table(t.jobs, ["id"], { backup: { no: "it is the job that erases the project" } }),
];

/** The tables that a backup includes. */
export const backupTables: readonly ProjectTable[] = projectTables.filter(({ backup }) => typeof backup === "string");

/**
 * Returns the tables whose rows in the database `shard` move with their project. Rows of `controlTables`, except
 * `jobs`, stay in the control database. For example, the audit log of a project contains entries about keys and people,
 * and is always read there.
 */
export function movedTables(shard: string): readonly ProjectTable[] {
  const isShared = ({ name }: ProjectTable) =>
    shard === controlShard && controlTables.some((each) => each.name === name);
  return projectTables.filter((each) => each.backup !== ofCopying.backup && (each.name === "jobs" || !isShared(each)));
}
