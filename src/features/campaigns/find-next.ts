import type { Audience } from "../../core/audience/compile";
import { type Id, textOf } from "../../core/ids";
import { maxAskedPerStatement } from "../../db/limits";
import { scanWindow } from "../../engine/audience/scan";
import type { Context } from "../../platform/context";
import type { Frozen } from "./frozen";

/** The next contacts of an audience, in the order of their ids. */
export interface Found {
  ids: Id[];
  /** The place behind them; null when there are no more. */
  after: Id | null;
}

/**
 * The contacts in one window of a frozen audience, which ends at the newest contact of its time. `rows` is for who wants a
 * smaller window than one statement may read.
 */
export async function findNext(
  ctx: Context,
  { source, upTo }: Frozen,
  { audience, from, rows }: { audience: Audience; from: Id; rows?: number },
): Promise<Found> {
  const most = maxAskedPerStatement(audience);
  const window = await scanWindow(ctx, audience, source, {
    direction: "up",
    from,
    rows: Math.min(most, rows ?? most),
    want: "ids",
  });
  const ids = window.ids.filter((id) => textOf(id) <= textOf(upTo)).toSorted(byId);
  const isOver = window.isLast || textOf(window.edge) >= textOf(upTo);
  return { ids, after: isOver ? null : window.edge };
}

function byId(one: Id, other: Id): number {
  return textOf(one) < textOf(other) ? -1 : 1;
}
