import type { MessageOf } from "../../core/messages";
import { workOn } from "../../engine/jobs/work";
import { inRealTime, type Platform } from "../../platform/context";
import { tryDelivery } from "./try";

/** `webhooks.try` */
export async function tryDeliveryJob(platform: Platform, job: MessageOf<"webhooks.try">): Promise<void> {
  await workOn(platform, job, (ctx, row) => tryDelivery(inRealTime(ctx), row));
}
