import { desc, eq } from "drizzle-orm";
import { apiKeys } from "../../../db/tables";
import type { Platform } from "../../../platform/context";
import { getProject } from "../project";
import { maxKeys } from "./add";
import type { KeyRow } from "./key";

export async function listKeys(platform: Platform, projectId: string): Promise<KeyRow[]> {
  const project = await getProject(platform, projectId);
  return platform.control
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.projectId, project.number))
    .orderBy(desc(apiKeys.id))
    .limit(maxKeys);
}
