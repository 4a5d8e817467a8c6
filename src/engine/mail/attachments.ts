import { type Id, textOf } from "../../core/ids";
import { type Attachment, type AttachmentRow, decodedBytes } from "../../core/mail/attachments";
import { blobKey } from "../../platform/blobs";
import type { Context } from "../../platform/context";
import { forgetFiles } from "./body";

/** Stores the files one by one, because together they may be large. */
export async function storeAttachments(ctx: Context, contentId: Id, files: Attachment[]): Promise<AttachmentRow[]> {
  for (const [index, { content }] of files.entries()) await ctx.blobs.put(keyOf(ctx, contentId, index), content);
  return files.map(({ content, ...file }) => ({ ...file, size: decodedBytes(content) }));
}

/** Loads the files. Returns null when one of them is no longer stored. */
export async function loadAttachments(
  ctx: Context,
  { id, attachments }: { id: Id; attachments: AttachmentRow[] },
): Promise<Attachment[] | null> {
  const files: Attachment[] = [];
  for (const [index, { size: _, ...file }] of attachments.entries()) {
    const bytes = await ctx.blobs.get(keyOf(ctx, id, index));
    if (bytes === null) return null;
    // Base64 is ASCII. Decoded as latin1, it takes one byte of memory per character.
    files.push({ ...file, content: new TextDecoder("latin1").decode(bytes) });
  }
  return files;
}

/** Deletes the files of a call that was refused, and therefore wrote no row. */
export function forgetAttachments(ctx: Context, contentId: Id, count: number): void {
  if (count > 0) forgetFiles(ctx, attachmentKeys(ctx, contentId, count));
}

export function attachmentKeys(ctx: OfProject, contentId: Id, count: number): string[] {
  return Array.from({ length: count }, (_, index) => keyOf(ctx, contentId, index));
}

/** A verb's `ctx`, or an object with only the public id of a project. */
interface OfProject {
  project: { id: string };
}

/** Returns the key of a file, from its project, content and position. */
function keyOf(ctx: OfProject, contentId: Id, index: number): string {
  return blobKey("attachment", ctx.project.id, `${textOf(contentId)}/${index}`);
}
