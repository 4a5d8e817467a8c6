import { and, eq, isNull } from "drizzle-orm";
import { Conflict, NotFound } from "../../core/errors";
import { publicId, publicIdOrNull } from "../../core/ids";
import { isMoving } from "../../core/operating/project-move";
import { iso } from "../../core/time";
import { projects } from "../../db/tables";
import { pauseOf } from "../../engine/projects/sending-paused";
import type { Platform, Project } from "../../platform/context";

export function projectJson(row: Project) {
  return {
    id: row.id,
    name: row.name,
    fromName: row.fromName,
    locale: row.locale ?? "en",
    disabled: row.disabled,
    disabledReason: row.disabledReason,
    tracking: row.tracking,
    monthlySendLimit: row.monthlySendLimit,
    sendRatePerSecond: row.sendRatePerSecond,
    testClock: row.testClock,
    publicKeyMayResubscribe: row.publicKeyMayResubscribe,
    publicAnswers: row.publicAnswers,
    company: row.company,
    postalAddress: row.postalAddress,
    publicTrackSubscribes: row.publicTrackSubscribes,
    maxStorageMb: row.maxStorageMb,
    database: row.shard,
    moving: movingJson(row),
    sendingPaused: sendingPausedJson(row),
    confirmationTemplateId: publicIdOrNull(row.confirmationTemplateId),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

function movingJson(row: Project) {
  const { move } = row;
  if (move === null || !isMoving(row)) return null;
  return {
    to: move.to,
    jobId: publicId(move.jobId),
    since: iso(move.startedAt),
    turnsBack: move.stage === "turning back",
  };
}

function sendingPausedJson(row: Project) {
  const paused = pauseOf(row);
  return paused && { reason: paused.reason, at: iso(paused.at) };
}

/** Returns the current state of a project, for the operator. A project that is being deleted counts as deleted. */
export async function getProject(platform: Platform, id: string): Promise<Project> {
  const row = await platform.control
    .select()
    .from(projects)
    .where(and(eq(projects.id, id), isNull(projects.deletedAt)))
    .get();
  if (!row) throw new NotFound("project", id);
  return row;
}

/**
 * Returns the refusal of a call that needs all rows of a project, while a restore inserts them or after the restore has
 * failed.
 */
export function notRestored(): Conflict {
  return new Conflict("The restore of this project has not completed. Nothing was changed.", {
    suggestion: "Poll GET /admin/jobs/{id} until the restore has completed. If it has failed, delete the project.",
  });
}
