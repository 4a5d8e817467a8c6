import type { Context as HonoContext, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import { log, reasonOf } from "../platform/log";
import { type StreamMask, streamMask } from "./personal-data";
import type { AppEnv } from "./router";

/** The JSON form of an object: an async iterable becomes a list. */
type Streamed<T> = { [Name in keyof T]: T[Name] extends AsyncIterable<infer Item> ? Item[] : T[Name] };

/** The number of characters at which a chunk of text is sent. */
const charactersPerChunk = 65_536;

/**
 * Answers with a JSON object as a stream. A field that is an async iterable becomes a list, and each item is made only
 * after the previous ones are sent, so a long list is never completely in memory. An error cuts the stream off, because
 * the status has already been sent. The caller then gets incomplete JSON.
 */
export function streamObject<T extends object>(
  c: HonoContext<AppEnv>,
  fields: T,
  headers: Record<string, string> = {},
): Response & TypedResponse<JSONParsed<Streamed<T>>, 200, "json"> {
  const response = c.body(bytesOf(fields, streamMask(c)), 200, { "Content-Type": "application/json", ...headers });
  // The cast is safe: the stream writes exactly this shape.
  return response as unknown as Response & TypedResponse<JSONParsed<Streamed<T>>, 200, "json">;
}

function bytesOf(fields: object, mask: StreamMask | null): ReadableStream<Uint8Array> {
  const texts = textsOf(fields, mask);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { chunk, isLast } = await nextChunk(texts);
      controller.enqueue(encoder.encode(chunk));
      if (isLast) controller.close();
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

async function nextChunk(texts: AsyncGenerator<string, void>): Promise<{ chunk: string; isLast: boolean }> {
  let chunk = "";
  try {
    while (chunk.length < charactersPerChunk) {
      const { done, value } = await texts.next();
      if (done) return { chunk, isLast: true };
      chunk += value;
    }
    return { chunk, isLast: false };
  } catch (error) {
    log("error", "An answer broke off in the middle", { reason: reasonOf(error) });
    throw error;
  }
}

async function* textsOf(fields: object, mask: StreamMask | null): AsyncGenerator<string, void> {
  let before = "{";
  for (const [name, value] of Object.entries(fields)) {
    yield `${before}${JSON.stringify(name)}:`;
    before = ",";
    if (isAsyncIterable(value)) yield* listOf(value, mask && ((item) => mask.item(item, name)));
    else yield JSON.stringify(mask ? mask.whole(value, name) : value);
  }
  yield "}";
}

async function* listOf(
  items: AsyncIterable<unknown>,
  mask: ((item: unknown) => unknown) | null,
): AsyncGenerator<string, void> {
  let before = "[";
  for await (const item of items) {
    yield before + JSON.stringify(mask ? mask(item) : item);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
