import { and, eq } from "drizzle-orm";
import type { NamedContact } from "../../core/contacts/named-contact";
import { NotFound } from "../../core/errors";
import { readId } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";

/** Finds the contact with this id or address. Null when there is none. */
export async function findNamedContact(ctx: Context, { contactId, email }: NamedContact): Promise<ContactRow | null> {
  const isNamed = and(
    contactId ? eq(contacts.id, contactId) : undefined,
    email ? eq(contacts.email, email) : undefined,
  );
  const row = await ctx.db
    .select()
    .from(contacts)
    .where(and(inProject(ctx), isNamed))
    .get();
  return row ?? null;
}

/** Returns the contact with this id or address. Throws NotFound when there is none. */
export async function getNamedContact(ctx: Context, named: NamedContact): Promise<ContactRow> {
  const row = await findNamedContact(ctx, named);
  if (!row) throw new NotFound("contact", named.contactId ?? readId(named.email ?? ""));
  return row;
}
