import { TooSlow, Unavailable } from "../core/errors";
import { secondMs } from "../core/time";
import { type TakenSlot, takeSlot } from "../platform/memory-slots";

const patienceMs = 35 * secondMs;

/** How long the rest of a body may take once its request has a memory slot: 14 MB at 8 Mbit/s. */
const readingMs = 15 * secondMs;

/** The memory slot of a request, taken only if the request turns out to be large. Most never are. */
export interface Slot {
  /** Waits for a memory slot, unless the request has one. Throws Unavailable when none becomes free in time. */
  take(): Promise<void>;
  /** Waits for a part of the body. Throws TooSlow when it is late, because other requests wait for the slot. */
  inTime<T>(part: Promise<T>): Promise<T>;
  giveBack(): void;
}

export function openSlot(): Slot {
  let slot: TakenSlot | null = null;
  let late: Promise<never> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    async take() {
      if (slot) return;
      slot = await takeSlot(patienceMs);
      if (!slot) throw busy();
      late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new TooSlow(readingMs / secondMs)), readingMs);
      });
      // The body may have arrived by then; nobody handles this rejection.
      late.catch(() => {});
    },
    inTime: (part) => (late ? Promise.race([part, late]) : part),
    giveBack() {
      clearTimeout(timer);
      slot?.giveBack();
    },
  };
}

function busy(): Unavailable {
  return new Unavailable("Too many large requests are being processed at the same time.", {
    retryAfterSeconds: 1,
    suggestion: "Try again, and send fewer requests with large attachments at a time.",
  });
}
