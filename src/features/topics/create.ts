import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { newIdAt } from "../../core/ids";
import { slugOf } from "../../core/segments/slug";
import { openBatch } from "../../db/batch";
import { freeSlug } from "../../db/free-slug";
import { isInserted, rowById } from "../../db/own-rows";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type TopicRow, topics } from "../../db/tables";
import type { Context } from "../../platform/context";
import { type CreateTopic, maxTopics } from "./schema";

/** Deleted topics count too: their rows stay, because a slug is never used again. */
const maxTopicsEver = 1_000;

/** `POST /topics`. Throws Conflict when the project has reached its limit. */
export async function createTopic(ctx: Context, input: CreateTopic): Promise<TopicRow> {
  const now = ctx.now.getTime();
  const ofProject = sql`FROM topics WHERE ${inProject(ctx)}`;
  const id = newIdAt(now);
  const batch = openBatch(ctx);
  batch.recognise(isInserted("topics", ctx, id));
  batch.guard(sql`(SELECT count(*) ${ofProject} AND deleted_at IS NULL) < ${maxTopics}`, tooManyTopics);
  batch.guard(sql`(SELECT count(*) ${ofProject}) < ${maxTopicsEver}`, tooManyTopicsEver);
  const inserted = batch.add(
    statement(
      sql`INSERT INTO topics (project_id, id, name, slug, description, default_subscribed, created_at, updated_at)
        VALUES (${ctx.project.number}, ${id}, ${input.name}, (${freeSlug(ctx, "topics", slugOf(input.name, "topic"))}),
          ${input.description || null}, ${input.defaultSubscribed ?? true}, ${now}, ${now})
        RETURNING *`,
      wholeRow(topics),
      { again: rowById("topics", ctx, id) },
    ),
  );
  await batch.commit();
  return inserted.one;
}

export function tooManyTopics(): Conflict {
  return new Conflict(`This project has ${maxTopics} topics, which is the most it can have. Nothing was created.`, {
    suggestion: "Delete one that is not used. Few people choose among more than ten.",
    details: { limit: maxTopics },
  });
}

function tooManyTopicsEver(): Conflict {
  return new Conflict(
    `This project has made ${maxTopicsEver} topics, deleted ones included, which is the most it can make. Nothing was created.`,
    {
      suggestion: "Change the name of a topic that is no longer used with PATCH /topics/{id}; its slug stays.",
      details: { limit: maxTopicsEver },
    },
  );
}
