import { and, eq, sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { apiKeys } from "../../../db/tables";
import { forgetProjects } from "../../../engine/projects/cache";
import type { Platform } from "../../../platform/context";

/** Revokes a key. It stops working everywhere within 30 seconds. */
export async function revokeKey(platform: Platform, projectId: string, keyId: Id): Promise<void> {
  const revoked = await platform.control
    .delete(apiKeys)
    .where(
      and(eq(apiKeys.projectId, sql`(SELECT number FROM projects WHERE id = ${projectId})`), eq(apiKeys.id, keyId)),
    )
    .returning({ id: apiKeys.id });
  if (revoked.length === 0) throw new NotFound("key", keyId);
  forgetProjects();
}
