import { sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { rowById } from "../../../db/own-rows";
import { asId, columns } from "../../../db/rows";
import { selectFirst, statement } from "../../../db/statement";
import { recordChange } from "../../../engine/audit/record-change";
import { forgetProjects } from "../../../engine/projects/cache";
import type { Platform } from "../../../platform/context";
import { auditedKey } from "../audited";
import { getProject } from "../project";

/** Revokes a key. It stops working everywhere within 30 seconds. */
export async function revokeKey(platform: Platform, projectId: string, keyId: Id): Promise<void> {
  const project = await getProject(platform, projectId);
  const row = rowById("api_keys", { project }, keyId);
  const found = await selectFirst(platform.control, row, columns({ id: asId }));
  if (found === null) throw new NotFound("key", keyId);
  const batch = openBatch(platform, platform.control);
  // A second run finds nothing left to delete.
  batch.mayRepeat();
  recordChange(batch, platform, auditedKey(project.number, keyId));
  batch.add(statement(sql`DELETE FROM api_keys WHERE project_id = ${project.number} AND id = ${keyId}`));
  await batch.commit();
  forgetProjects();
}
