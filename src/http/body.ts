import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { BadRequest, TooLarge } from "../core/errors";
import type { AppEnv } from "./router";
import { inTurn } from "./turn";

/**
 * Reads a JSON body before the route does: no more than `maxBytes` of it, and whatever its Content-Type says, as
 * browsers' beacons send JSON as text/plain. A length that is announced is refused before anything is read.
 */
export function readBody(maxBytesFor: (path: string, c: HonoContext<AppEnv>) => number) {
  const middleware: MiddlewareHandler<AppEnv> = async (c, next) => {
    const { raw } = c.req;
    if (raw.body === null && !takesBody.has(raw.method)) return next();
    const maxBytes = maxBytesFor(c.req.path, c);
    const announced = raw.headers.get("Content-Length");
    if (Number(announced ?? 0) > maxBytes) throw new TooLarge(maxBytes);
    const work = async () => {
      keepBody(c, raw.body === null ? "" : await textOf(raw.body, maxBytes));
      await next();
    };
    // A body of unknown length may be large too.
    const isLarge = maxBytes > largeBytes && Number(announced ?? maxBytes) > largeBytes;
    return isLarge ? inTurn(work) : work();
  };
  return middleware;
}

const largeBytes = 4 * 1024 * 1024;

function keepBody(c: HonoContext<AppEnv>, text: string): void {
  const { raw } = c.req;
  const headers = new Headers(raw.headers);
  headers.set("Content-Type", "application/json");
  c.req.raw = new Request(raw.url, { method: raw.method, headers });
  // Hono keeps the promise of a body, though its types say the body itself.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
}

/** For a route whose body may be left out: none is an empty object. Goes before the route's own validation. */
export const absentIsEmpty: MiddlewareHandler<AppEnv> = async (c, next) => {
  if ((await c.req.text()) === "") keepBody(c, "{}");
  await next();
};

/** No body at all is as little JSON as an empty one. */
const takesBody = new Set(["POST", "PUT", "PATCH"]);

async function textOf(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new TooLarge(maxBytes);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new BadRequest("The request body is not valid UTF-8.", {
      suggestion: "JSON is UTF-8 (RFC 8259, section 8.1): check the encoding of what you send.",
      cause: error,
    });
  }
}
