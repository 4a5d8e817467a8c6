import { sql } from "drizzle-orm";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { hopProjects } from "../../../db/hop-projects";
import { asNumber, columns } from "../../../db/rows";
import { select, statement } from "../../../db/statement";
import type { Context, Platform } from "../../../platform/context";
import { exists, type IsDue } from "../../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";
import { pauseOf } from "../../projects/sending-paused";

const heldMail = sql`FROM emails INDEXED BY ix_emails_held
  WHERE status = 'QUEUED' AND due_at IS NULL AND campaign_id IS NULL`;

export const hasHeldMail: IsDue = () => exists(heldMail);

/**
 * Sweeps marketing mail that was held while its project's marketing email was paused. Mail of campaigns is left out,
 * because the campaigns hold it themselves. Once the pause is lifted, the mail is due at once, and `requeueStuck`
 * announces it. Held mail costs one write when it is held and one when it is released, regardless of the length of the
 * pause.
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

/** Releases the held mail of a project with a test clock, at the time of that clock. */
export async function releaseHeldOf(ctx: Context): Promise<void> {
  if (pauseOf(ctx.project) === null) await release(ctx, ctx.db, [ctx.project.number]);
}

const readProject = columns({ project: asNumber });

/** Returns the projects with held mail. */
async function findHolding(db: Db): Promise<number[]> {
  const holding = hopProjects(heldMail);
  const rows = await select(
    db,
    sql`${holding} SELECT project FROM hop WHERE project IS NOT NULL AND ${isAtHome(sql`project`)}`,
    readProject,
  );
  return rows.map(({ project }) => project);
}

/**
 * Returns the projects whose mail must stay held: paused projects, and projects with a test clock, whose mail is
 * released when their clock moves. Reads the database and not a cache, because mail that is released too early would
 * only be held again.
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

/** Releases held mail. Returns the number of emails. */
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
