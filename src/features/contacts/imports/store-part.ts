import { Invalid, NotFound, type Refusal, TooLarge } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import type { IncomingBytes } from "../../../platform/blobs";
import { chunksWith } from "../../../platform/checked-file";
import type { Context } from "../../../platform/context";
import { partKey, partSizes } from "../import/import-job";
import { alreadyComplete, findUpload } from "./upload";

/**
 * Stores a part of an upload while it arrives, if it has the announced size and the hash that the caller expects. A
 * repeated call replaces the part, even if it ends after the upload was completed. The import then notices that the
 * content is another one, and fails instead of mixing two files.
 */
export async function storePart(
  ctx: Context,
  { id, number, sha256, incoming }: { id: Id; number: number; sha256?: string | undefined; incoming: IncomingBytes },
): Promise<{ number: number; bytes: number }> {
  const { row, upload, isOpen } = await findUpload(ctx, id);
  if (!isOpen) throw alreadyComplete();
  const bytes = partSizes(upload)[number - 1] ?? 0;
  if (bytes !== incoming.size) throw wrongSize(number, bytes, incoming.size);
  const chunks = () => chunksWith(sha256, incoming);
  const key = partKey(ctx, row.id, number);
  await ctx.blobs.putIncoming(key, { size: bytes, chunks });
  await requireUpload(ctx, id, key);
  return { number, bytes };
}

/** Deletes a part that arrived when its upload had expired or been given up, or its project had been deleted. */
async function requireUpload(ctx: Context, id: Id, key: string): Promise<void> {
  try {
    await findUpload(ctx, id);
  } catch (error) {
    if (error instanceof NotFound) await ctx.blobs.delete([key]);
    throw error;
  }
}

function wrongSize(number: number, bytes: number, arrived: number): Refusal {
  if (arrived > bytes) {
    const suggestion = `Part ${number} has ${bytes} bytes: cut the file as \`parts\` of the upload says.`;
    return new TooLarge(bytes, { what: `The body with ${arrived} bytes`, suggestion });
  }
  const message = `Has ${arrived} bytes, and part ${number} has ${bytes}. Nothing was stored`;
  return new Invalid([{ field: "", message, code: "custom" }]);
}
