import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { statement } from "../../../db/statement";
import { apiKeys } from "../../../db/tables";
import { recordChange } from "../../../engine/audit/record-change";
import type { Platform } from "../../../platform/context";
import { auditedKey } from "../audited";
import { getProject } from "../project";
import type { CreateKey } from "../schema";
import { type KeyRow, newKey } from "./key";

/** Adds a key. Several may be valid at once, so that a key can be rotated without an outage. */
export async function addKey(
  platform: Platform,
  projectId: string,
  input: CreateKey,
): Promise<{ key: string; row: KeyRow }> {
  const project = await getProject(platform, projectId);
  const { key, row: made } = await newKey(input, platform.now.getTime());
  const row = { ...made, projectId: project.number };
  const { control } = platform;
  const batch = openBatch(platform, control);
  batch.recognise(isInserted("api_keys", { project }, row.id));
  recordChange(batch, platform, auditedKey(project.number, row.id));
  batch.add(statement(control.insert(apiKeys).values(row).getSQL()));
  await batch.commit();
  return { key, row };
}
