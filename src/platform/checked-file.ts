import { createHash } from "node:crypto";
import { BadRequest, Invalid } from "../core/errors";
import type { IncomingBytes } from "./blobs";

/**
 * Passes on the chunks of a file. The last chunk is held back until the file is known to have the announced length and
 * the expected hash, so a file with another length or hash is never stored.
 */
export async function* chunksWith(
  sha256: string | undefined,
  { size, chunks }: IncomingBytes,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash("sha256");
  let left = size;
  let last: Uint8Array | null = null;
  for await (const chunk of chunks()) {
    if (last) yield last;
    last = chunk;
    hash.update(chunk);
    left -= chunk.byteLength;
  }
  if (left !== 0) throw cutShort(size, size - left);
  const seen = hash.digest("hex");
  if (sha256 !== undefined && seen !== sha256) throw changed(seen);
  if (last) yield last;
}

export async function allOf({ size, chunks }: IncomingBytes): Promise<Uint8Array> {
  const all = new Uint8Array(size);
  let at = 0;
  for await (const chunk of chunks()) {
    // `set` throws a RangeError if more bytes arrive than announced.
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

function cutShort(size: number, arrived: number): BadRequest {
  return new BadRequest(
    `The request body has ${arrived} bytes, and its Content-Length says ${size}. Nothing was done.`,
    {
      suggestion: "Send the request again, with its whole body.",
    },
  );
}

function changed(seen: string): Invalid {
  const message = `Is not the hash of the file that arrived, which is ${seen}. Nothing was stored`;
  return new Invalid([{ field: "sha256", code: "custom", message }]);
}
