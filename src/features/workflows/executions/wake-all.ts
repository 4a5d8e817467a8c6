import { sql } from "drizzle-orm";
import { shardCount } from "../../../core/workflows/shard-of";
import type { Db } from "../../../db/client";
import { asNumber, columns } from "../../../db/rows";
import { select } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { maxSweptRows, walkDatabases } from "../../../platform/sweep";

/**
 * The sweep that wakes every shard of the projects with workflows. A shard that died before the mirror had its executions,
 * and whose alarm was lost too, is found by nobody else until its next call.
 */
export function wakeAll(platform: Platform): Promise<void> {
  return walkDatabases<number>(platform, "workflow-shards", (db, after = 0) => wakePage(platform, db, after));
}

async function wakePage(platform: Platform, db: Db, after: number): Promise<number | undefined> {
  // From project to project by the key, whatever the number of their workflows.
  const page = await select(
    db,
    sql`WITH RECURSIVE p (id) AS (SELECT min(project_id) FROM workflows WHERE project_id > ${after}
        UNION ALL SELECT (SELECT min(w.project_id) FROM workflows w WHERE w.project_id > p.id) FROM p
        WHERE p.id IS NOT NULL LIMIT ${maxSweptRows})
      SELECT id FROM p WHERE id IS NOT NULL`,
    columns({ id: asNumber }),
  );
  const shards = Array.from({ length: shardCount }, (_, shard) => shard);
  await platform.enqueue(
    page.map(({ id: projectId }) => ({ message: { type: "workflows.wake" as const, projectId, shards } })),
  );
  return page.length < maxSweptRows ? undefined : page.at(-1)?.id;
}
