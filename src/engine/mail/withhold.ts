import { type SQL, sql } from "drizzle-orm";
import { hasLeftTopic } from "../../db/topics";
import type { Context } from "../../platform/context";

export const contactLeft = "The contact unsubscribed before the email was sent";

export const contactGone = "The contact was deleted before the email was sent";

export const campaignCancelled = "The campaign was cancelled";

/** What decides whether an email may go to its recipient, as SQL expressions. `topicId` is NULL for mail of no topic. */
interface Asked {
  type: SQL;
  email: SQL;
  optedOutAt: SQL;
  topicId: SQL;
  contactId: SQL;
}

/** Why an email may not go to its recipient, as an SQL expression; null when it may. */
export function whyWithheld(ctx: Context, { type, email, optedOutAt, topicId, contactId }: Asked): SQL {
  const projectId = sql`${ctx.project.number}`;
  const suppressed = sql`SELECT 1 FROM suppressions s WHERE s.project_id = ${projectId} AND s.email = ${email}`;
  return sql`CASE WHEN EXISTS (${suppressed}) THEN 'The address is on the suppression list'
    WHEN ${type} = 'MARKETING' AND ${optedOutAt} IS NOT NULL THEN 'The contact has unsubscribed from marketing email'
    WHEN ${topicId} IS NOT NULL AND ${hasLeftTopic({ projectId, contactId, topicId })}
      THEN 'The contact has left the topic of this email' END`;
}
