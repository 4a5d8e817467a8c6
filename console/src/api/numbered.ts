import type { CursorPage } from "./pages";

interface NumberedPage<Row> {
  data: Row[];
  page: number;
  totalPages: number;
  total: number;
}

/** Turns a page with a number into a page with a cursor, which is the number of the next page. */
export async function byNumber<Row>(reading: PromiseLike<NumberedPage<Row>>): Promise<CursorPage<Row>> {
  const { data, page, totalPages, total } = await reading;
  return { data, total, cursor: `${page + 1}`, hasMore: page < totalPages };
}
