import { sql } from "drizzle-orm";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { hopProjects } from "../../../db/hop-projects";
import { asNumber, columns } from "../../../db/rows";
import { select, statement } from "../../../db/statement";
import type { Context, Platform } from "../../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";
import { pauseOf } from "../../projects/sending-paused";

/**
 * The sweep over marketing mail, but that of campaigns, that was held while its project's marketing email was paused. Once the pause is lifted, the
 * mail is due at once, and `requeueStuck` says so. Mail that is held costs one write when it is held and one when it is
 * released, however long the pause takes.
 */
export function releaseHeld(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const holding = await findHolding(db);
    if (holding.length === 0) return 0;
    const paused = await findPaused(platform, holding);
    const released = holding.filter((project) => !paused.has(project));
    return released.length === 0 ? 0 : release(platform, db, released);
  });
}

/** The same for a project with its own clock, at its time. */
export async function releaseHeldOf(ctx: Context): Promise<void> {
  if (pauseOf(ctx.project) === null) await release(ctx, ctx.db, [ctx.project.number]);
}

const readProject = columns({ project: asNumber });

/** Returns the projects with held mail. */
async function findHolding(db: Db): Promise<number[]> {
  const holding = hopProjects(sql`FROM emails INDEXED BY ix_emails_held
    WHERE status = 'QUEUED' AND due_at IS NULL AND campaign_id IS NULL`);
  const rows = await select(db, sql`${holding} SELECT project FROM hop WHERE project IS NOT NULL`, readProject);
  return rows.map(({ project }) => project);
}

/**
 * Asked of the database and not of a cache, because what is released too early is only held again. The mail of projects
 * with their own clock is released when that moves.
 */
async function findPaused({ control }: Platform, numbers: number[]): Promise<Set<number>> {
  const rows = await select(
    control,
    sql`SELECT p.number AS project FROM json_each(${JSON.stringify(numbers)}) r CROSS JOIN projects p ON p.number = r.value
      WHERE p.sending_paused_reason IS NOT NULL OR p.test_clock`,
    readProject,
  );
  return new Set(rows.map(({ project }) => project));
}

/** Returns the number of released emails. */
async function release(platform: Platform, db: Db, projects: number[]): Promise<number> {
  const now = platform.now.getTime();
  const batch = openBatch(platform, db);
  const released = batch.add(
    statement(
      sql`UPDATE emails SET next_attempt_at = ${now}, due_at = ${now}, error = NULL, abandonments = 0
        WHERE (project_id, id) IN (
          SELECT e.project_id, e.id FROM json_each(${JSON.stringify(projects)}) r
          CROSS JOIN emails e INDEXED BY ix_emails_held ON e.project_id = r.value
          WHERE e.status = 'QUEUED' AND e.due_at IS NULL AND e.campaign_id IS NULL LIMIT ${maxSweptRows}) RETURNING 1`,
      columns({}),
    ),
  );
  await batch.commit();
  return released.count;
}
