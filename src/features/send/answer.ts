import { type SQL, sql } from "drizzle-orm";
import { publicId } from "../../core/ids";
import { publicIdInSql } from "../../db/ids";
import { inProject } from "../../db/scope";
import type { Recipient } from "../../engine/mail/accept/insert-emails";
import type { Context } from "../../platform/context";

/**
 * Returns SQL that builds the call's answer from the rows that its batch has written. The batch stores the answer with
 * the idempotency key. `routes.ts` builds the same answer in code.
 */
export function answerInSql(ctx: Context, recipients: Recipient[]): SQL {
  const ids = JSON.stringify(recipients.map(({ emailId }) => ({ id: emailId, shown: publicId(emailId) })));
  return sql`json_object('success', json('true'), 'data', json_object('emails', (
      SELECT json_group_array(json_object(
        'contact', json_object('id', ${publicIdInSql(sql`e.contact_id`)}, 'email', e.to_email),
        'email', r.value->>'shown', 'status', e.status) ORDER BY r.key)
      FROM json_each(${ids}) r
      CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value->>'id'
    ), 'timestamp', ${ctx.now.toISOString()}))`;
}
