import { sql } from "drizzle-orm";
import { shardCount } from "../../../core/workflows/shard-of";
import { isAtHome } from "../../../db/at-home";
import type { Db } from "../../../db/client";
import { hopProjects } from "../../../db/hop-projects";
import { asFlag, asNumber, columns } from "../../../db/rows";
import { select } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { maxSweptRows, walkDatabases } from "../../../platform/sweep";

/**
 * Wakes, in a sweep, all shards of the projects with workflows. A shard can lose its alarm and die before it has copied
 * its executions to D1. Only this sweep finds such a shard; otherwise it would sleep until its next call.
 */
export function wakeAll(platform: Platform): Promise<void> {
  return walkDatabases<number>(platform, "workflow-shards", (db, after = 0) => wakePage(platform, db, after));
}

async function wakePage(platform: Platform, db: Db, after: number): Promise<number | undefined> {
  const page = await select(
    db,
    sql`${hopProjects(sql`FROM workflows WHERE true`, { after, limit: maxSweptRows })}
      SELECT project AS id, ${isAtHome(sql`project`)} AS is_at_home FROM hop WHERE project IS NOT NULL`,
    columns({ id: asNumber, isAtHome: asFlag }),
  );
  const shards = Array.from({ length: shardCount }, (_, shard) => shard);
  await platform.enqueue(
    page
      .filter((each) => each.isAtHome)
      .map(({ id: projectId }) => ({ message: { type: "workflows.wake" as const, projectId, shards } })),
  );
  return page.length < maxSweptRows ? undefined : page.at(-1)?.id;
}
