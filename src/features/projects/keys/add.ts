import { sql } from "drizzle-orm";
import { Conflict } from "../../../core/errors";
import type { Visitor } from "../../../core/people/visitor";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { statement } from "../../../db/statement";
import { apiKeys } from "../../../db/tables";
import { recordChange } from "../../../engine/audit/record-change";
import { requireStanding } from "../../../engine/people/standing";
import type { Platform } from "../../../platform/context";
import { auditedKey } from "../audited";
import { getProject } from "../project";
import type { CreateKey } from "../schema";
import { type KeyRow, newKey } from "./key";

/** A list shows all keys of a project, so that none that still works is overlooked. */
export const maxKeys = 100;

/**
 * Adds a key. Several may be valid at once, so that a key can be rotated without an outage. Throws Conflict when the
 * project has 100.
 */
export async function addKey(
  platform: Platform,
  projectId: string,
  input: CreateKey,
  by: Visitor | undefined,
): Promise<{ key: string; row: KeyRow }> {
  const project = await getProject(platform, projectId);
  const { key, row: made } = await newKey(input, platform.now.getTime());
  const row = { ...made, projectId: project.number };
  const { control } = platform;
  const batch = openBatch(platform, control);
  batch.recognise(isInserted("api_keys", { project }, row.id));
  requireStanding(batch, by, project.number);
  batch.guard(sql`(SELECT count(*) FROM api_keys WHERE project_id = ${project.number}) < ${maxKeys}`, () =>
    tooManyKeys(),
  );
  recordChange(batch, platform, auditedKey(project.number, row.id));
  batch.add(statement(control.insert(apiKeys).values(row).getSQL()));
  await batch.commit();
  return { key, row };
}

export function tooManyKeys(): Conflict {
  return new Conflict(`A project may have at most ${maxKeys} keys.`, {
    suggestion:
      "Revoke a key that is not used, with DELETE /admin/projects/{id}/keys/{keyId}, then create this one again.",
    details: { limit: maxKeys },
  });
}
