import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { chunksOf } from "../../core/chunks";
import { type Id, asId as idOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, columns, orNull } from "../../db/rows";
import { select, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import { pageOfErrors, updateErasedErrors } from "../../engine/jobs/erase-errors";
import { guardState, type Step, updateEnded, updateState } from "../../engine/jobs/step";
import {
  selectCopied,
  selectErasedFiles,
  updateErasedContents,
  updateErasedEmails,
} from "../../engine/mail/forget/erased-mail";
import { filesOf, updateFiles } from "../../engine/mail/forget/left-contents";
import { forgetMessages } from "../../engine/mail/forget/messages";
import { eachShard } from "../../engine/workflows/shards";
import type { Context } from "../../platform/context";
import { type ErasureCursor, pageOf, rowsPerBatch, updateErasedDeliveries, updateErasedEvents } from "./erase-pages";

const StoredId = z.string().transform(idOf);

const Input = z.object({ contactIds: z.array(StoredId) });

/**
 * The progress of an erasure. The errors of import jobs come first: the search for these errors needs the erased
 * addresses, which the row of this job stores only during that part. Emails come before events, because an email that
 * is not emptied yet can still record an event about its person.
 */
const State = z.discriminatedUnion("part", [
  z.object({ part: z.literal("errors"), after: StoredId, emails: z.array(z.string()) }),
  z.object({
    part: z.enum(["emails", "events"]),
    after: z.object({ contactId: StoredId, campaignId: StoredId.nullable(), id: StoredId }).nullable(),
  }),
]);
export type ErasureState = z.infer<typeof State>;

const readCursor = columns({ contactId: asId, campaignId: orNull(asId), id: asId });

/** Takes one step of an erasure's job. A step erases a page of job errors, of emails with their files, or of events. */
export async function eraseRest(ctx: Context, row: JobRow): Promise<Step> {
  const { contactIds } = Input.parse(row.input);
  const state = State.parse(row.state);
  if (state.part === "errors") return eraseErrors(ctx, row, state);
  const page = pageOf(ctx, state.part, JSON.stringify(contactIds), state.after);
  return state.part === "emails" ? eraseEmails(ctx, row, page) : eraseEvents(ctx, row, page, contactIds);
}

/**
 * The maximum number of jobs that one step reads, and the maximum number of pairs of a job and an address that it
 * compares. Each job may have a thousand errors, and each error is compared with every address.
 */
const maxJobsPerStep = 20;
const maxPairsPerStep = 200;

/**
 * Empties the errors of imports, which contain the addresses of skipped rows. An invalid address is stored as it was
 * written, so its error is emptied if the text contains an erased address anywhere.
 */
async function eraseErrors(
  ctx: Context,
  row: JobRow,
  { after, emails }: Extract<ErasureState, { part: "errors" }>,
): Promise<Step> {
  const jobs = Math.max(1, Math.min(maxJobsPerStep, Math.floor(maxPairsPerStep / emails.length)));
  const page = await select(ctx.db, pageOfErrors(ctx, after, jobs), columns({ id: asId }));
  const ids = page.map(({ id }) => id);
  const last = ids.length < jobs ? undefined : ids.at(-1);
  const address = sql`lower(e.value->>'email')`;
  const isErased = sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(emails)}) erased WHERE ${address} = erased.value
    OR e.value->>'reason' = 'invalid_email' AND instr(${address}, erased.value) > 0)`;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateErasedErrors(ctx, ids, isErased));
  batch.add(updateState(ctx, row, last ? { part: "errors", after: last, emails } : stateAt("emails", null), 0));
  await batch.commit();
  return "goes on";
}

/**
 * Empties the rows first, then deletes the files, then clears the files' names. If the process dies in between, the
 * next run finds the names again through the emails of the same page.
 */
async function eraseEmails(ctx: Context, row: JobRow, page: SQL): Promise<Step> {
  const emptying = openBatch(ctx);
  emptying.add(guardState(ctx, row));
  emptying.addAll(updateErasedContents(ctx, page));
  emptying.addAll(updateErasedEmails(ctx, page));
  const rows = emptying.add(statement(page, readCursor));
  const contents = emptying.add(selectErasedFiles(ctx, page));
  const copied = emptying.add(selectCopied(ctx, page));
  await emptying.commit();
  const files = contents.all.flatMap((content) => filesOf(ctx.project.id, content));
  for (const keys of chunksOf(files, keysPerCall)) await ctx.blobs.delete(keys);
  await forgetMessages(ctx, copied.all);
  // While an email is SENDING, its consumer may still store another copy of the mail, so the step is repeated later. If
  // the consumer has died, the sweep of stuck mail gives the email another status.
  if (copied.all.some(({ status }) => status === "SENDING")) return "waits";
  const next = nextCursor(rows.all);
  const forgetting = openBatch(ctx);
  forgetting.add(guardState(ctx, row));
  forgetting.add(updateFiles(contents.all));
  forgetting.add(updateState(ctx, row, stateAt(next === null ? "events" : "emails", next), 0));
  await forgetting.commit();
  return "goes on";
}

async function eraseEvents(ctx: Context, row: JobRow, page: SQL, contactIds: Id[]): Promise<Step> {
  const next = nextCursor(await select(ctx.db, page, readCursor));
  if (next === null) await eraseExecutions(ctx, contactIds);
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateErasedDeliveries(ctx, page));
  batch.add(updateErasedEvents(ctx, page));
  batch.add(
    next === null ? updateEnded(ctx, row, { status: "completed" }) : updateState(ctx, row, stateAt("events", next), 50),
  );
  await batch.commit();
  return next === null ? "ended" : "goes on";
}

/** Erases the contacts' executions of workflows in the Durable Objects that store them. */
async function eraseExecutions(ctx: Context, contactIds: Id[]): Promise<void> {
  await eachShard(
    ctx,
    contactIds,
    (id) => id,
    async ({ address, shard }, ids) => shard.eraseContacts(address, ids),
  );
}

/** The maximum number of keys that R2 deletes in one call. */
const keysPerCall = 1_000;

/** Returns the cursor of the page after these rows. Null when these rows are the last. */
function nextCursor(rows: ErasureCursor[]): ErasureCursor | null {
  return rows.length < rowsPerBatch ? null : (rows.at(-1) ?? null);
}

function stateAt(part: "emails" | "events", after: ErasureCursor | null): ErasureState {
  return { part, after };
}
