import type { Context as HonoContext, MiddlewareHandler, Next } from "hono";
import { BadRequest, TooLarge } from "../core/errors";
import { slotBytes } from "../platform/memory-slots";
import { openRequestHash } from "../platform/request-hash";
import { givenKey, requestOf } from "./admission";
import { type Deadline, type Memory, openDeadline, openMemory } from "./memory-slot";
import { notJson } from "./not-json";
import { isForProject } from "./policy";
import type { AppEnv } from "./router";

/**
 * Reads a JSON body before the route runs, up to the size that the route's policy allows. The Content-Type does not
 * matter, because browsers' beacons send JSON as text/plain. A body that is announced as too large is refused before it
 * is read. For an upload, it reads a form instead. A body of raw bytes is left to the route.
 */
export const readBody: MiddlewareHandler<AppEnv> = (c, next) => {
  const read = c.get("keyedBody");
  if (read !== undefined && "fault" in read) throw read.fault;
  // The body was read already, for the API key or the idempotency key.
  if (read !== undefined || "text" in c.req.bodyCache) return next();
  return readFor(c, projectOf(c), next);
};

/** Reads the body of a call that contains its API key, before the project is known. */
export function readBodyForKey(c: HonoContext<AppEnv>): Promise<void> {
  return readFor(c, noProject, async () => {});
}

/**
 * Reads the body of a request with an idempotency key before the key is claimed, because the claim includes the
 * request's hash. If the body cannot be read, no key is claimed. `readBody` then refuses the request, but only after
 * the rate limit, like any other request.
 */
export const readKeyedBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (givenKey(c) === null) return next();
  const hash = openRequestHash(requestOf(c));
  const keep = () => {
    c.set("keyedBody", { hash: hash.end() });
    return next();
  };
  if ("text" in c.req.bodyCache) {
    hash.add(new TextEncoder().encode(await c.req.text()));
    return keep();
  }
  try {
    await readFor(c, projectOf(c), keep, hash.add);
  } catch (fault) {
    c.set("keyedBody", { fault });
    await next();
  }
};

const noProject = 0;

function projectOf(c: HonoContext<AppEnv>): number {
  return isForProject(c.get("policy")) ? c.get("ctx").project.number : noProject;
}

/** Reads a body. `see` gets its bytes as they arrive. */
async function readFor(
  c: HonoContext<AppEnv>,
  project: number,
  next: Next,
  see: (bytes: Uint8Array) => void = () => {},
): Promise<void> {
  const { raw } = c.req;
  const { maxBody, isUpload, isStreamed } = c.get("policy");
  if (maxBody === null || (!takesBody.has(raw.method) && raw.body === null)) return next();
  const maxBytes = typeof maxBody === "number" ? maxBody : maxBody(c.get("platform").config);
  const announced = Number(raw.headers.get("Content-Length") ?? 0);
  if (announced > maxBytes) throw new TooLarge(maxBytes);
  if (isStreamed) return next();
  if (!isUpload && announced > 0 && announced <= maxBytesAtOnce) {
    const { passed, stop } = openDeadline();
    const bytes = await Promise.race([raw.arrayBuffer(), passed]).finally(stop);
    see(new Uint8Array(bytes));
    keepBody(c, decode(bytes));
    return next();
  }
  const memory = openMemory(project);
  const deadline = openDeadline();
  try {
    const reading: Reading = { maxBytes, memory, deadline, see };
    if (isUpload) keepForm(c, await formOf(raw, reading));
    else keepBody(c, raw.body === null ? "" : await textOf(raw.body, reading));
    deadline.stop();
    // The slot is taken only after the body has arrived: otherwise a caller could hold a slot by sending nothing.
    await memory.takeSlot();
    await next();
  } finally {
    deadline.stop();
    memory.giveBack();
  }
}

/** How a body is read: at most `maxBytes`, which `memory` counts, and before the `deadline`. `see` gets each chunk. */
interface Reading {
  maxBytes: number;
  memory: Memory;
  deadline: Deadline;
  see: (bytes: Uint8Array) => void;
}

/**
 * The largest announced length, in bytes, of a body that is read in one go. This is safe, because the runtime never
 * delivers more than was announced.
 */
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
  // Hono stores the promise of a body, although its types declare the body itself.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
  parseOnce(c, type);
}

/**
 * Parses the body once for all readers. The text of a large body is then dropped, because memory would otherwise hold
 * both the text and the parsed body.
 */
function parseOnce(c: HonoContext<AppEnv>, type: string): void {
  const { req } = c;
  let parsed: Promise<unknown> | null = null;
  async function parse(): Promise<unknown> {
    const text = await req.text();
    if (text.length > slotBytes) delete req.bodyCache.text;
    try {
      return JSON.parse(text);
    } catch {
      throw notJson(text, type);
    }
  }
  // biome-ignore lint/suspicious/noExplicitAny: the type that hono has for the result of json()
  req.json = (): Promise<any> => {
    parsed ??= parse();
    return parsed;
  };
}

function keepForm(c: HonoContext<AppEnv>, form: FormData): void {
  Object.assign(c.req.bodyCache, { formData: Promise.resolve(form) });
}

/** Treats a missing body as an empty object. Called for routes whose body is optional. */
export async function takeAbsentAsEmpty(c: HonoContext<AppEnv>): Promise<void> {
  if ((await c.req.text()) === "") keepBody(c, "{}");
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Methods that need a body. A request without one is refused as invalid JSON, like a request with an empty body. */
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

/** Translates the TypeError that the decoder throws when the bytes are not UTF-8. */
function asNotUtf8(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  return new BadRequest("The request body is not valid UTF-8.", {
    suggestion: "JSON must be UTF-8 (RFC 8259, section 8.1): check the encoding of the body.",
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
  { maxBytes, memory, deadline, see }: Reading,
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
      see(value);
      keep(value);
    }
  } catch (error) {
    reader.cancel(error).catch(() => {});
    throw error;
  }
}
