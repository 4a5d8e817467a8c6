import { sql } from "drizzle-orm";
import type { Page } from "../../core/page";
import { type CursorQuery, listRows } from "../../db/list-rows";
import { deadLetters } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { deadLetterJson } from "./dead-letter";

/** Lists the messages on which queues gave up, newest first. They are kept for 30 days. */
export function listDeadLetters(
  platform: Platform,
  query: CursorQuery,
): Promise<Page<ReturnType<typeof deadLetterJson>>> {
  const world = { ...platform, db: platform.control };
  return listRows(world, deadLetters, query, { where: sql`true`, by: "id", order: "DESC" }, deadLetterJson);
}
