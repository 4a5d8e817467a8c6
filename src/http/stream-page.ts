import type { Context as HonoContext, TypedResponse } from "hono";

interface PageFacts {
  total: number;
  page: number;
  pageSize: number;
}

type StreamedPage<T> = Response & TypedResponse<PageFacts & { data: T[]; totalPages: number }, 200, "json">;

/**
 * A page of rows that may be large, as JSON. Each row is made when the one before it is on its way, so that memory holds
 * one of them and not a hundred. A row that cannot be made breaks the answer off: its status is out by then.
 */
export function streamPage<T>(c: HonoContext, rows: AsyncIterator<T>, facts: PageFacts): StreamedPage<T> {
  const { total, page, pageSize } = facts;
  const rest = JSON.stringify({ total, page, pageSize, totalPages: Math.ceil(total / pageSize) });
  const encoder = new TextEncoder();
  let before = '{"data":[';
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await rows.next();
      controller.enqueue(
        encoder.encode(done ? `${before === "," ? "" : before}],${rest.slice(1)}` : before + JSON.stringify(value)),
      );
      before = ",";
      if (done) controller.close();
    },
  });
  const response = c.body(body, 200, { "Content-Type": "application/json" });
  // What is written above has exactly this shape.
  return response as unknown as StreamedPage<T>;
}
