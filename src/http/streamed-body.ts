import type { Context as HonoContext } from "hono";
import { BadRequest } from "../core/errors";
import { secondMs } from "../core/time";
import type { IncomingBytes } from "../platform/blobs";
import { openDeadline } from "./memory-slot";
import type { AppEnv } from "./router";

/** The longest time for a body that is not held in memory, enough for 40 MB at just over 1 Mbit/s. */
const streamingMs = 300 * secondMs;

/**
 * Returns the body of a route with `bytes` as a stream, of which only one chunk is in memory. The body's size has been
 * checked by its announced length, which the runtime enforces. Throws BadRequest if no length was announced, because R2
 * accepts no stream of unknown length.
 */
export function streamedBody(c: HonoContext<AppEnv>): IncomingBytes {
  const { body, headers } = c.req.raw;
  const announced = headers.get("Content-Length");
  if (announced === null) {
    throw new BadRequest("The length of the request body is not known.", {
      suggestion: "Send the header Content-Length, and the file itself as the body: curl -T <file> does both.",
    });
  }
  return { size: Number(announced), chunks: () => chunksOf(body) };
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const deadline = openDeadline(streamingMs);
  const reader = body.getReader();
  const read = () => reader.read().catch(brokeOff);
  try {
    for (;;) {
      const { done, value } = await Promise.race([read(), deadline.passed]);
      if (done) return;
      deadline.moved();
      yield value;
    }
  } finally {
    deadline.stop();
    reader.cancel().catch(() => {});
  }
}

function brokeOff(cause: unknown): never {
  throw new BadRequest("The request body broke off. Nothing was done.", {
    suggestion: "Send the request again, with its whole body.",
    cause,
  });
}
