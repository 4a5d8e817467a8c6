import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { guard, type Statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** The guard of a batch that saves a template or campaign of a topic: deleting a topic looks for these. */
export function guardTopic(
  ctx: Context,
  topicId: Id,
  refuse: () => Error = () => new NotFound("topic", topicId),
): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM topics
      WHERE ${inProject(ctx)} AND id = ${topicId} AND deleted_at IS NULL)`,
    refuse,
  );
}
