import type { Context as HonoContext } from "hono";
import type { AppEnv } from "./router";
import { streamObject } from "./stream-object";

interface PageFacts {
  total: number;
  page: number;
  pageSize: number;
}

/** Streams a page of large rows as JSON, so that memory holds one row instead of a hundred. */
export function streamPage<T>(c: HonoContext<AppEnv>, rows: AsyncIterable<T>, { total, page, pageSize }: PageFacts) {
  return streamObject(c, { data: rows, total, page, pageSize, totalPages: Math.ceil(total / pageSize) });
}
