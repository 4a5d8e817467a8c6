import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../platform/context";
import { otherOf } from "../../../platform/mailer/accounts";

/**
 * The email is left to another account: its outcome is unknown at that provider, and through this one it could be sent twice.
 * Only transactional mail has two providers.
 */
export function isLeft({ accounts, mailer }: Pick<Context, "accounts" | "mailer">, email: "e" | "emails"): SQL {
  const other = otherOf(accounts, mailer);
  if (other === null) return sql`false`;
  const e = sql.raw(email);
  return sql`(${e}.priority = 0 AND ${e}.uncertain_since IS NOT NULL AND ${e}.provider IS ${other})`;
}
