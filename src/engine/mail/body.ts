import { filesNamedIn } from "../../core/files/address";
import { type Id, textOf } from "../../core/ids";
import { utf8Bytes } from "../../core/json";
import { type BlobKind, blobKey, maxTextBytesInRow } from "../../platform/blobs";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/** Where a body is stored: in its row, or in a file in R2. */
export interface StoredBody {
  body: string | null;
  bodyKey: string | null;
  /** The ids of the uploaded files to which the body refers; null when there are none. */
  files: string[] | null;
}

/**
 * Stores a large body in R2, in a file of this name. Callers do this before they write the row that refers to the
 * file, because a file without a row only wastes space.
 */
export async function storeBody(ctx: Context, kind: BlobKind, name: string, body: string): Promise<StoredBody> {
  const named = filesNamedIn(body, ctx.project.id);
  const files = named.length > 0 ? named : null;
  if (utf8Bytes(body) <= maxTextBytesInRow) return { body, bodyKey: null, files };
  const bodyKey = blobKey(kind, ctx.project.id, name);
  await ctx.blobs.put(bodyKey, body);
  return { body: null, bodyKey, files };
}

/** Loads the body. Returns null when it is no longer stored. */
export async function loadBody(
  ctx: Context,
  { body, bodyKey }: Pick<StoredBody, "body" | "bodyKey">,
): Promise<string | null> {
  if (body !== null || bodyKey === null) return body;
  const bytes = await ctx.blobs.get(bodyKey);
  return bytes && new TextDecoder().decode(bytes);
}

/** Deletes the body's file after a call that was refused, and therefore wrote no row. */
export function forgetBody(ctx: Context, { bodyKey }: Pick<StoredBody, "bodyKey">): void {
  if (bodyKey !== null) forgetFiles(ctx, [bodyKey]);
}

/**
 * Deletes files to which no row refers, after the answer is sent. If that fails, the orphan sweep deletes them later.
 */
export function forgetFiles(ctx: Context, keys: string[]): void {
  ctx.later(
    ctx.blobs.delete(keys).catch((error: unknown) => {
      ctx.log("warn", "Unneeded files could not be deleted yet", {
        files: keys.length,
        reason: reasonOf(error),
      });
    }),
  );
}

/** Returns the body of a template's current version. */
export async function templateBody(
  ctx: Context,
  stored: Pick<StoredBody, "body" | "bodyKey"> & { id: Id },
): Promise<string> {
  const body = await loadBody(ctx, stored);
  if (body === null) throw new Error(`The body of template version ${textOf(stored.id)} is gone`);
  return body;
}
