import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { contacts } from "../../db/tables";
import { isStillSubscribed, updateLeftBy } from "../../engine/campaigns/left";
import { updateSubscription } from "../../engine/contacts/subscription";
import { updateTopics } from "../../engine/contacts/topics";
import type { Recipient } from "./recipient";

/**
 * Applies a recipient's choice on their own page. It also works in a disabled project, because the law requires that.
 * `joins` is the slug of a topic that the person joins with the same choice.
 */
export async function setSubscription(
  recipient: Recipient,
  subscribed: boolean,
  joins: string | null = null,
): Promise<Recipient> {
  const { ctx, contact, subject } = recipient;
  const batch = openBatch(ctx);
  // A second run finds the same choice already stored, and changes nothing.
  batch.mayRepeat();
  if (!subscribed) batch.addAll(updateLeftBy(ctx, subject.emailId, isStillSubscribed));
  batch.addAll(
    updateSubscription(ctx, {
      contactId: sql`SELECT ${contact.id}`,
      subscribed,
      eventData: subscribed ? {} : { reason: "unsubscribe_page" },
      isSaidBySelf: true,
      at: ctx.now.getTime(),
    }),
  );
  if (joins !== null) batch.addAll(updateTopics(ctx, { contactId: contact.id, topics: new Map([[joins, true]]) }));
  const after = batch.add(
    statement(sql`SELECT * FROM contacts WHERE ${inProject(ctx)} AND id = ${contact.id}`, wholeRow(contacts)),
  );
  await batch.commit();
  if (!after.first) throw new NotFound("contact", contact.id);
  return { ...recipient, contact: after.first };
}
