import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";

export const contactGone = "The contact was deleted before the email was sent";

/** Why an email may not go to its recipient, as an SQL expression; null when it may. */
export function whyWithheld(
  ctx: Context,
  { type, email, optedOutAt }: { type: SQL; email: SQL; optedOutAt: SQL },
): SQL {
  const suppressed = sql`SELECT 1 FROM suppressions s WHERE s.project_id = ${ctx.project.number} AND s.email = ${email}`;
  return sql`CASE WHEN EXISTS (${suppressed}) THEN 'The address is on the suppression list'
    WHEN ${type} = 'MARKETING' AND ${optedOutAt} IS NOT NULL THEN 'The contact has unsubscribed from marketing email' END`;
}
