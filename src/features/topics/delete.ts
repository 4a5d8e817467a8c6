import { type SQL, sql } from "drizzle-orm";
import { topicField } from "../../core/audience/fields";
import type { Referrer } from "../../core/audience/references";
import { Conflict, NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { rowById } from "../../db/own-rows";
import { readUses, type Use } from "../../db/read-uses";
import { asId, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { getTopic, isLive } from "./topic";

/**
 * `DELETE /topics/{id}`: deletes a topic. Throws NotFound, and Conflict while a template, an open campaign or a
 * condition uses the topic. A concurrent call that would use the topic finds it deleted. The row stays, because a slug
 * is never used again. People's choices stay too: a person who left the topic still gets none of its mail that was
 * accepted before the deletion, and a link in such mail unsubscribes from everything.
 */
export async function deleteTopic(ctx: Context, id: Id): Promise<void> {
  const { slug } = await getTopic(ctx, id);
  const uses = usesOf(ctx, { id, slug });
  const batch = openBatch(ctx);
  // The topic existed a moment ago. If a repeated batch finds it deleted, the first attempt has deleted it.
  batch.recognise(sql`NOT EXISTS (${rowById("topics", ctx, id)} AND ${isLive})`);
  const free = Object.values(uses).map((rows) => sql`NOT EXISTS (${rows})`);
  batch.guard(sql.join(free, sql` AND `), async () => topicInUse(await namesOf(ctx, uses)));
  const deleted = batch.add(
    statement(
      sql`UPDATE topics SET deleted_at = ${ctx.now.getTime()} WHERE ${inProject(ctx)} AND id = ${id} AND ${isLive} RETURNING id`,
      columns({ id: asId }),
      { again: sql`SELECT ${id} AS id` },
    ),
  );
  await batch.commit();
  if (deleted.count === 0) throw new NotFound("topic", id);
}

/**
 * The kinds of things that can use a topic: `campaigns` have it as their topic, and `audiences` are campaigns whose
 * audience condition names it.
 */
type Users = "templates" | "campaigns" | "audiences" | "segments" | "workflows";

const isOpen = sql`status IN ('DRAFT', 'SCHEDULED', 'SENDING')`;

/** Selects the users of the topic, by kind, in the order of their ids. */
function usesOf(ctx: Context, { id, slug }: { id: Id; slug: string }): Record<Users, SQL> {
  const named = (referrer: Referrer) => sql`SELECT referrer_id AS id, referrer_name AS name FROM audience_references
    WHERE ${inProject(ctx)} AND kind = 'field' AND name = ${topicField(slug)} AND referrer = ${referrer}
    ORDER BY referrer_id`;
  // Without the `INDEXED BY` hints, SQLite reads all templates and campaigns of the project.
  return {
    templates: sql`SELECT id, name FROM templates INDEXED BY ix_templates_topic
      WHERE ${inProject(ctx)} AND topic_id = ${id} ORDER BY id`,
    campaigns: sql`SELECT id, name FROM campaigns INDEXED BY ix_campaigns_topic
      WHERE ${inProject(ctx)} AND topic_id = ${id} AND ${isOpen} ORDER BY id`,
    audiences: sql`SELECT c.id, c.name FROM (${named("campaign")}) r
      CROSS JOIN campaigns c ON ${inProject(ctx, "c")} AND c.id = r.id AND ${isOpen}`,
    segments: named("segment"),
    workflows: named("workflow"),
  };
}

async function namesOf(ctx: Context, uses: Record<Users, SQL>): Promise<Uses> {
  const { campaigns, audiences, ...others } = await readUses(ctx, uses);
  const ofCampaigns = new Map([...campaigns, ...audiences].map((use) => [use.id, use]));
  return { ...others, campaigns: [...ofCampaigns.values()] };
}

type Uses = Record<Exclude<Users, "audiences">, Use[]>;

export function topicInUse(details: Uses): Conflict {
  return new Conflict("This topic is in use. Nothing was deleted.", {
    suggestion: "Remove the topic from everything listed in details, then delete it again.",
    details: { ...details },
  });
}
