import { sql } from "drizzle-orm";
import type { Page } from "../../core/page";
import { type CursorQuery, listRows } from "../../db/list-rows";
import { inProject } from "../../db/scope";
import { topics } from "../../db/tables";
import type { Context } from "../../platform/context";
import { isLive, topicJson } from "./topic";

/** `GET /topics`: lists the topics, newest first. */
export function listTopics(ctx: Context, query: CursorQuery): Promise<Page<ReturnType<typeof topicJson>>> {
  const where = sql`${inProject(ctx)} AND ${isLive}`;
  return listRows(ctx, topics, query, { where, by: "id", order: "DESC" }, topicJson);
}
