import { secondMs } from "../../../core/time";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { slotBytes, takeSlot } from "../../../platform/memory-slots";
import type { Delivery } from "./delivery";

/** How long mail with large files waits for a memory slot, and how soon it is tried again if it gets none. */
const patienceMs = 10 * secondMs;
export const slotComesBackMs = 5 * secondMs;

/**
 * Whether the round can be composed now. A round with large files needs a memory slot. A delivery keeps its slot until
 * its end, because it keeps the files. It waits for a slot only once, because a delivery with many large emails would
 * otherwise run out of time.
 */
export async function hasSlot(ctx: Context, delivery: Delivery, round: EmailRow[]): Promise<boolean> {
  if (!round.some(({ contentId }) => (delivery.contents.get(contentId)?.size ?? 0) > slotBytes)) return true;
  if (delivery.slot === undefined) delivery.slot = await takeSlot(ctx.project.number, patienceMs);
  return delivery.slot !== null;
}
