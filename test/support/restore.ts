import { env } from "cloudflare:workers";
import { restoreBackup } from "../../src/features/projects/backups/restore";
import { openProject, type TestProject } from "./project";
import type { World } from "./world";

/** A project that is being restored, and the job that does it. */
export interface RestoredProject extends TestProject {
  jobId: string;
}

/** Starts the restore of a backup, as the operator's call does. */
export async function startRestore(
  world: World,
  backup: string,
  { as, origin = null }: { as?: string; origin?: string | null } = {},
): Promise<RestoredProject> {
  const { platform } = world.process();
  const { jobId, projectId, keys } = await restoreBackup({ ...platform, origin }, { backup, ...(as && { as }) });
  const row = await env.DB.prepare("SELECT number, shard FROM projects WHERE id = ?")
    .bind(projectId)
    .first<{ number: number; shard: string }>();
  if (row === null) throw new Error("The project is not there");
  return { ...openProject({ id: projectId, ...row, keys, domain: "restored.test" }), jobId };
}
