import { type BlobKind, blobKey } from "../../platform/blobs";
import type { Context } from "../../platform/context";
import type { BackupState } from "./state";
import { addPart } from "./tally";

/** The kinds of files to which rows of a backup refer. */
export const copiedKinds: readonly BlobKind[] = ["content", "attachment", "template", "campaign", "import", "file"];

export const filesPerStep = 20;
/** A step ends once it has copied this many bytes. */
export const maxBytes = 20_000_000;

/**
 * Copies the next files of the project. A file never changes, so it does not matter when it is copied. A file that was
 * deleted since the moment of the backup is left out: its content was due to be deleted anyway.
 */
export async function copyFiles(ctx: Context, folder: string, state: BackupState): Promise<BackupState> {
  const kind = copiedKinds[state.index];
  if (kind === undefined) return { ...state, phase: "finish", after: null };
  const prefix = blobKey(kind, ctx.project.id, "");
  const [after] = state.after ?? [];
  const keys = await ctx.blobs.list(prefix, after === undefined ? undefined : String(after));
  let { tally } = state;
  let last: string | undefined;
  let bytes = 0;
  for (const key of keys.slice(0, filesPerStep)) {
    const content = await ctx.blobs.get(key);
    last = key;
    if (content === null) continue;
    await ctx.blobs.put(`${folder}/files/${kind}/${key.slice(prefix.length)}`, content);
    tally = await addPart(tally, content, 0);
    bytes += content.length;
    if (bytes >= maxBytes) break;
  }
  if (last === undefined) return { ...state, index: state.index + 1, after: null };
  return { ...state, after: [last], tally };
}
