import { and, eq, isNull } from "drizzle-orm";
import { Conflict, NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { projects, templates } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { insertBlockNow } from "../../engine/mail/report/reputation";
import { forgetProjects } from "../../engine/projects/cache";
import { pauseOf } from "../../engine/projects/sending-paused";
import { queueEnd } from "../../engine/workflows/end";
import { wakeShards } from "../../engine/workflows/shards";
import { forProject, type Platform, type Project } from "../../platform/context";
import { auditedSettings } from "./audited";
import { getProject, notRestored } from "./project";
import type { UpdateProject } from "./schema";

/**
 * Changes the given fields. Enabling a project again clears the reason why it was disabled. Lifting the pause of a
 * project's marketing email restarts the count of emails by which its reputation is judged.
 */
export async function updateProject(platform: Platform, id: string, update: UpdateProject): Promise<Project> {
  const { sendingPaused, ...change } = update;
  const project = await getProject(platform, id);
  // Lifting the pause writes rows that would conflict with those of the restore.
  if (project.restoring && (change.disabled === false || sendingPaused === null)) throw notRestored();
  if (change.testClock !== undefined) refuseOtherClock(project, change.testClock);
  if (change.confirmationTemplateId) await requireTemplate(platform, project, change.confirmationTemplateId);
  const lifted = sendingPaused === null ? await liftPause(platform, project) : {};
  const reason = change.disabled === false ? { disabledReason: null } : {};
  const fromName = change.fromName === "" ? { fromName: null } : {};
  const { control } = platform;
  const written = control
    .update(projects)
    .set({ ...change, ...reason, ...fromName, ...lifted, updatedAt: platform.now.getTime() })
    .where(and(eq(projects.id, id), isNull(projects.deletedAt)))
    .returning();
  const batch = openBatch(platform, control);
  // A second run writes the same as the first.
  batch.mayRepeat();
  recordChange(batch, platform, auditedSettings(project));
  const updated = batch.add(statement(written.getSQL(), wholeRow(projects)));
  await batch.commit();
  const row = updated.first;
  if (!row) throw new NotFound("project", id);
  forgetProjects();
  if (change.disabled) await queueEnd(forProject(platform, row));
  // Wakes the sleeping shards of a restored project. If this fails, the operator can send the request again.
  if (change.disabled === false) await wakeShards(forProject(platform, row));
  return row;
}

/** Refuses a change of the clock, because every row of a project records which clock it follows. */
function refuseOtherClock(project: Project, testClock: boolean): void {
  if (project.testClock === testClock) return;
  throw new Conflict("A project keeps the clock that it was created with: testClock cannot be changed.", {
    suggestion: "Create another project with POST /admin/projects.",
    details: { field: "testClock" },
  });
}

/** Throws NotFound when the project has no such template. */
async function requireTemplate(platform: Platform, project: Project, templateId: Id): Promise<void> {
  const ctx = forProject(platform, project);
  const found = await ctx.db
    .select({ id: templates.id })
    .from(templates)
    .where(and(inProject(ctx), eq(templates.id, templateId)))
    .get();
  if (!found) throw new NotFound("template", templateId);
}

/**
 * Returns the columns that lift a pause; none if there is no pause. First begins a new block of counted emails in the
 * project's database. If the pause cannot be lifted afterwards, the only effect is that the previous block ended early.
 */
async function liftPause(platform: Platform, project: Project) {
  if (pauseOf(project) === null) return {};
  const ctx = forProject(platform, project);
  const now = ctx.now.getTime();
  const batch = openBatch(ctx);
  batch.add(insertBlockNow(ctx, now));
  await batch.commit();
  return { sendingPausedReason: null, sendingPausedAt: null, sendingCountedFrom: now };
}
