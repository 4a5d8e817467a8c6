import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { statement } from "../../db/commit";
import { readRow } from "../../db/rows";
import { contacts } from "../../db/tables";
import { changeSubscription } from "../../engine/contacts/subscription";
import { commitAndAnnounce } from "../../engine/events/announce";
import type { Recipient } from "./recipient";

/** What a recipient decides on their own page. It holds in a disabled project too: the law asks no operator. */
export async function setSubscription(recipient: Recipient, subscribed: boolean): Promise<Recipient> {
  const { ctx, contact } = recipient;
  const rows = await commitAndAnnounce(ctx, [
    ...changeSubscription(ctx, {
      contactId: sql`${contact.id}`,
      subscribed,
      eventData: subscribed ? {} : { reason: "unsubscribe_page" },
      isSaidBySelf: true,
      at: ctx.now.getTime(),
    }),
    statement(ctx.db, sql`SELECT * FROM contacts WHERE project_id = ${ctx.project.id} AND id = ${contact.id}`),
  ]);
  const after = rows.at(-1)?.[0];
  if (!after) throw new NotFound("contact", contact.id);
  return { ...recipient, contact: readRow(contacts, after) };
}
