import { type SQL, sql } from "drizzle-orm";
import { inProject } from "../../../db/scope";
import type { Statement } from "../../../db/statement";
import { insertEvents } from "../../../engine/events/record";
import type { Context } from "../../../platform/context";
import { brought, changesRow, excludedBy, type NewContacts, sentBy, upsert } from "./upsert-rows";

/**
 * Upserts contacts whose rows say whether they are subscribed. A file is uploaded with a secret key, so its yes and no
 * are explicit: a yes even lifts a person's own opt-out, and a no counts as an opt-out, even for a contact that was
 * never subscribed. The events come first, because they compare with the state before the change. Each change of
 * subscription has one event; a new contact has none.
 */
export function upsertSubscribed(ctx: Context, written: NewContacts): Statement[] {
  const said = sql`(r.value->>'subscribed')`;
  const leftAt = sql`coalesce(${brought(written, "optedOutAt")}, ${written.now})`;
  return [
    insertFlipEvents(ctx, written),
    upsert(ctx, written, {
      born: {
        subscribed: said,
        optedOutAt: sql`CASE WHEN NOT ${said} THEN coalesce(erased.opted_out_at, ${leftAt}) END`,
        optedOutBy: sql`CASE WHEN NOT ${said} THEN iif(erased.opted_out_at IS NULL, 'API', 'PERSON') END`,
      },
      counted: {
        change: sql`${said} - contacts.subscribed`,
        isDue: sql`(${changesSubscription(said)} OR ${changesRow(sentBy(written))})`,
      },
      sets: [
        sql`subscribed = excluded.subscribed, snoozed_until = NULL`,
        sql`opted_out_at = CASE WHEN NOT excluded.subscribed THEN iif(${leavesNow}, excluded.opted_out_at, contacts.opted_out_at) END`,
        sql`opted_out_by = CASE WHEN NOT excluded.subscribed THEN iif(${leavesNow}, 'API', contacts.opted_out_by) END`,
      ],
      isDue: sql`(${changesSubscription(sql`excluded.subscribed`)} OR ${changesRow(excludedBy(written))})`,
    }),
  ];
}

/** Matches an existing contact for whom `subscribed: no` in the imported row is a new opt-out. */
const leavesNow = sql`(contacts.subscribed OR contacts.snoozed_until IS NOT NULL OR contacts.opted_out_at IS NULL)`;

function changesSubscription(said: SQL): SQL {
  return sql`(contacts.subscribed <> ${said} OR contacts.snoozed_until IS NOT NULL
    OR (NOT ${said} AND contacts.opted_out_at IS NULL))`;
}

function insertFlipEvents(ctx: Context, { contacts }: NewContacts): Statement {
  const said = JSON.stringify(contacts.map(({ email, subscribed }) => ({ email, subscribed })));
  return insertEvents(ctx, {
    rows: sql`SELECT contacts.project_id, iif(r.value->>'subscribed', 'contact.subscribed', 'contact.unsubscribed') AS name,
        contacts.id AS contact_id, NULL AS email_id, '{}' AS data
      FROM json_each(${said}) r
      CROSS JOIN contacts ON ${inProject(ctx, "contacts")} AND contacts.email = r.value->>'email'
      WHERE contacts.subscribed <> (r.value->>'subscribed')`,
  });
}
