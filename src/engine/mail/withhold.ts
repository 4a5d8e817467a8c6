import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { EmailType } from "../../core/mail/status";
import { hasLeftTopic } from "../../db/topics";
import type { Context } from "../../platform/context";

export const contactLeft = "The contact unsubscribed before the email was sent";

export const contactGone = "The contact was deleted before the email was sent";

export const campaignCancelled = "The campaign was cancelled";

/** The error texts of emails that are withheld from their recipient. */
export const withheld = {
  suppressed: "The address is on the suppression list",
  unsubscribed: "The contact has unsubscribed from marketing email",
  leftTopic: "The contact has left the topic of this email",
} as const;

/** The facts about an email that decide whether a contact gets it. They are SQL when only the database knows them. */
export interface KindOfMail {
  type: EmailType | SQL;
  /** The topic of the mail; null, or NULL in SQL, for mail without a topic. */
  topicId: Id | SQL | null;
}

/** The recipient of an email, as SQL. */
interface RecipientInSql {
  email: SQL;
  optedOutAt: SQL;
  contactId: SQL;
}

const contact: RecipientInSql = { email: sql`c.email`, optedOutAt: sql`c.opted_out_at`, contactId: sql`c.id` };

/**
 * Returns an SQL expression for the reason why this kind of mail must not go to its recipient. The reason is NULL when
 * the mail may go. The recipient defaults to a contact `c`.
 */
export function whyWithheld(ctx: Context, { type, topicId }: KindOfMail, to: Partial<RecipientInSql> = {}): SQL {
  const { email, optedOutAt, contactId } = { ...contact, ...to };
  const projectId = sql`${ctx.project.number}`;
  const suppressed = sql`SELECT 1 FROM suppressions s WHERE s.project_id = ${projectId} AND s.email = ${email}`;
  return sql`CASE WHEN EXISTS (${suppressed}) THEN ${asLiteral(withheld.suppressed)}
    WHEN ${type} = 'MARKETING' AND ${optedOutAt} IS NOT NULL THEN ${asLiteral(withheld.unsubscribed)}
    WHEN ${topicId} IS NOT NULL AND ${hasLeftTopic({ projectId, contactId, topicId: sql`${topicId}` })}
      THEN ${asLiteral(withheld.leftTopic)} END`;
}

/** Quotes one of our own sentences, none of which contains a quote. */
function asLiteral(sentence: (typeof withheld)[keyof typeof withheld]): SQL {
  return sql.raw(`'${sentence}'`);
}
