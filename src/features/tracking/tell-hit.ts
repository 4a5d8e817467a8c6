import { newId, textOf } from "../../core/ids";
import type { Hit } from "../../core/tracking/hit";
import type { TrackedMail } from "../../core/tracking/token";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/**
 * Puts an open or click into the queue, behind the answer: the recipient waits for nothing, and gets their page also when
 * the queue takes no message. Then the hit is lost, and so it is when the process dies before the queue has it: nothing
 * else knows of it. To wait for the queue would cost each redirect a round trip.
 */
export function tellHit(
  platform: Platform,
  { projectId, emailId }: TrackedMail,
  what: Pick<Hit, "kind" | "link" | "isAutomated">,
): void {
  const hit: Hit = { ...what, id: textOf(newId()), emailId, at: platform.now.getTime() };
  platform.later(
    platform
      .enqueue([{ message: { type: "tracking.record", projectId, hits: [hit] } }])
      .catch((error: unknown) =>
        platform.log("error", "An open or click could not be recorded", { projectId, reason: reasonOf(error) }),
      ),
  );
}
