import { utf8Bytes } from "./json";

/** Splits a list into chunks of at most `size`. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/**
 * Splits a list into chunks whose items, as text, have at most `maxBytes` in total. A single larger item is a chunk by
 * itself.
 */
export function chunksOfBytes<T>(items: readonly T[], maxBytes: number, textOf: (item: T) => string): T[][] {
  const chunks: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const more = utf8Bytes(textOf(item));
    if (bytes + more > maxBytes) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(item);
    bytes += more;
  }
  return chunks;
}
