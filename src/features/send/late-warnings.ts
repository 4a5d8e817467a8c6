import { type SQL, sql } from "drizzle-orm";
import { type DataChange, dataTooBig } from "../../core/contacts/data";
import type { Id } from "../../core/ids";
import { Warning } from "../../core/warning";
import { asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { whoIsFull } from "../../engine/contacts/data-limit";
import { imprintWarnings, missingImprint } from "../../engine/mail/accept/imprint";
import type { Recipient } from "../../engine/mail/accept/insert-emails";
import type { Context } from "../../platform/context";
import type { SendEmail } from "./schema";

/** The contacts and emails of a call, which the batch has just written. */
interface WrittenCall {
  /** The id of the emails' content. */
  id: Id;
  contacts: { id: Id; email: string }[];
  recipients: Recipient[];
  data: DataChange;
}

/** Reads the row of an expression from `warningsInSql`: a warning, or null. */
export const readWarning = columns({ warning: orNull((value) => Warning.parse(JSON.parse(asText(value)))) });

/**
 * Returns the warnings that only the database can find, as SQL that must run at the end of the batch. Each is an
 * expression for `{ field, message }` as JSON, or for NULL.
 */
export function warningsInSql(ctx: Context, call: SendEmail, written: WrittenCall): SQL[] {
  const lacking = missingImprint(ctx, "MARKETING");
  return [
    ...(call.template && lacking !== null ? [ifMarketing(ctx, written, imprintWarnings[lacking])] : []),
    ...(Object.keys(written.data.patch).length > 0 ? [notStored(whoIsFull(ctx, written))] : []),
    // Mail without a template is TRANSACTIONAL.
    ...(call.template ? [notSubscribed(ctx, written)] : []),
  ];
}

/** Limits a warning to marketing email. Only the database knows the type of the template. */
function ifMarketing(ctx: Context, { id }: WrittenCall, warning: Warning): SQL {
  return sql`(SELECT ${JSON.stringify(warning)} FROM email_contents
    WHERE ${inProject(ctx)} AND id = ${id} AND type = 'MARKETING')`;
}

function notStored(who: SQL): SQL {
  const why = ` was not stored, as ${dataTooBig}. The mail is sent with it.`;
  return warningIf(who, { field: "data", message: sql`'The data of ' || who || ${why}` });
}

/**
 * Warns of recipients who get marketing mail without having subscribed. Contacts who opted out are not included,
 * because their emails are SUPPRESSED.
 */
function notSubscribed(ctx: Context, { id, recipients }: WrittenCall): SQL {
  const ids = JSON.stringify(recipients.map(({ emailId }) => emailId));
  const who = sql`(SELECT min(e.to_email) || iif(count(*) > 1, ' and ' || (count(*) - 1) || ' more', '')
    FROM email_contents content
    CROSS JOIN json_each(${ids}) r
    CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value AND e.status = 'QUEUED'
    CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = e.contact_id AND NOT c.subscribed AND c.opted_out_at IS NULL
    WHERE ${inProject(ctx, "content")} AND content.id = ${id} AND content.type = 'MARKETING')`;
  const why =
    ". This MARKETING mail is sent nevertheless: /v1/send only leaves out contacts who opted out. Campaigns and workflows mail only subscribed contacts.";
  return warningIf(who, { field: "to", message: sql`'Not subscribed: ' || who || ${why}` });
}

function warningIf(who: SQL, { field, message }: { field: string; message: SQL }): SQL {
  return sql`(SELECT json_object('field', ${field}, 'message', ${message}) FROM (SELECT ${who} AS who) WHERE who IS NOT NULL)`;
}
