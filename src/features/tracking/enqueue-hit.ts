import { chunksOfBytes } from "../../core/chunks";
import { newId, textOf } from "../../core/ids";
import type { Enqueue, Queued } from "../../core/messages";
import { secondMs } from "../../core/time";
import type { Hit } from "../../core/tracking/hit";
import type { TrackedMail } from "../../core/tracking/token";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/** A hit that has not been sent to the queue yet. */
interface PendingHit {
  projectId: number;
  hit: Hit;
}

/**
 * The hits that this isolate gathers for a second after it has sent one. They share messages, because each message
 * costs money.
 */
interface Gathering {
  endsAt: number;
  pending: PendingHit[];
  hasSender: boolean;
}

const gatheredForMs = secondMs;
/** The maximum total size of the hits in one message, in bytes. A queue accepts messages of up to 128 KB. */
const bytesPerMessage = 60_000;
/** If gathered hits are still unsent after this time, the request that was to send them must have died. */
const abandonedAfterMs = 5 * secondMs;

/** The gathering of each queue; an isolate has one queue. */
const gatherings = new WeakMap<Enqueue, Gathering>();

/**
 * Enqueues an open or click after the answer is sent, because waiting for the queue would cost each redirect a round
 * trip. The recipient gets the page even when the queue refuses the message. The hit is then lost, as it is when the
 * process dies before it has sent the hit. The first hit is sent at once; hits that follow within a second are
 * gathered.
 */
export function enqueueHit(
  platform: Platform,
  { projectId, emailId }: TrackedMail,
  what: Pick<Hit, "kind" | "link" | "number" | "isAutomated">,
): void {
  const now = platform.now.getTime();
  const pending = { projectId, hit: { ...what, id: textOf(newId()), emailId, at: now } };
  const gathering = gatherings.get(platform.enqueue);
  if (!gathering || now >= gathering.endsAt + abandonedAfterMs) {
    gatherings.set(platform.enqueue, { endsAt: now + gatheredForMs, pending: [], hasSender: false });
    platform.later(send(platform, [...(gathering?.pending ?? []), pending]));
    return;
  }
  gathering.pending.push(pending);
  if (gathering.hasSender) return;
  gathering.hasSender = true;
  platform.later(sendAtEnd(platform, gathering));
}

async function sendAtEnd(platform: Platform, gathering: Gathering): Promise<void> {
  await platform.sleep(Math.max(0, gathering.endsAt - platform.clock().getTime()));
  // The gathering ends here, so the next hit is sent at once again.
  if (gatherings.get(platform.enqueue) === gathering) gatherings.delete(platform.enqueue);
  await send(platform, gathering.pending);
}

async function send(platform: Platform, pending: PendingHit[]): Promise<void> {
  try {
    await platform.enqueue(messagesOf(pending));
  } catch (error) {
    platform.log("error", "Opens or clicks could not be recorded", { hits: pending.length, reason: reasonOf(error) });
  }
}

function messagesOf(pending: PendingHit[]): Queued[] {
  return [...Map.groupBy(pending, ({ projectId }) => projectId)].flatMap(([projectId, together]) =>
    chunksOfBytes(together, bytesPerMessage, ({ hit }) => JSON.stringify(hit)).map((chunk) => ({
      message: { type: "tracking.record" as const, projectId, hits: chunk.map(({ hit }) => hit) },
    })),
  );
}
