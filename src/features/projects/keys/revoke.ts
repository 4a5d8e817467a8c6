import { and, eq } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import { apiKeys } from "../../../db/tables";
import { forgetProjects } from "../../../engine/projects/cache";
import type { Platform } from "../../../platform/context";

/** Refused everywhere within 30 seconds. */
export async function revokeKey(platform: Platform, projectId: string, keyId: string): Promise<void> {
  const revoked = await platform.control
    .delete(apiKeys)
    .where(and(eq(apiKeys.id, keyId), eq(apiKeys.projectId, projectId)))
    .returning({ id: apiKeys.id });
  if (revoked.length === 0) throw new NotFound("key", keyId);
  forgetProjects();
}
