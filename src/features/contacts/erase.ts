import { type SQL, sql } from "drizzle-orm";
import { belowAllIds, type Id, newId } from "../../core/ids";
import type { Batch } from "../../db/batch";
import { Stale } from "../../db/fresh";
import { asId, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { guard, noRows, type Statement, select, statement } from "../../db/statement";
import { upsertCounts } from "../../engine/contacts/counts";
import { withHashes } from "../../engine/contacts/erased-address";
import { countRemoved } from "../../engine/contacts/suppression-count";
import { eventsOfContact } from "../../engine/events/of-contact";
import { hasErrors } from "../../engine/jobs/erase-errors";
import { announceJob, insertJob } from "../../engine/jobs/queue-job";
import {
  selectCopied,
  selectErasedFiles,
  updateErasedContents,
  updateErasedEmails,
} from "../../engine/mail/forget/erased-mail";
import { upsertExecutionCounts } from "../../engine/workflows/execution-counts";
import { goneReason } from "../../engine/workflows/shard/erase";
import type { Context } from "../../platform/context";
import { pageOf, rowsPerBatch, updateErasedDeliveries, updateErasedEvents } from "./erase-pages";
import type { ErasureState } from "./erase-rest";

/** The erasure that `addErasure` added to a batch. */
export interface Erasure {
  /**
   * The requested ids that belong to a contact, each once. Exactly these contacts are deleted when the batch is
   * committed.
   */
  found: Id[];
  /** The id of the job that erases what is left after the batch, if it needs one; null when there is nobody to erase. */
  restId: Id | null;
  /** Starts the job that erases what is left after the batch. Must be called after the commit. */
  announceRest(): Promise<void>;
}

/**
 * Adds to a batch the erasure of up to 1,000 people: personal data is deleted, but the rows that counters and the
 * records of mail need are kept. The batch itself empties their first 1,000 emails and events. A job continues from
 * there, and deletes the files. The batch throws Stale if a contact was deleted or got another address after it was
 * read here. The caller then begins another batch: see `untilFresh`.
 */
export async function addErasure(ctx: Context, batch: Batch, contactIds: Id[]): Promise<Erasure> {
  const read = await select(
    ctx.db,
    sql`SELECT DISTINCT c.id, c.email FROM json_each(${JSON.stringify(contactIds)}) r
      CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value ORDER BY c.id`,
    columns({ id: asId, email: asText }),
  );
  if (read.length === 0) return { found: [], restId: null, announceRest: async () => {} };
  const people = peopleOf(ctx, read);
  const errors: ErasureState = { part: "errors", after: belowAllIds, emails: people.emails };
  const emails: ErasureState = { part: "emails", after: null };
  batch.add(guardAsRead(ctx, people));
  for (const statementsFor of Object.values(tablesOfPeople)) batch.addAll(statementsFor(ctx, people));
  const restId = newId();
  const rest = batch.add(
    insertJob(ctx, {
      id: restId,
      type: "contacts.erase",
      input: { contactIds: people.contactIds },
      state: sql`iif(${hasErrors(ctx)}, ${JSON.stringify(errors)}, ${JSON.stringify(emails)})`,
      onlyIf: hasRest(ctx, people.ids),
    }),
  );
  return {
    found: people.contactIds,
    restId,
    async announceRest() {
      if (rest.first) await announceJob(ctx, "contacts.erase", rest.first.id);
    },
  };
}

/** The people to erase, as the parameters of the statements. */
interface People {
  contactIds: Id[];
  emails: string[];
  /** The contact ids as a JSON array. */
  ids: string;
  /** A JSON array of `{ id, email, hash }`. */
  items: string;
}

/**
 * Every table with rows about a person, with the statements that the batch runs on the table, in this order. A new
 * table with personal data must be added here; erase-rest.ts continues with the rows that do not fit into one batch. A
 * test fails when a table is missing.
 */
export const tablesOfPeople: Record<string, (ctx: Context, people: People) => Statement[]> = {
  erased_addresses: replaceErasedAddresses,
  suppressions: deleteSuppressions,
  segment_members: deleteMemberships,
  contact_topics: (ctx, { ids }) => [deleteRowsOf(ctx, "contact_topics", ids)],
  confirmations: (ctx, { ids }) => [deleteRowsOf(ctx, "confirmations", ids)],
  import_changes: (ctx, { ids }) => [deleteRowsOf(ctx, "import_changes", ids)],
  workflow_executions: updateExecutions,
  workflow_calls: (ctx, { ids }) => [deleteRowsOf(ctx, "workflow_calls", ids)],
  contacts: deleteContacts,
  email_contents: (ctx, { ids }) => updateErasedContents(ctx, pageOf(ctx, "emails", ids, null)),
  emails: (ctx, { ids }) => updateErasedEmails(ctx, pageOf(ctx, "emails", ids, null)),
  webhook_deliveries: (ctx, { ids }) => [updateErasedDeliveries(ctx, pageOf(ctx, "events", ids, null))],
  events: (ctx, { ids }) => [updateErasedEvents(ctx, pageOf(ctx, "events", ids, null))],
};

function peopleOf(ctx: Context, contacts: { id: Id; email: string }[]): People {
  const items = withHashes(ctx, contacts);
  const contactIds = items.map(({ id }) => id);
  const emails = items.map(({ email }) => email);
  return { contactIds, emails, ids: JSON.stringify(contactIds), items: JSON.stringify(items) };
}

/**
 * Throws Stale if a contact was deleted or got another address after it was read, because the hashes were computed from
 * the addresses that were read.
 */
function guardAsRead(ctx: Context, { items }: People): Statement {
  const moved = sql`SELECT 1 FROM json_each(${items}) r
    LEFT JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>'id'
    WHERE c.email IS NOT r.value->>'email'`;
  return guard(sql`NOT EXISTS (${moved})`, () => new Stale());
}

/**
 * Stores each person's opt-out and suppression under the hash of the address, so that they outlive the erasure.
 * Replaces what was stored about an earlier person with the same address.
 */
function replaceErasedAddresses(ctx: Context, { items }: People): Statement[] {
  return [
    statement(
      sql`DELETE FROM erased_addresses WHERE ${inProject(ctx)}
        AND hash IN (SELECT value->>'hash' FROM json_each(${items}))`,
    ),
    statement(
      sql`INSERT INTO erased_addresses (project_id, hash, opted_out_at, suppressed_reason,
          created_at)
        SELECT ${ctx.project.number}, r.value->>'hash', c.opted_out_at, s.reason, ${ctx.now.getTime()}
        FROM json_each(${items}) r
        CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>'id'
        LEFT JOIN suppressions s ON ${inProject(ctx, "s")} AND s.email = c.email
        WHERE c.opted_out_at IS NOT NULL OR s.reason IS NOT NULL`,
    ),
  ];
}

function deleteSuppressions(ctx: Context, { items }: People): Statement[] {
  const listed = sql`${inProject(ctx)} AND email IN (SELECT value->>'email' FROM json_each(${items}))`;
  return [countRemoved(listed), statement(sql`DELETE FROM suppressions WHERE ${listed}`)];
}

/** Deletes memberships, without exit events. Also updates the stored number of members of static segments. */
function deleteMemberships(ctx: Context, { ids }: People): Statement[] {
  const memberships = sql`segment_members INDEXED BY ix_segment_members_contact
    WHERE ${inProject(ctx)} AND contact_id IN (SELECT value FROM json_each(${ids}))`;
  return [
    statement(
      sql`UPDATE segments AS s SET member_count = member_count - gone.members
        FROM (SELECT project_id, segment_id, count(*) AS members FROM ${memberships} GROUP BY project_id, segment_id) gone
        WHERE s.project_id = gone.project_id AND s.id = gone.segment_id AND s.type = 'STATIC'`,
    ),
    statement(sql`DELETE FROM ${memberships}`),
  ];
}

function deleteContacts(ctx: Context, { ids }: People): Statement[] {
  const isErased = sql`${inProject(ctx)} AND id IN (SELECT value FROM json_each(${ids}))`;
  const counts = upsertCounts(
    sql`SELECT c.project_id, -1 AS contacts, -c.subscribed AS subscribed FROM json_each(${ids}) r
      CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value`,
  );
  return [statement(sql`DELETE FROM contacts WHERE ${isErased}`, noRows, { before: [counts] })];
}

/**
 * Ends the active executions in the database. Only a contact's newest execution in a workflow can be active. The job
 * later informs the objects that store the executions. It also empties the executions that ended earlier, because a
 * contact may have a thousand of them.
 */
function updateExecutions(ctx: Context, { ids }: People): Statement[] {
  const now = ctx.now.getTime();
  const ofContact = (columns: SQL, contactId: SQL) => sql`(SELECT ${columns} FROM workflow_executions e
    INDEXED BY ix_workflow_executions_contact WHERE ${inProject(ctx, "e")} AND e.contact_id = ${contactId}`;
  const entered = sql`WITH RECURSIVE entered (contact_id, workflow_id) AS (
    SELECT r.value, ${ofContact(sql`min(e.workflow_id)`, sql`r.value`)}) FROM json_each(${ids}) r
    UNION ALL SELECT contact_id, ${ofContact(sql`min(e.workflow_id)`, sql`entered.contact_id`)}
      AND e.workflow_id > entered.workflow_id) FROM entered WHERE workflow_id IS NOT NULL)`;
  const areActive = sql`(project_id, workflow_id, id) IN (SELECT ${ctx.project.number}, entered.workflow_id,
      ${ofContact(sql`max(e.id)`, sql`entered.contact_id`)} AND e.workflow_id = entered.workflow_id)
      FROM entered WHERE workflow_id IS NOT NULL)
    AND status IN ('RUNNING', 'WAITING')`;
  const counts = upsertExecutionCounts(
    ctx,
    sql`${entered} SELECT workflow_id, id, status AS old_status, 'CANCELLED' AS new_status FROM workflow_executions WHERE ${areActive}`,
  );
  return [
    statement(
      sql`${entered}
        UPDATE workflow_executions SET exit_reason = ${goneReason}, completed_at = ${now}, status = 'CANCELLED', error = NULL,
          wake_at = NULL, awaits = NULL, updated_at = ${now}
        WHERE ${areActive}`,
      noRows,
      { before: [counts] },
    ),
  ];
}

function deleteRowsOf(ctx: Context, table: string, ids: string): Statement {
  return statement(
    sql`DELETE FROM ${sql.raw(table)}
      WHERE ${inProject(ctx)} AND contact_id IN (SELECT value FROM json_each(${ids}))`,
  );
}

/**
 * Whether the batch leaves anything for the job: rows after the first page, executions, files, copies of mail, or
 * errors of other jobs.
 */
function hasRest(ctx: Context, ids: string): SQL {
  const areTheirs = sql`${inProject(ctx)} AND contact_id IN (SELECT value FROM json_each(${ids}))`;
  const isBeyond = (rows: SQL) => sql`(SELECT id FROM (${rows} LIMIT 1 OFFSET ${rowsPerBatch})) IS NOT NULL`;
  const page = pageOf(ctx, "emails", ids, null);
  const executions = sql`SELECT 1 FROM workflow_executions
    WHERE ${inProject(ctx)} AND contact_id IN (SELECT value FROM json_each(${ids}))`;
  return sql`${isBeyond(sql`SELECT id FROM emails WHERE ${areTheirs}`)} OR ${isBeyond(eventsOfContact(sql`id`, areTheirs))}
    OR EXISTS (${executions}) OR EXISTS (${selectErasedFiles(ctx, page).sql})
    OR EXISTS (${selectCopied(ctx, page).sql}) OR ${hasErrors(ctx)}`;
}
