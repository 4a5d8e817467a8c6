import { type SQL, sql } from "drizzle-orm";
import { hasLeftTopic } from "../../db/topics";
import type { Context } from "../../platform/context";

export const contactLeft = "The contact unsubscribed before the email was sent";

export const contactGone = "The contact was deleted before the email was sent";

export const campaignCancelled = "The campaign was cancelled";

/** Why mail is withheld from a recipient: the errors of such emails. */
export const withheld = {
  suppressed: "The address is on the suppression list",
  unsubscribed: "The contact has unsubscribed from marketing email",
  leftTopic: "The contact has left the topic of this email",
} as const;

/**
 * The facts that decide whether an email may go to its recipient, as SQL expressions. `topicId` is NULL for mail of no
 * topic.
 */
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
  return sql`CASE WHEN EXISTS (${suppressed}) THEN ${asLiteral(withheld.suppressed)}
    WHEN ${type} = 'MARKETING' AND ${optedOutAt} IS NOT NULL THEN ${asLiteral(withheld.unsubscribed)}
    WHEN ${topicId} IS NOT NULL AND ${hasLeftTopic({ projectId, contactId, topicId })}
      THEN ${asLiteral(withheld.leftTopic)} END`;
}

/** One of our own sentences, none of which has a quote. */
function asLiteral(sentence: (typeof withheld)[keyof typeof withheld]): SQL {
  return sql.raw(`'${sentence}'`);
}
