import type { SQL } from "drizzle-orm";
import { z } from "zod";
import { chunksOf } from "../../core/chunks";
import { commit, query, statement } from "../../db/commit";
import type { JobRow } from "../../db/tables";
import { endJob, goOn, type Step, stillAt } from "../../engine/jobs/work";
import { attachmentKeys } from "../../engine/mail/attachments";
import { forgetMessages } from "../../engine/mail/forget-messages";
import type { Context } from "../../platform/context";
import {
  contentsWithFiles,
  emptyEmails,
  emptyEvents,
  forgetFiles,
  keptEmails,
  leaveContents,
  pageOf,
  rowsPerBatch,
} from "./erase-pages";

const Input = z.object({ contactIds: z.array(z.string()) });

/** How far an erasure is. Emails go first: one that is not empty yet may still write an event of its person. */
const State = z.object({
  part: z.enum(["emails", "events"]),
  after: z.object({ contactId: z.string(), id: z.string() }).nullable(),
});
export type ErasureState = z.infer<typeof State>;

/** One step of what an erasure left to its job: a page of emails with their files, or a page of events. */
export async function eraseRest(ctx: Context, row: JobRow): Promise<Step> {
  const { contactIds } = Input.parse(row.input);
  const { part, after } = State.parse(row.state);
  const page = pageOf(ctx, part, JSON.stringify(contactIds), after);
  return part === "emails" ? eraseEmails(ctx, row, page) : eraseEvents(ctx, row, page);
}

/**
 * First the rows are emptied, then the files go, and then what names them: whoever is killed in between finds the names
 * again, through the emails of the same page.
 */
async function eraseEmails(ctx: Context, row: JobRow, page: SQL): Promise<Step> {
  const results = await commit(ctx.db, [
    stillAt(ctx, row),
    ...leaveContents(ctx, page),
    emptyEmails(ctx, page),
    ...[page, contentsWithFiles(ctx, page), keptEmails(ctx, page)].map((select) => statement(ctx.db, select)),
  ]);
  const [rows = [], contents = [], kept = []] = results.slice(-3);
  for (const keys of chunksOf(contents.flatMap(filesOf(ctx)), keysPerCall)) await ctx.blobs.delete(keys);
  await forgetMessages(
    ctx,
    kept.flatMap((email) => (email.provider_message_id === null ? [] : [String(email.provider_message_id)])),
  );
  // Its copy is yet to come, or its consumer is dead, which the sweep finds out first.
  if (kept.some((email) => email.status === "SENDING")) return "waits";
  const next = nextPlace(rows);
  await commit(ctx.db, [
    stillAt(ctx, row),
    forgetFiles(
      ctx,
      contents.map((content) => String(content.id)),
    ),
    goOn(ctx, row, stateAt(next === null ? "events" : "emails", next), 0),
  ]);
  return "goes on";
}

async function eraseEvents(ctx: Context, row: JobRow, page: SQL): Promise<Step> {
  const next = nextPlace(await query(ctx.db, page));
  await commit(ctx.db, [
    stillAt(ctx, row),
    emptyEvents(ctx, page),
    next === null ? endJob(ctx, row, { status: "completed" }) : goOn(ctx, row, stateAt("events", next), 50),
  ]);
  return next === null ? "ended" : "goes on";
}

/** R2 takes so many in one call. */
const keysPerCall = 1_000;

function filesOf(ctx: Context) {
  return ({ id, body_key, attachments }: Record<string, unknown>): string[] => [
    ...(body_key === null ? [] : [String(body_key)]),
    ...attachmentKeys(ctx, String(id), Number(attachments)),
  ];
}

/** Where the page behind these rows begins; null when there is none. */
function nextPlace(rows: Record<string, unknown>[]): ErasureState["after"] {
  const last = rows.at(-1);
  if (last === undefined || rows.length < rowsPerBatch) return null;
  return { contactId: String(last.contact_id), id: String(last.id) };
}

function stateAt(part: ErasureState["part"], after: ErasureState["after"]): ErasureState {
  return { part, after };
}
