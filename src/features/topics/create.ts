import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { newIdAt } from "../../core/ids";
import { slugOf } from "../../core/segments/slug";
import { maxTopics } from "../../core/topics";
import { openBatch } from "../../db/batch";
import { freeSlug } from "../../db/free-slug";
import { isInserted } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { type TopicRow, topics } from "../../db/tables";
import { insertRow } from "../../db/write-row";
import type { Context } from "../../platform/context";
import type { CreateTopic } from "./schema";

/**
 * The maximum number of topics that a project may ever create. Deleted topics count too: their rows stay, because a
 * slug is never used again.
 */
const maxTopicsEver = 1_000;

/** `POST /topics`: creates a topic. Throws Conflict when the project has reached its limit. */
export async function createTopic(ctx: Context, input: CreateTopic): Promise<TopicRow> {
  const now = ctx.now.getTime();
  const ofProject = sql`FROM topics WHERE ${inProject(ctx)}`;
  const id = newIdAt(now);
  const batch = openBatch(ctx);
  batch.recognise(isInserted("topics", ctx, id));
  batch.guard(sql`(SELECT count(*) ${ofProject} AND deleted_at IS NULL) < ${maxTopics}`, tooManyTopics);
  batch.guard(sql`(SELECT count(*) ${ofProject}) < ${maxTopicsEver}`, tooManyTopicsEver);
  const inserted = batch.add(
    insertRow(topics, {
      projectId: ctx.project.number,
      id,
      name: input.name,
      slug: freeSlug(ctx, "topics", slugOf(input.name, "topic")),
      description: input.description || null,
      defaultSubscribed: input.defaultSubscribed ?? true,
      createdAt: now,
      updatedAt: now,
    }),
  );
  await batch.commit();
  return inserted.one;
}

export function tooManyTopics(): Conflict {
  return new Conflict(`This project has ${maxTopics} topics, which is the most it can have. Nothing was created.`, {
    suggestion: "Delete a topic that is not used. Few people choose among more than ten.",
    details: { limit: maxTopics },
  });
}

function tooManyTopicsEver(): Conflict {
  return new Conflict(
    `This project has created ${maxTopicsEver} topics, deleted ones included, which is the most it can ` +
      "create. Nothing was created.",
    {
      suggestion: "Rename a topic that is no longer used with PATCH /topics/{id}. Its slug does not change.",
      details: { limit: maxTopicsEver },
    },
  );
}
