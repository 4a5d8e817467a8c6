import { sql } from "drizzle-orm";
import { Invalid } from "../../core/errors";
import { openBatch } from "../../db/batch";
import { asNumber, asText, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { LookupContacts } from "./schema";

/**
 * The maximum total size of the data in an answer with whole contacts, in bytes. The limit is needed because all
 * requests of an isolate share its memory.
 */
const maxExpandedBytes = 8 * 1024 * 1024;

/**
 * `POST /contacts/lookup`: reports which of these addresses are contacts. Each string is answered once, as it was sent.
 * Whole contacts are returned only on request.
 */
export async function lookUpContacts(
  ctx: Context,
  { emails }: LookupContacts,
  { isExpanded }: { isExpanded: boolean },
): Promise<{ found: string[]; notFound: string[]; contacts: ContactRow[] }> {
  const requested = new Map(emails.map(({ written, email }) => [written, email]));
  const addresses = [...new Set(requested.values())];
  const matching = sql`json_each(${JSON.stringify(addresses)}) r
    CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = r.value`;
  const bytes = sql`(SELECT coalesce(sum(octet_length(c.data)), 0) FROM ${matching})`;
  const batch = openBatch(ctx);
  const known = batch.add(statement(sql`SELECT c.email FROM ${matching}`, columns({ email: asText })));
  const expanded = isExpanded && {
    contacts: batch.add(
      statement(sql`SELECT c.* FROM ${matching} WHERE ${bytes} <= ${maxExpandedBytes}`, wholeRow(contacts)),
    ),
    size: batch.add(statement(sql`SELECT ${bytes} AS bytes`, columns({ bytes: asNumber }))),
  };
  await batch.commit();
  if (expanded && expanded.size.one.bytes > maxExpandedBytes) throw tooMuchToExpand();
  const isKnown = new Set(known.all.map(({ email }) => email));
  const rows = expanded ? expanded.contacts.all : [];
  const byEmail = new Map(rows.map((row) => [row.email, row]));
  return {
    found: [...requested].flatMap(([written, email]) => (isKnown.has(email) ? [written] : [])),
    notFound: [...requested].flatMap(([written, email]) => (isKnown.has(email) ? [] : [written])),
    contacts: addresses.flatMap((email) => byEmail.get(email) ?? []),
  };
}

function tooMuchToExpand(): Invalid {
  const message = `These contacts have more than ${maxExpandedBytes} bytes of data: look up fewer at a time`;
  return new Invalid([{ field: "emails", code: "too_big", message }]);
}
