import { sql } from "drizzle-orm";
import type { z } from "zod";
import { readHead } from "../../../core/contacts/csv-windows";
import { Conflict, Invalid } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { lostAfterMs } from "../../../core/nudge";
import { openBatch } from "../../../db/batch";
import { Stale, untilFresh } from "../../../db/fresh";
import { inProject } from "../../../db/scope";
import { announceJob, updateQueued } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import { inSlot } from "../../../platform/memory-slots";
import { planOf } from "../import/dry-run";
import { largeFile, PartLost } from "../import/import-file";
import { type Asked, partSizes, type StoredPart, Uploaded, Uploading } from "../import/import-job";
import { fileFault, openFile } from "../import/open-file";
import type { ImportPlan } from "../import/schema";
import { alreadyComplete, arrivedParts, findUpload, type UploadRow } from "./upload";

/**
 * Implements `POST /contacts/imports/{id}/complete`: gives the import's job the parts with their tags, and starts it.
 * The batch commits only if the job's state is still the one that was read, so only one of several calls starts the
 * import; the others return the same job. Options in `given` replace those that were given when the upload began.
 * Throws Conflict when parts are missing, and Invalid for a mapping that does not fit the file.
 */
export function completeUpload(ctx: Context, id: Id, given: Partial<Asked>): Promise<Id> {
  return untilFresh(async () => {
    const found = await findUpload(ctx, id);
    const { row, isOpen } = found;
    if (!isOpen) return row.id;
    const parts = requireParts(found, await arrivedParts(ctx, found));
    const asked = askedFor(found, given);
    if (asked.mapping !== undefined) await inMemory(ctx, parts, () => checkMapped(ctx, row.id, parts, asked));
    const isStill = sql`EXISTS (SELECT 1 FROM jobs WHERE ${inProject(ctx)} AND id = ${row.id}
      AND state = ${JSON.stringify(row.state)})`;
    const batch = openBatch(ctx);
    batch.recognise(sql`EXISTS (SELECT 1 FROM jobs WHERE ${inProject(ctx)} AND id = ${row.id}
      AND state->>'phase' <> 'uploading')`);
    batch.guard(isStill, () => new Stale());
    batch.add(
      updateQueued(ctx, {
        id: row.id,
        state: Uploaded.parse({ phase: "uploaded-parts", ...asked, parts }),
        announcedAt: ctx.realClock().getTime() + lostAfterMs,
      }),
    );
    await batch.commit();
    await announceJob(ctx, "contacts.import", row.id);
    return row.id;
  }, ctx.random);
}

/** Returns what the import would do with the beginning of the file. Only the first part must have arrived. */
export function planUpload(ctx: Context, id: Id, given: Partial<Asked>): Promise<z.infer<typeof ImportPlan>> {
  return untilFresh(() => plan(ctx, id, given), ctx.random);
}

async function plan(ctx: Context, id: Id, given: Partial<Asked>): Promise<z.infer<typeof ImportPlan>> {
  const found = await findUpload(ctx, id);
  if (!found.isOpen) throw alreadyComplete();
  const arrived = await arrivedParts(ctx, found);
  const first = arrived.get(1);
  if (first === undefined) throw partsMissing([1]);
  return inMemory(ctx, [first], async () => {
    const { bytes, endsFile } = await readHead(largeFile(ctx, id, [first])).catch(partReplaced);
    const isWhole = endsFile && partSizes(found.upload).length === 1;
    const csv = await openFile(ctx, bytes, askedFor(found, given), isWhole);
    if ("fault" in csv) throw new Invalid([fileFault(csv)]);
    return { ...(await planOf(ctx, csv)), ...(isWhole ? {} : { partial: true as const }) };
  });
}

/**
 * The largest file whose beginning is read without a memory slot. The text of a beginning, and the rows in it, need
 * several times its bytes.
 */
const maxBytesWithoutSlot = 1024 * 1024;

/** Reads the beginning of a file, in a memory slot if it is large. Throws Unavailable when none becomes free in time. */
function inMemory<T>(ctx: Context, parts: StoredPart[], read: () => Promise<T>): Promise<T> {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  return bytes <= maxBytesWithoutSlot ? read() : inSlot(ctx.project.number, read);
}

function askedFor({ row }: UploadRow, given: Partial<Asked>): Asked {
  const { phase: _, ...asked } = Uploading.parse(row.state);
  return { ...asked, ...given };
}

function requireParts({ upload }: UploadRow, arrived: ReadonlyMap<number, StoredPart>): StoredPart[] {
  const missing: number[] = [];
  const parts = partSizes(upload).flatMap((_, index) => {
    const part = arrived.get(index + 1);
    if (part === undefined) missing.push(index + 1);
    return part ?? [];
  });
  if (missing.length > 0) throw partsMissing(missing);
  return parts;
}

/** Refuses a mapping that does not fit the file. The job reports all other faults of the file. */
async function checkMapped(ctx: Context, id: Id, parts: StoredPart[], asked: Asked): Promise<void> {
  const { bytes, endsFile } = await readHead(largeFile(ctx, id, parts)).catch(partReplaced);
  const csv = await openFile(ctx, bytes, asked, endsFile);
  if ("fault" in csv && csv.mapped !== undefined) throw new Invalid([fileFault(csv)]);
}

/** Makes the call start over when a part was replaced while it was read. */
function partReplaced(error: unknown): never {
  throw error instanceof PartLost ? new Stale() : error;
}

export function partsMissing(missing: number[]): Conflict {
  return new Conflict(
    `${missing.length === 1 ? "1 part" : `${missing.length} parts`} of the file have not arrived. Nothing was begun.`,
    {
      suggestion:
        "PUT each part in details to its url, which GET /contacts/imports/{id} shows, then complete the upload.",
      details: { missing },
    },
  );
}
