import { type SQL, sql } from "drizzle-orm";
import { installation } from "../../core/audit/call";
import { type Id, readId } from "../../core/ids";
import { asFlag, asId, asTime, type Target } from "../../engine/audit/target";
import type { Project } from "../../platform/context";

const fields: Target["fields"] = {
  name: sql`name`,
  fromName: sql`from_name`,
  locale: sql`locale`,
  disabled: asFlag(sql`disabled`),
  disabledReason: sql`disabled_reason`,
  tracking: sql`tracking`,
  monthlySendLimit: sql`monthly_send_limit`,
  sendRatePerSecond: sql`send_rate_per_second`,
  maxStorageMb: sql`max_storage_mb`,
  testClock: asFlag(sql`test_clock`),
  publicKeyMayResubscribe: asFlag(sql`public_key_may_resubscribe`),
  publicAnswers: sql`public_answers`,
  company: sql`company`,
  postalAddress: sql`postal_address`,
  publicTrackSubscribes: asFlag(sql`public_track_subscribes`),
  sendingPaused: sql`sending_paused_reason`,
  confirmationTemplateId: asId(sql`confirmation_template_id`),
};

/** Describes the settings of a project for its audit log. */
export function auditedSettings({ id, number }: Project): Target {
  return { ...auditedProject(id), project: number };
}

/** Describes a project for the audit log of the installation, which shows its creation and its deletion. */
export function auditedProject(id: string): Target {
  const row = sql`projects WHERE id = ${id} AND deleted_at IS NULL`;
  return { project: installation, type: "project", id: readId(id), row, name: sql`name`, fields };
}

/** Describes a key for the audit log of its project. */
export function auditedKey(number: number, id: Id): Target {
  return {
    project: number,
    type: "key",
    id,
    row: sql`api_keys WHERE project_id = ${number} AND id = ${id}`,
    name: sql`coalesce(name, prefix)`,
    fields: { kind: sql`kind`, name: sql`name`, prefix: sql`prefix` },
    hidden: { key: sql`hash` },
  };
}

/** Describes a backup for the audit log, by the job that makes it. */
export function auditedBackup(project: Project, jobId: Id): Target {
  const row = sql`jobs WHERE project_id = ${project.number} AND id = ${jobId}`;
  return { ...auditedWork(project), row, fields: { backup: asId(sql`id`) } };
}

/**
 * Describes a project's clock for the audit log: at `from` before the job is inserted, and at the job's target
 * afterwards.
 */
export function auditedClock(project: Project, jobId: Id, from: number): Target {
  const moved = sql`SELECT input->>'target' FROM jobs WHERE project_id = ${project.number} AND id = ${jobId}`;
  const row: SQL = sql`(SELECT CAST(coalesce((${moved}), ${from}) AS INTEGER) AS clock_at)`;
  return { ...auditedWork(project), row, fields: { clockAt: asTime(sql`clock_at`) } };
}

/** Describes the database of a project for the audit log, which shows its moves. */
export function auditedMove(project: Project): Target {
  const row = sql`projects WHERE number = ${project.number}`;
  const isOn = sql`move->>'stage' <> 'leaving'`;
  const movingTo = sql`CASE WHEN ${isOn} THEN move->>'to' END`;
  return { ...auditedWork(project), row, fields: { database: sql`shard`, movingTo, move: sql`move->>'stage'` } };
}

function auditedWork({ id, number, name }: Project) {
  return { project: number, type: "project", id: readId(id), name: sql`${name}` };
}
