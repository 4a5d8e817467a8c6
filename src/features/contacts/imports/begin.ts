import { sql } from "drizzle-orm";
import { Conflict, TooLarge } from "../../../core/errors";
import { type Id, newId, publicId } from "../../../core/ids";
import { dayMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import { insertEffect } from "../../../engine/idempotency/effect";
import { insertJob } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import { type Asked, Uploading } from "../import/import-job";
import { nothingSigns } from "./part-url";
import { describeUpload, findUpload, type UploadRow } from "./upload";

/** The maximum size of a file that comes in parts, in bytes. */
export const maxUploadBytes = 100 * 1024 * 1024;
export const maxPartBytes = 5 * 1024 * 1024;

/** How long an upload waits for its parts. */
const uploadMs = dayMs;

/**
 * The maximum number of uploads of a project that are open at once. This limits how many bytes are stored without being
 * imported.
 */
const maxOpen = 5;

interface NewUpload extends Partial<Asked> {
  bytes: number;
  name?: string | undefined;
}

/**
 * Implements `POST /contacts/imports`. Inserts the import's job at once, due when the upload expires, so an upload
 * needs neither a row of its own nor a sweep. A call with an idempotency key begins one upload. Throws TooLarge, and
 * Conflict when too many uploads are open.
 */
export async function beginUpload(
  ctx: Context,
  { bytes, name, ...asked }: NewUpload,
  partBytes = maxPartBytes,
): Promise<UploadRow> {
  if (bytes > maxUploadBytes) throw fileTooLarge();
  if (ctx.config.linkSecrets.length === 0) throw nothingSigns();
  const id = newId();
  const createdAt = ctx.realClock().getTime();
  const upload = { name: name ?? null, bytes, partBytes, expiresAt: createdAt + uploadMs };
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, id));
  const inserted = batch.add(
    insertJob(ctx, {
      ...{ id, type: "contacts.import" },
      input: upload,
      state: Uploading.parse({ phase: "uploading", ...asked }),
      onlyIf: sql`(SELECT count(*) FROM (${selectOpen(ctx)})) < ${maxOpen}`,
      announcedAfterMs: uploadMs,
    }),
  );
  const answer = () => describeUpload(ctx, { row: { id, createdAt }, upload, isOpen: true }, { arrived: new Map() });
  batch.addAll(
    insertEffect(ctx, {
      request: "POST /contacts/imports",
      response: sql`${ctx.idempotencyKey === null ? null : JSON.stringify(answer())}`,
      onlyIf: isInserted("jobs", ctx, id),
    }),
  );
  await batch.commit();
  if (inserted.count === 0)
    throw tooManyOpen((await select(ctx.db, selectOpen(ctx), columns({ id: asId }))).map(({ id }) => id));
  return findUpload(ctx, id);
}

/** Selects the open uploads. All of them began within the last day, so the query reads only the newest jobs. */
function selectOpen(ctx: Context) {
  const since = ctx.realClock().getTime() - uploadMs;
  return sql`SELECT id FROM jobs INDEXED BY ix_jobs_list WHERE ${inProject(ctx)} AND created_at > ${since}
    AND type = 'contacts.import' AND status IN ('queued', 'processing') AND state->>'phase' = 'uploading' LIMIT ${maxOpen}`;
}

export function fileTooLarge(): TooLarge {
  return new TooLarge(maxUploadBytes, {
    what: "The file",
    suggestion: "Divide it into files of at most 100 MB, each with the header, and import them one after another.",
  });
}

export function tooManyOpen(ids: Id[]): Conflict {
  return new Conflict(`This project has ${maxOpen} open uploads, which is the most at once. Nothing was begun.`, {
    suggestion:
      "Complete one of the uploads in details with POST /contacts/imports/{id}/complete, or delete it with " +
      "DELETE /contacts/imports/{id}.",
    details: { open: ids.map(publicId) },
  });
}
