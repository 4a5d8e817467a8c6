import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";

export interface CursorPage<Row> {
  data: Row[];
  cursor: string;
  hasMore: boolean;
  total: number;
  approximate?: true;
}

export interface Rows<Row> {
  rows: Row[];
  /** The number of all rows, counted with the first page only. Undefined until that page is loaded. */
  total: number | undefined;
  isApproximate: boolean;
  hasMore: boolean;
  isLoading: boolean;
  isLoadingMore: boolean;
  error: Error | null;
  loadMore(): void;
  reload(): void;
}

/** Reads a list by its cursor, page by page. */
export function useRows<Row>(
  key: readonly unknown[],
  read: (cursor: string | undefined, signal: AbortSignal) => PromiseLike<CursorPage<Row>>,
): Rows<Row> {
  const query = useInfiniteQuery<
    CursorPage<Row>,
    Error,
    InfiniteData<CursorPage<Row>>,
    readonly unknown[],
    string | undefined
  >({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => (page.hasMore ? page.cursor : undefined),
    // Otherwise every loaded page would be read again.
    refetchOnWindowFocus: false,
  });
  const pages = query.data?.pages ?? [];
  return {
    rows: pages.flatMap(({ data }) => data),
    total: pages[0]?.total,
    isApproximate: pages[0]?.approximate ?? false,
    hasMore: query.hasNextPage,
    isLoading: query.isPending,
    isLoadingMore: query.isFetchingNextPage,
    error: query.error,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  };
}
