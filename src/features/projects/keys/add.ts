import { apiKeys } from "../../../db/tables";
import type { Platform } from "../../../platform/context";
import { getProject } from "../project";
import type { CreateKey } from "../schema";
import { type KeyRow, newKey } from "./key";

/** One more key. Several may be live, so that keys are changed without an outage. */
export async function addKey(
  platform: Platform,
  projectId: string,
  input: CreateKey,
): Promise<{ key: string; row: KeyRow }> {
  const project = await getProject(platform, projectId);
  const made = await newKey(project.id, input, platform.now.getTime());
  await platform.control.insert(apiKeys).values(made.row);
  return made;
}
