import { and, eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";

export async function getContact(ctx: Context, id: Id): Promise<ContactRow> {
  const row = await ctx.db
    .select()
    .from(contacts)
    .where(and(inProject(ctx), eq(contacts.id, id)))
    .get();
  if (!row) throw new NotFound("contact", id);
  return row;
}
