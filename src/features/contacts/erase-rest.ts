import type { SQL } from "drizzle-orm";
import { z } from "zod";
import { chunksOf } from "../../core/chunks";
import { asId as idOf } from "../../core/ids";
import type { EmailStatus } from "../../core/mail/status";
import { openBatch } from "../../db/batch";
import { asId, asNumber, asOneOf, asText, columns, orNull } from "../../db/rows";
import { select, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import { guardState, type Step, updateEnded, updateState } from "../../engine/jobs/step";
import { attachmentKeys } from "../../engine/mail/attachments";
import { forgetMessages } from "../../engine/mail/forget-messages";
import type { Context } from "../../platform/context";
import {
  contentsWithFiles,
  keptEmails,
  type Place,
  pageOf,
  rowsPerBatch,
  updateErasedEmails,
  updateErasedEvents,
  updateErasedFiles,
  updateLeftContents,
  updateUsageOfErased,
} from "./erase-pages";

const StoredId = z.string().transform(idOf);

const Input = z.object({ contactIds: z.array(StoredId) });

/** How far an erasure is. Emails go first: one that is not empty yet may still write an event of its person. */
const State = z.object({
  part: z.enum(["emails", "events"]),
  after: z.object({ contactId: StoredId, campaignId: StoredId.nullable(), id: StoredId }).nullable(),
});
export type ErasureState = z.infer<typeof State>;

const readPlace = columns({ contactId: asId, campaignId: orNull(asId), id: asId });
const readContent = columns({ id: asId, bodyKey: orNull(asText), attachments: asNumber });
const readKept = columns({ status: asOneOf<EmailStatus>(), providerMessageId: orNull(asText) });

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
  const emptying = openBatch(ctx);
  emptying.add(guardState(ctx, row));
  emptying.addAll(updateLeftContents(ctx, page));
  emptying.add(updateUsageOfErased(ctx, page));
  emptying.add(updateErasedEmails(ctx, page));
  const places = emptying.add(statement(page, readPlace));
  const contents = emptying.add(statement(contentsWithFiles(ctx, page), readContent));
  const kept = emptying.add(statement(keptEmails(ctx, page), readKept));
  await emptying.commit();
  const files = contents.all.flatMap((content) => filesOf(ctx, content));
  for (const keys of chunksOf(files, keysPerCall)) await ctx.blobs.delete(keys);
  await forgetMessages(
    ctx,
    kept.all.flatMap(({ providerMessageId }) => providerMessageId ?? []),
  );
  // Its copy is yet to come, or its consumer is dead, which the sweep finds out first.
  if (kept.all.some(({ status }) => status === "SENDING")) return "waits";
  const next = nextPlace(places.all);
  const contentIds = contents.all.map(({ id }) => id);
  const forgetting = openBatch(ctx);
  forgetting.add(guardState(ctx, row));
  forgetting.add(updateErasedFiles(ctx, contentIds));
  forgetting.add(updateState(ctx, row, stateAt(next === null ? "events" : "emails", next), 0));
  await forgetting.commit();
  return "goes on";
}

async function eraseEvents(ctx: Context, row: JobRow, page: SQL): Promise<Step> {
  const next = nextPlace(await select(ctx.db, page, readPlace));
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateErasedEvents(ctx, page));
  batch.add(
    next === null ? updateEnded(ctx, row, { status: "completed" }) : updateState(ctx, row, stateAt("events", next), 50),
  );
  await batch.commit();
  return next === null ? "ended" : "goes on";
}

/** R2 takes so many in one call. */
const keysPerCall = 1_000;

function filesOf(ctx: Context, { id, bodyKey, attachments }: ReturnType<typeof readContent>): string[] {
  return [...(bodyKey === null ? [] : [bodyKey]), ...attachmentKeys(ctx, id, attachments)];
}

/** Where the page behind these rows begins; null when there is none. */
function nextPlace(places: Place[]): ErasureState["after"] {
  return places.length < rowsPerBatch ? null : (places.at(-1) ?? null);
}

function stateAt(part: ErasureState["part"], after: ErasureState["after"]): ErasureState {
  return { part, after };
}
