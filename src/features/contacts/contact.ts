import { eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { iso, isoOrNull } from "../../core/time";
import { inProject } from "../../db/scope";
import { contacts } from "../../db/tables";
import type { Context } from "../../platform/context";

export type ContactRow = typeof contacts.$inferSelect;

export function contactJson(row: ContactRow) {
  return {
    id: row.id,
    email: row.email,
    subscribed: row.subscribed,
    snoozedUntil: isoOrNull(row.snoozedUntil),
    data: row.data,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

export async function getContact(ctx: Context, id: string): Promise<ContactRow> {
  const row = await ctx.db
    .select()
    .from(contacts)
    .where(inProject(contacts, ctx, eq(contacts.id, id)))
    .get();
  if (!row) throw new NotFound("contact", id);
  return row;
}
