import { moveFileUrls } from "../../../core/files/address";
import { type BlobKind, blobKey } from "../../../platform/blobs";
import type { Context } from "../../../platform/context";
import { copiedKinds, filesPerStep, maxBytes } from "../copy-files";
import type { Restoring } from "./restored-row";
import type { RestoreState } from "./state";

/** Kinds of files that are HTML, and may contain URLs of the project's own files. */
const bodies: readonly BlobKind[] = ["content", "template", "campaign"];

/** Copies the next files of the backup into the project. A repeat writes the same files. */
export async function restoreFiles(
  { blobs, project }: Context,
  state: RestoreState,
  { folder, restoring }: { folder: string; restoring: Restoring },
): Promise<RestoreState> {
  const kind = copiedKinds[state.index];
  if (kind === undefined) return { ...state, phase: "release", after: null };
  const prefix = `${folder}/files/${kind}/`;
  const keys = await blobs.list(prefix, state.after ?? undefined);
  let { files, after } = state;
  let bytes = 0;
  for (const key of keys.slice(0, filesPerStep)) {
    const content = await blobs.get(key);
    after = key;
    if (content === null) continue;
    await blobs.put(blobKey(kind, project.id, key.slice(prefix.length)), contentOf(kind, content, restoring));
    files++;
    bytes += content.length;
    if (bytes >= maxBytes) break;
  }
  if (keys.length === 0) return { ...state, index: state.index + 1, after: null };
  return { ...state, files, after };
}

function contentOf(kind: BlobKind, content: Uint8Array, { from, to, linkBase }: Restoring): Uint8Array | string {
  if (!bodies.includes(kind)) return content;
  return moveFileUrls(new TextDecoder().decode(content), from.id, { projectId: to.id, linkBase });
}
