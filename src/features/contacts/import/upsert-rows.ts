import { type SQL, sql } from "drizzle-orm";
import type { ReadRow } from "../../../core/contacts/csv-row";
import type { Id } from "../../../core/ids";
import { noRows, type Statement, statement } from "../../../db/statement";
import { upsertCounts } from "../../../engine/contacts/counts";
import { refuseLargeData } from "../../../engine/contacts/data-limit";
import { bornAs, joinErased } from "../../../engine/contacts/erased-address";
import { type Context, clockOf } from "../../../platform/context";

/** The contacts of a chunk, and when they are written: the ids of the new ones are made of it. */
export interface NewContacts {
  contacts: (ReadRow & { id: Id; hash?: string })[];
  now: number;
}

/** The table refused the whole chunk, as some contact's data does not fit. */
export class TooLargeData extends Error {
  override readonly name = "TooLargeData";
}

/** New contacts, subscribed; and what the file says of those that are there, whose subscription stays. */
export function upsertRows(ctx: Context, written: NewContacts): Statement {
  const isDue = changesRow(sql`r.value->'data'`);
  const born = bornAs(ctx, { subscribed: null, subscribedByDefault: true });
  return upsert(ctx, written, {
    born,
    counted: { change: sql`0`, isDue },
    sets: [],
    isDue: changesRow(sql`excluded.data`),
  });
}

interface Upsert {
  born: { subscribed: SQL; optedOutAt: SQL; optedOutBy: SQL };
  /** In the query of the counts: the change of a contact that is there, and whether there is one. */
  counted: { change: SQL; isDue: SQL };
  /** The same in the upsert itself. */
  sets: SQL[];
  isDue: SQL;
}

export function upsert(
  ctx: Context,
  { contacts, now }: NewContacts,
  { born, counted, sets, isDue }: Upsert,
): Statement {
  const items = sql`json_each(${JSON.stringify(contacts)}) r ${joinErased(ctx, sql`r.value->>'hash'`)}`;
  const counts = upsertCounts(
    sql`SELECT ${ctx.project.number} AS project_id, contacts.id IS NULL AS contacts,
        CASE WHEN contacts.id IS NULL THEN ${born.subscribed} ELSE ${counted.change} END AS subscribed
      FROM ${items}
      LEFT JOIN contacts ON contacts.project_id = ${ctx.project.number} AND contacts.email = r.value->>'email'
      WHERE contacts.id IS NULL OR ${counted.isDue}`,
  );
  const changes = [
    sql`data = ${merged(sql`contacts.data`, sql`excluded.data`)}`,
    sql`source = iif(contacts.source = 'PUBLIC', 'IMPORT', contacts.source)`,
    ...sets,
  ];
  return statement(
    sql`INSERT INTO contacts (project_id, id, email, subscribed, opted_out_at, opted_out_by, clock, source, data, created_at,
        updated_at)
      SELECT ${ctx.project.number}, r.value->>'id', r.value->>'email', ${born.subscribed}, ${born.optedOutAt},
        ${born.optedOutBy}, ${clockOf(ctx)}, 'IMPORT', r.value->'data', ${now}, ${now}
      FROM ${items}
      WHERE true
      ON CONFLICT (project_id, email) DO UPDATE SET ${sql.join(changes, sql`, `)},
        version = contacts.version + 1, updated_at = max(contacts.updated_at, ${now})
      WHERE ${isDue}`,
    noRows,
    { before: [counts], refusals: [{ ...refuseLargeData, refuse: () => new TooLargeData() }] },
  );
}

/** Whether a row changes the contact that is there, by its data or by naming one that a browser made. */
export function changesRow(sent: SQL): SQL {
  return sql`(contacts.source = 'PUBLIC' OR ${merged(sql`contacts.data`, sent)} <> contacts.data)`;
}

/** A cell is never an object and never null, so json_patch replaces whole keys and deletes none. */
export function merged(stored: SQL, sent: SQL): SQL {
  return sql`json_patch(${stored}, ${sent})`;
}
