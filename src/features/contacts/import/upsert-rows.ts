import { type SQL, sql } from "drizzle-orm";
import { columnNamed, columnsWith } from "../../../core/contacts/columns-with";
import type { Moved, MovedColumn } from "../../../core/contacts/csv-moved";
import type { ReadRow } from "../../../core/contacts/csv-row";
import type { Id } from "../../../core/ids";
import { contactColumn } from "../../../db/contact-columns";
import { inProject } from "../../../db/scope";
import { noRows, type Statement, statement } from "../../../db/statement";
import { upsertCounts } from "../../../engine/contacts/counts";
import { refuseLargeData } from "../../../engine/contacts/data-limit";
import { bornAs, joinErased } from "../../../engine/contacts/erased-address";
import { type Context, clockOf } from "../../../platform/context";
import { insertChanges } from "./remember-changes";

/** The contacts of a chunk, and the time of the write, from which the ids of new contacts are derived. */
export interface NewContacts {
  contacts: (ReadRow & { id: Id; hash?: string })[];
  /** The job of the import, under whose id the changes are recorded so that they can be undone. */
  jobId: Id;
  now: number;
  /** Whether the import uses the columns that describe the contact itself: times, source, opt-out. */
  bringAll: boolean;
}

/** Thrown when the table refuses the whole chunk, because the data of one contact is too large. */
export class TooLargeData extends Error {
  override readonly name = "TooLargeData";
}

/** Inserts new contacts as subscribed, and updates existing contacts, which keep their subscription. */
export function upsertRows(ctx: Context, written: NewContacts): Statement {
  const born = bornAs(ctx, { subscribed: null, subscribedByDefault: true });
  return upsert(ctx, written, {
    born,
    counted: { change: sql`0`, isDue: changesRow(sentBy(written)) },
    sets: [],
    isDue: changesRow(excludedBy(written)),
  });
}

interface Upsert {
  born: { subscribed: SQL; optedOutAt: SQL; optedOutBy: SQL };
  /**
   * The expressions for the counts: `change` is by how much an existing contact changes the number of subscribed
   * contacts, and `isDue` is whether the contact changes at all.
   */
  counted: { change: SQL; isDue: SQL };
  /** Further assignments for a contact that exists already. */
  sets: SQL[];
  isDue: SQL;
}

export function upsert(ctx: Context, written: NewContacts, { born, counted, sets, isDue }: Upsert): Statement {
  const { contacts, jobId, now } = written;
  const items = sql`json_each(${JSON.stringify(contacts)}) r ${joinErased(ctx, sql`r.value->>'hash'`)}`;
  const counts = upsertCounts(
    sql`SELECT ${ctx.project.number} AS project_id, contacts.id IS NULL AS contacts,
        CASE WHEN contacts.id IS NULL THEN ${born.subscribed} ELSE ${counted.change} END AS subscribed
      FROM ${items}
      LEFT JOIN contacts ON ${inProject(ctx, "contacts")} AND contacts.email = r.value->>'email'
      WHERE contacts.id IS NULL OR ${counted.isDue}`,
  );
  const changes = [
    sql`data = ${merged(sql`contacts.data`, sql`excluded.data`)}`,
    sql`source = iif(contacts.source = 'PUBLIC', excluded.source, contacts.source)`,
    ...filledBy(written).map(
      (name) =>
        sql`${contactColumn(name)} = coalesce(${contactColumn(name, "contacts")}, ${contactColumn(name, "excluded")})`,
    ),
    ...sets,
  ];
  return statement(
    sql`INSERT INTO contacts (project_id, id, email, subscribed, opted_out_at, opted_out_by, clock, source, data,
        created_at, updated_at${sql.join(onceColumns.map((name) => sql`, ${contactColumn(name)}`))})
      SELECT ${ctx.project.number}, r.value->>'id', r.value->>'email', ${born.subscribed}, ${born.optedOutAt},
        ${born.optedOutBy}, ${clockOf(ctx)}, coalesce(${brought(written, "source")}, 'IMPORT'), r.value->'data',
        coalesce(${brought(written, "createdAt")}, ${now}), ${now}${sql.join(onceColumns.map((name) => sql`, ${brought(written, name)}`))}
      FROM ${items}
      WHERE true
      ON CONFLICT (project_id, email) DO UPDATE SET ${sql.join(changes, sql`, `)},
        version = contacts.version + 1, updated_at = max(contacts.updated_at, ${now})
      WHERE ${isDue}`,
    noRows,
    {
      before: [counts, insertChanges(ctx, jobId, { items, isDue: counted.isDue })],
      refusals: [{ ...refuseLargeData, refuse: () => new TooLargeData() }],
    },
  );
}

/**
 * Returns a column of the row `r` that describes the contact itself; NULL when the import does not use these columns.
 */
export function brought({ bringAll }: NewContacts, field: keyof Moved): SQL {
  return bringAll ? sql`(r.value->>${sql.raw(`'${field}'`)})` : sql`NULL`;
}

/** The columns that a row fills in an existing contact only where the contact has no value. */
const onceColumns = columnsWith("imported").filter((name) => columnNamed(name).imported === "once");

function filledBy({ bringAll }: NewContacts): MovedColumn[] {
  return bringAll ? onceColumns : [];
}

/** The parts of a row that may change an existing contact. */
interface Sent {
  data: SQL;
  filled: { stored: SQL; sent: SQL }[];
}

/** Returns the parts of the row `r`, for the query of the counts. */
export function sentBy(written: NewContacts): Sent {
  return { data: sql`r.value->'data'`, filled: filledWith(written, (name) => brought(written, name)) };
}

/** Returns the parts of a row for the upsert itself, which names the row `excluded`. */
export function excludedBy(written: NewContacts): Sent {
  return { data: sql`excluded.data`, filled: filledWith(written, (name) => contactColumn(name, "excluded")) };
}

function filledWith(written: NewContacts, sent: (name: MovedColumn) => SQL): Sent["filled"] {
  return filledBy(written).map((name) => ({ stored: contactColumn(name, "contacts"), sent: sent(name) }));
}

/**
 * Whether a row changes an existing contact: its data, a column without a value, or the source of a contact that a
 * browser created.
 */
export function changesRow({ data, filled }: Sent): SQL {
  const fills = filled.map(({ stored, sent }) => sql` OR (${stored} IS NULL AND ${sent} IS NOT NULL)`);
  return sql`(contacts.source = 'PUBLIC' OR ${merged(sql`contacts.data`, data)} <> contacts.data${sql.join(fills)})`;
}

/** Merges data. A cell is never an object and never null, so json_patch only replaces whole keys and deletes none. */
export function merged(stored: SQL, sent: SQL): SQL {
  return sql`json_patch(${stored}, ${sent})`;
}
