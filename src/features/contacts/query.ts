import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { asId, type Id, textOf } from "../../core/ids";
import { ById, cursorPage, type Page, readCursor } from "../../core/page";
import { searchText } from "../../core/search";
import { audienceOf } from "../../db/audience";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, columns } from "../../db/rows";
import { selectOne } from "../../db/statement";
import type { ContactRow } from "../../db/tables";
import { checkCondition } from "../../engine/audience/named-segments";
import { scan } from "../../engine/audience/scan";
import { findScanSource } from "../../engine/audience/scan-source";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { contactJson } from "./contact";
import { listContacts } from "./list";
import { queryByAddress } from "./query-by-address";
import type { QueryContacts } from "./schema";
import { searchedAnd } from "./searched";

type ContactPage = Page<ReturnType<typeof contactJson>>;

const largestPage = 100;
const usualPage = 20;

/** The maximum number of windows that one call reads. Reading them takes the database about a quarter of a second. */
const budget = { maxWindows: 10 };

/** `POST /contacts/query`: lists the contacts that match a condition. Throws Invalid and BadRequest. Stores nothing. */
export function queryContacts(ctx: Context, asked: QueryContacts): Promise<ContactPage> {
  const { condition, sort, dir } = asked;
  const search = searchText(asked.search ?? "").trim();
  const limit = Math.min(asked.limit ?? usualPage, largestPage);
  if ((asked.limit ?? 0) > limit) {
    ctx.warnings.push({ field: "limit", message: `The largest value is ${limit}, which was used.` });
  }
  const page = { limit, dir: dir ?? "desc", cursor: asked.cursor ?? undefined };
  if (!condition) return listContacts(ctx, { ...page, search, sort: sort ?? "createdAt" });
  if (sort === "email") return queryByAddress(ctx, condition, { ...page, search }, budget);
  return listMatching(ctx, condition, { ...page, search });
}

interface Asked {
  search: string;
  limit: number;
  dir: "asc" | "desc";
  cursor: string | undefined;
}

/** Lists matching contacts until a page is full, the contacts end, or the call has used up its budget. */
async function listMatching(ctx: Context, condition: FilterCondition, asked: Asked): Promise<ContactPage> {
  const { search, limit, dir, cursor } = asked;
  const filters = { condition: JSON.stringify(condition), search, dir };
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  const { segments } = await checkCondition(ctx, condition);
  const whole = searchedAnd(search, condition) ?? condition;
  const ofProject = sql`SELECT ${totalContacts(ctx)} AS contacts`;
  const counted = await selectOne(ctx.db, ofProject, columns({ contacts: asNumber }));
  const audience = audienceOf(whole, segments, ctx.now);
  const source = await findScanSource(ctx, audience, { now: ctx.now, ...counted });
  const isCounted = after === null && source.rows <= maxRowsPerStatement;
  const windows = scan(ctx, audience, source, budget, {
    direction: dir === "asc" ? "up" : "down",
    want: { skip: 0, take: limit + 1 },
    ...(after === null ? {} : { from: asId(after) }),
  });
  const found: ContactRow[] = [];
  let [matched, isAtEnd]: [number, boolean] = [0, false];
  let edge: Id | null = null;
  for await (const window of windows) {
    found.push(...window.contacts);
    matched += window.matched;
    [edge, isAtEnd] = [window.edge, window.isLast];
    if (found.length > limit && !isCounted) break;
  }
  const shown = found.slice(0, limit);
  const cut = found.length > limit ? (shown.at(-1)?.id ?? null) : isAtEnd ? null : edge;
  const total = after === null ? matched : 0;
  const countedAt = after === null && !isAtEnd ? ctx.now : null;
  return cursorPage(shown.map(contactJson), { next: cut && [textOf(cut)], filters, total, countedAt });
}
