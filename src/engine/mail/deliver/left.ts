import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../platform/context";
import { otherOf } from "../../../platform/mailer/accounts";

/**
 * Whether the email is left to the other account: its outcome at the other provider is unknown, and another call
 * through this account could send it twice. Only transactional mail has two providers.
 */
export function isLeft({ accounts, mailer }: Pick<Context, "accounts" | "mailer">, email: "e" | "emails"): SQL {
  const other = otherOf(accounts, mailer);
  if (other === null) return sql`false`;
  const e = sql.raw(email);
  return sql`(${e}.priority = 0 AND ${e}.uncertain_since IS NOT NULL AND ${e}.provider IS ${other})`;
}
