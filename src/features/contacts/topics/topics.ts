import { type SQL, sql } from "drizzle-orm";
import { type FieldFault, Invalid, NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { unknownTopic } from "../../../core/topics";
import { openBatch } from "../../../db/batch";
import { asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import { unknownTopics } from "../../../db/topics";
import { type ContactTopic, selectTopics, updateTopics } from "../../../engine/contacts/topics";
import type { Context } from "../../../platform/context";
import type { ChooseTopics } from "./schema";

/**
 * Implements `GET /contacts/{id}/topics`: returns the contact's own choices, and the default of each topic about which
 * the contact has made none.
 */
export async function getContactTopics(ctx: Context, id: Id): Promise<ContactTopic[]> {
  const batch = openBatch(ctx);
  batch.guard(hasContact(ctx, id), () => new NotFound("contact", id));
  const topics = batch.add(selectTopics(ctx, id));
  await batch.commit();
  return topics.all;
}

/** `PUT /contacts/{id}/topics`: changes only the named topics. Throws NotFound and Invalid, without an effect. */
export async function chooseTopics(ctx: Context, id: Id, { topics }: ChooseTopics): Promise<ContactTopic[]> {
  const unknown = unknownTopics(ctx, Object.keys(topics));
  const batch = openBatch(ctx);
  batch.guard(hasContact(ctx, id), () => new NotFound("contact", id));
  batch.guard(sql`NOT EXISTS (${unknown})`, async () => {
    const found = await select(ctx.db, sql`${unknown} ORDER BY r.key`, columns({ slug: asText }));
    return new Invalid(found.map(faultOf));
  });
  // A second run finds the same choices already stored, and changes nothing.
  batch.mayRepeat();
  batch.addAll(updateTopics(ctx, { contactId: id, topics: new Map(Object.entries(topics)) }));
  const after = batch.add(selectTopics(ctx, id));
  await batch.commit();
  return after.all;
}

function hasContact(ctx: Context, id: Id): SQL {
  return sql`EXISTS (SELECT 1 FROM contacts WHERE ${inProject(ctx)} AND id = ${id})`;
}

function faultOf({ slug }: { slug: string }): FieldFault {
  return { field: `topics.${slug}`, code: "custom", message: unknownTopic(slug) };
}

export function contactTopicsJson(topics: ContactTopic[]) {
  return { topics: Object.fromEntries(topics.map(({ slug, isIn }) => [slug, isIn])) };
}
