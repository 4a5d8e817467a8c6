import type { Context as HonoContext, MiddlewareHandler, Next } from "hono";
import { BadRequest, TooLarge } from "../core/errors";
import { slotBytes } from "../platform/memory-slots";
import { type Deadline, type Memory, openDeadline, openMemory } from "./memory-slot";
import { notJson } from "./not-json";
import { isForProject } from "./policy";
import type { AppEnv } from "./router";

/**
 * Reads a JSON body before the route does, up to the size that the route's policy allows. The Content-Type does not
 * matter, because browsers' beacons send JSON as text/plain. A body that is announced as too large is refused before it
 * is read. For an upload, it reads a form.
 */
export const readBody: MiddlewareHandler<AppEnv> = (c, next) => {
  // It was read for the key in it.
  if ("text" in c.req.bodyCache) return next();
  return readFor(c, isForProject(c.get("policy")) ? c.get("ctx").project.number : noProject, next);
};

/** Reads the body of a call that has its key in it, before anybody knows whose call it is. */
export function readBodyForKey(c: HonoContext<AppEnv>): Promise<void> {
  return readFor(c, noProject, async () => {});
}

const noProject = 0;

async function readFor(c: HonoContext<AppEnv>, project: number, next: Next): Promise<void> {
  const { raw } = c.req;
  const { maxBody, isUpload } = c.get("policy");
  if (maxBody === null || (!takesBody.has(raw.method) && raw.body === null)) return next();
  const maxBytes = typeof maxBody === "number" ? maxBody : maxBody(c.get("platform").config);
  const announced = Number(raw.headers.get("Content-Length") ?? 0);
  if (announced > maxBytes) throw new TooLarge(maxBytes);
  if (!isUpload && announced > 0 && announced <= maxBytesAtOnce) {
    const { passed, stop } = openDeadline();
    keepBody(c, decode(await Promise.race([raw.arrayBuffer(), passed]).finally(stop)));
    return next();
  }
  const memory = openMemory(project);
  const deadline = openDeadline();
  try {
    const reading: Reading = { maxBytes, memory, deadline };
    if (isUpload) keepForm(c, await formOf(raw, reading));
    else keepBody(c, raw.body === null ? "" : await textOf(raw.body, reading));
    deadline.stop();
    // Only now: a slot that waited for bytes would be one that a caller holds by sending nothing.
    await memory.takeSlot();
    await next();
  } finally {
    deadline.stop();
    memory.giveBack();
  }
}

/** How a body is read: up to a size, counted, and within a time. */
interface Reading {
  maxBytes: number;
  memory: Memory;
  deadline: Deadline;
}

/** A body with an announced length up to this is read at once: the runtime lets in no more than was announced. */
const maxBytesAtOnce = 65_536;

const jsonType = /^application\/json(; ?charset=utf-8)?$/i;

function keepBody(c: HonoContext<AppEnv>, text: string): void {
  const { raw } = c.req;
  const type = raw.headers.get("Content-Type") ?? "";
  if (!jsonType.test(type)) {
    const headers = new Headers(raw.headers);
    headers.set("Content-Type", "application/json");
    c.req.raw = new Request(raw.url, { method: raw.method, headers });
  }
  // Hono keeps the promise of a body, though its types say the body itself.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
  parseOnce(c, type);
}

/** Everybody who asks gets the same parsed body. The text of a large one goes then: memory would hold both. */
function parseOnce(c: HonoContext<AppEnv>, type: string): void {
  const { req } = c;
  let parsed: Promise<unknown> | null = null;
  async function parse(): Promise<unknown> {
    const text = await req.text();
    if (text.length > slotBytes) delete req.bodyCache.text;
    try {
      return JSON.parse(text);
    } catch (error) {
      // The validator throws an error of its own in place of this one; see failure.ts.
      c.set("unreadable", notJson(text, type));
      throw error;
    }
  }
  // biome-ignore lint/suspicious/noExplicitAny: the type that hono has for what is in a body
  req.json = (): Promise<any> => {
    parsed ??= parse();
    return parsed;
  };
}

function keepForm(c: HonoContext<AppEnv>, form: FormData): void {
  Object.assign(c.req.bodyCache, { formData: Promise.resolve(form) });
}

/** For a route with an optional body: no body counts as an empty object. Goes before the route's own validation. */
export const absentIsEmpty: MiddlewareHandler<AppEnv> = async (c, next) => {
  if ((await c.req.text()) === "") keepBody(c, "{}");
  await next();
};

type Bytes = Uint8Array<ArrayBuffer>;

/** Methods with a body. A missing body is not valid JSON, just like an empty one. */
const takesBody = new Set(["POST", "PUT", "PATCH"]);

async function textOf(body: ReadableStream<Bytes>, reading: Reading): Promise<string> {
  const decoder = utf8Decoder();
  let text = "";
  try {
    await readAll(body, reading, (chunk) => {
      text += decoder.decode(chunk, { stream: true });
    });
    return text + decoder.decode();
  } catch (error) {
    throw asNotUtf8(error);
  }
}

function decode(bytes: ArrayBuffer): string {
  try {
    return utf8Decoder().decode(bytes);
  } catch (error) {
    throw asNotUtf8(error);
  }
}

function utf8Decoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
}

/** The decoder throws a TypeError when the bytes are not UTF-8. */
function asNotUtf8(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  return new BadRequest("The request body is not valid UTF-8.", {
    suggestion: "JSON is UTF-8 (RFC 8259, section 8.1): check the encoding of what you send.",
    cause: error,
  });
}

async function formOf({ body, headers }: Request, reading: Reading): Promise<FormData> {
  const chunks: Bytes[] = [];
  if (body) await readAll(body, reading, (chunk) => chunks.push(chunk));
  const type = headers.get("Content-Type") ?? "";
  try {
    if (!/^multipart\/form-data\b/i.test(type)) throw new TypeError("Not multipart");
    return await new Response(new Blob(chunks), { headers: { "Content-Type": type } }).formData();
  } catch (error) {
    throw notMultipart(error);
  }
}

export function notMultipart(cause?: unknown): BadRequest {
  return new BadRequest("The request body is not multipart/form-data, or cannot be read as such.", {
    suggestion: "Send the file in the form field file, as `curl -F file=@contacts.csv` does.",
    cause,
  });
}

async function readAll(
  body: ReadableStream<Bytes>,
  { maxBytes, memory, deadline }: Reading,
  keep: (chunk: Bytes) => void,
): Promise<void> {
  const reader = body.getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), deadline.passed]);
      if (done) return;
      size += value.byteLength;
      if (size > maxBytes) throw new TooLarge(maxBytes);
      memory.count(value.byteLength);
      deadline.moved();
      keep(value);
    }
  } catch (error) {
    reader.cancel(error).catch(() => {});
    throw error;
  }
}
