import type { Context as HonoContext } from "hono";
import { streamObject } from "./stream-object";

interface PageFacts {
  total: number;
  page: number;
  pageSize: number;
}

/** Streams a page of rows that may be large as JSON: memory holds one row, not a hundred. */
export function streamPage<T>(c: HonoContext, rows: AsyncIterable<T>, { total, page, pageSize }: PageFacts) {
  return streamObject(c, { data: rows, total, page, pageSize, totalPages: Math.ceil(total / pageSize) });
}
