import { secondMs } from "../../../core/time";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { slotBytes, takeSlot } from "../../../platform/memory-slots";
import type { Delivery } from "./delivery";

/** How long mail with large files waits for a memory slot, and after how long it is tried again without one. */
const patienceMs = 10 * secondMs;
export const slotComesBackMs = 5 * secondMs;

/**
 * Large files need a memory slot of the isolate. The delivery keeps it to the end, because it keeps the files, and
 * waits for it only once, because otherwise a delivery of many such mails would run out of time.
 */
export async function hasSlot(ctx: Context, delivery: Delivery, round: EmailRow[]): Promise<boolean> {
  if (!round.some(({ contentId }) => (delivery.contents.get(contentId)?.size ?? 0) > slotBytes)) return true;
  if (delivery.slot === undefined) delivery.slot = await takeSlot(ctx.project.number, patienceMs);
  return delivery.slot !== null;
}
