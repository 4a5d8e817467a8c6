import { sql } from "drizzle-orm";
import { Conflict, TooLarge } from "../../../core/errors";
import { type Id, newId, publicId } from "../../../core/ids";
import { dayMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import { insertJob } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import { type Asked, Uploading } from "../import/import-job";
import { nothingSigns } from "./part-url";
import { findUpload, type UploadRow } from "./upload";

/** The most bytes of a file that comes in parts. */
export const maxUploadBytes = 100 * 1024 * 1024;
export const maxPartBytes = 5 * 1024 * 1024;

/** How long the parts may take. */
const uploadMs = dayMs;

/** The most uploads of a project that are open at once. They bound what is stored and not yet imported. */
const maxOpen = 5;

interface NewUpload extends Partial<Asked> {
  bytes: number;
  name?: string | undefined;
}

/**
 * Implements `POST /contacts/imports`. The job of the import is stored at once, as one that is due when the upload
 * expires: so an upload needs no row of its own, and no sweep. Throws TooLarge, and Conflict when too many are open.
 */
export async function beginUpload(
  ctx: Context,
  { bytes, name, ...asked }: NewUpload,
  partBytes = maxPartBytes,
): Promise<UploadRow> {
  if (bytes > maxUploadBytes) throw fileTooLarge();
  if (ctx.config.linkSecrets.length === 0) throw nothingSigns();
  const id = newId();
  const expiresAt = ctx.realClock().getTime() + uploadMs;
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, id));
  const inserted = batch.add(
    insertJob(ctx, {
      ...{ id, type: "contacts.import" },
      input: { name: name ?? null, bytes, partBytes, expiresAt },
      state: Uploading.parse({ phase: "uploading", ...asked }),
      onlyIf: sql`(SELECT count(*) FROM (${selectOpen(ctx)})) < ${maxOpen}`,
      announcedAfterMs: uploadMs,
    }),
  );
  await batch.commit();
  if (inserted.count === 0)
    throw tooManyOpen((await select(ctx.db, selectOpen(ctx), columns({ id: asId }))).map(({ id }) => id));
  return findUpload(ctx, id);
}

/** Selects the uploads that are open. None is older than a day, so the index of the list finds them. */
function selectOpen(ctx: Context) {
  const since = ctx.realClock().getTime() - uploadMs;
  return sql`SELECT id FROM jobs INDEXED BY ix_jobs_list WHERE ${inProject(ctx)} AND created_at > ${since}
    AND type = 'contacts.import' AND status IN ('queued', 'processing') AND state->>'phase' = 'uploading' LIMIT ${maxOpen}`;
}

export function fileTooLarge(): TooLarge {
  return new TooLarge(maxUploadBytes, {
    what: "The file",
    suggestion: "Divide it into files of at most 100 MB, each with the header, and import one after another.",
  });
}

export function tooManyOpen(ids: Id[]): Conflict {
  return new Conflict(`${maxOpen} uploads of this project are open, which is the most at once. Nothing was begun.`, {
    suggestion:
      "Complete one of those in details with POST /contacts/imports/{id}/complete, or give it up with DELETE.",
    details: { open: ids.map(publicId) },
  });
}
