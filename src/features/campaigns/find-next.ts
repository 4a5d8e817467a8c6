import type { SQL } from "drizzle-orm";
import type { Audience } from "../../core/audience/compile";
import { type Id, textOf } from "../../core/ids";
import { maxEvaluatedPerStatement } from "../../db/limits";
import { scanWindow } from "../../engine/audience/scan";
import type { Frozen } from "../../engine/recipients/frozen";
import type { Context } from "../../platform/context";

/** The contacts of the next window of an audience, in the order of their ids. */
export interface AudienceWindow {
  ids: Id[];
  /** Contacts of the audience that do not match the condition `apart`. They are not among `ids`. */
  others: Id[];
  /** The cursor of the next window; null when there are no more contacts. */
  after: Id | null;
}

/**
 * Returns the contacts in one window of a frozen audience, up to the newest contact at the time of the freeze. `rows`
 * asks for a smaller window than one statement may read. `apart` is a further condition that separates `ids` from
 * `others`.
 */
export async function findNext(
  ctx: Context,
  { source, upTo }: Frozen,
  { audience, from, rows, apart }: { audience: Audience; from: Id; rows?: number; apart?: SQL },
): Promise<AudienceWindow> {
  const most = maxEvaluatedPerStatement(audience);
  const window = await scanWindow(ctx, audience, source, {
    direction: "up",
    from,
    rows: Math.min(most, rows ?? most),
    want: "ids",
    ...(apart === undefined ? {} : { apart }),
  });
  const inTime = (some: Id[]) => some.filter((id) => textOf(id) <= textOf(upTo)).toSorted(byId);
  const isOver = window.isLast || textOf(window.edge) >= textOf(upTo);
  return { ids: inTime(window.ids), others: inTime(window.others), after: isOver ? null : window.edge };
}

export function byId(one: Id, other: Id): number {
  return textOf(one) < textOf(other) ? -1 : 1;
}
