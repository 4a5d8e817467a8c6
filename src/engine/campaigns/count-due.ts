import { type SQL, sql } from "drizzle-orm";
import type { MessageOf } from "../../core/messages";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { hopProjects } from "../../db/hop-projects";
import { asId, asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import { type Context, forProject, type Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";
import { findProject } from "../projects/project";
import { updateCounted } from "./count-page";
import { recountDelayMs } from "./mark-pages";

/**
 * The maximum number of pages that are counted per message. When a message reaches this limit, another one continues a
 * second later, so that other projects get their turn.
 */
const pagesPerMessage = 20;

const readPage = columns({ campaignId: asId, firstId: asId });

/** `campaigns.count`: counts the marked pages of a project that are due, those that have waited longest first. */
export async function countDuePages(platform: Platform, message: MessageOf<"campaigns.count">): Promise<void> {
  const project = await findProject(platform, message.projectId);
  if (!project) return;
  const ctx = forProject(platform, project);
  const counted = await countMarked(ctx, sql`recount_at <= ${platform.databaseNow} + ${recountDelayMs}`);
  if (counted === pagesPerMessage) await platform.enqueue([{ message, delaySeconds: 1 }]);
}

/**
 * Counts up to `pagesPerMessage` marked pages of a project for which `isDue` holds, and returns how many it counted.
 */
export async function countMarked(ctx: Context, isDue: SQL): Promise<number> {
  const pages = await select(
    ctx.db,
    sql`SELECT campaign_id, first_id FROM campaign_pages INDEXED BY ix_campaign_pages_uncounted
      WHERE ${inProject(ctx)} AND ${isDue} ORDER BY recount_at LIMIT ${pagesPerMessage}`,
    readPage,
  );
  for (const page of pages) {
    const batch = openBatch(ctx);
    batch.addAll(updateCounted(ctx, page));
    await batch.commit();
  }
  return pages.length;
}

const markedPages = sql`FROM campaign_pages INDEXED BY ix_campaign_pages_uncounted WHERE recount_at IS NOT NULL`;

export const hasMarkedPages: IsDue = () => exists(markedPages);

/**
 * Sweeps all projects for due pages, and sends a `campaigns.count` message for each project that has some. A page is
 * still due here if its message was lost, or if its delay is too long for a message.
 */
export async function queueDueCounts(platform: Platform): Promise<void> {
  const after = new Map<Db, number>();
  await sweepDatabases(platform, async (db) => {
    const projects = await findDue(platform, db, after.get(db) ?? 0);
    const due = projects.filter(({ isDue }) => isDue === 1);
    after.set(db, projects.at(-1)?.project ?? 0);
    await platform.enqueue(due.map(({ project }) => ({ message: { type: "campaigns.count", projectId: project } })));
    return projects.length;
  });
}

const readProject = columns({ project: asNumber, isDue: asNumber });

/** Returns the next projects with marked pages, and whether each has a page that is due. */
function findDue(platform: Platform, db: Db, after: number) {
  return select(
    db,
    sql`${hopProjects(markedPages, { after, limit: maxSweptRows })}
      SELECT project, ${isAtHome(sql`project`)} AND EXISTS (SELECT 1 FROM campaign_pages p INDEXED BY ix_campaign_pages_uncounted
        WHERE p.project_id = project AND p.recount_at <= ${platform.databaseNow}) AS is_due
      FROM hop WHERE project IS NOT NULL`,
    readProject,
  );
}
