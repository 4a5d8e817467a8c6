import { sql } from "drizzle-orm";
import { isUuid, publicId, readId } from "../../core/ids";
import { openBatch, type Rows } from "../../db/batch";
import { asId, asText, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { kindsFor } from "./kinds";
import { maxResults, type ResultType, type SearchResult, type SearchResults } from "./schema";

const readFound = columns({ id: asId, name: asText, hint: asText });
type Found = ReturnType<typeof readFound>;

/**
 * The maximum number of rows that are read of a type without an index by name. A project has at most this many
 * segments, and fewer topics and webhooks.
 */
const maxFew = 1_000;

/**
 * `GET /search`: returns the results whose id or address is the text, or whose name begins with the text. All queries
 * run in one batch, and each reads a range of an index.
 */
export async function search(ctx: Context, text: string): Promise<SearchResults> {
  const kinds = kindsFor(ctx, text);
  const batch = openBatch(ctx);
  const byId: [ResultType, Rows<Found>][] = isUuid(text)
    ? kinds.map(({ type, all, id }) => [type, batch.add(statement(sql`${all} AND ${id} = ${readId(text)}`, readFound))])
    : [];
  const byName = kinds.flatMap(({ type, all, named, isNamed }) => {
    if (named === null) return [];
    const limit = isNamed === undefined ? maxResults : maxFew;
    const rows = batch.add(statement(sql`${all} AND ${named.where} ORDER BY ${named.order} LIMIT ${limit}`, readFound));
    return [{ type, rows, isNamed }];
  });
  await batch.commit();
  const exact = byId.flatMap(([type, rows]) => rows.all.map((row) => resultOf(type, row)));
  const named = byName.map(({ type, rows, isNamed }) =>
    rows.all.filter(({ name }) => isNamed?.(name) ?? true).map((row) => resultOf(type, row)),
  );
  return { results: [...exact, ...inTurns(named)].slice(0, maxResults) };
}

function resultOf(type: ResultType, { id, name, hint }: Found): SearchResult {
  return { type, id: publicId(id), name, hint };
}

/** Takes the first of each list, then the second of each, so that no type crowds out the others. */
function inTurns<T>(lists: T[][]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}
