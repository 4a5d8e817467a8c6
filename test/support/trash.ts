import { expect } from "vitest";
import type { TrashType } from "../../src/core/trash";
import { purgeTrash } from "../../src/features/trash/purge";
import { type Answer, bearer, call, type TestProject } from "./project";
import type { World } from "./world";

/** Where the resources of each type are. */
export const pathOf: Record<TrashType, string> = {
  template: "/templates",
  campaign: "/campaigns",
  segment: "/segments",
  workflow: "/workflows",
};

export function restore(
  project: TestProject,
  type: string,
  id: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const key = bearer(project.keys.secret).headers;
  return call("POST", `/trash/${type}/${id}/restore`, undefined, { headers: { ...key, ...headers } });
}

/** Deletes a resource, as a customer does. */
export async function putAway(project: TestProject, type: TrashType, id: string): Promise<void> {
  const { status, body } = await project.api.delete(`${pathOf[type]}/${id}`);
  expect(status, JSON.stringify(body)).toBe(204);
}

/** What is in the trash, as `type name`, newest first. */
export async function inTrash({ api }: TestProject, query = ""): Promise<string[]> {
  const { status, body } = await api.get(`/trash${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ type, name }: { type: string; name: string }) => `${type} ${name}`);
}

/** Everything in the project's trash was deleted 30 days ago. */
export async function endTrash({ db, number }: TestProject): Promise<void> {
  const agoMs = 30 * 86_400_000;
  await db
    .prepare("UPDATE trash SET deleted_at = deleted_at - ?, purge_at = purge_at - ? WHERE project_id = ?")
    .bind(agoMs, agoMs, number)
    .run();
}

/** Thirty days later, the sweep has deleted everything in the project's trash for good. */
export async function emptyTrash(world: World, project: TestProject): Promise<void> {
  await endTrash(project);
  await purgeTrash(world.process().platform);
}
