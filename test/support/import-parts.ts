import type { readId } from "../../src/core/ids";
import { beginUpload } from "../../src/features/contacts/imports/begin";
import { storePart } from "../../src/features/contacts/imports/store-part";
import { type Answer, call, type TestProject } from "./project";
import type { World } from "./world";

/** Puts the bytes of a part to its URL, as anybody can who has it: without a key. */
export function putPart(url: string, bytes: string | Uint8Array<ArrayBuffer>): Promise<Answer> {
  const { pathname, search } = new URL(url);
  return call("PUT", pathname + search, bytes);
}

/** Uploads a file in parts of this size, up to its completion. */
export async function uploadInParts(
  world: World,
  project: TestProject,
  file: Uint8Array<ArrayBuffer>,
  partBytes: number,
  asked: Partial<Parameters<typeof beginUpload>[1]> = {},
) {
  const { ctx } = await world.context(project);
  const { row } = await beginUpload(ctx, { bytes: file.byteLength, ...asked }, partBytes);
  for (let number = 1; (number - 1) * partBytes < file.byteLength; number++) {
    await storeBytes(world, project, row.id, number, file.subarray((number - 1) * partBytes, number * partBytes));
  }
  return row.id;
}

export async function storeBytes(
  world: World,
  project: TestProject,
  id: ReturnType<typeof readId>,
  number: number,
  bytes: Uint8Array,
): Promise<void> {
  const { ctx } = await world.context(project);
  const chunks = async function* () {
    yield bytes;
  };
  await storePart(ctx, { id, number, incoming: { size: bytes.byteLength, chunks } });
}
