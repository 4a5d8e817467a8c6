import { TooSlow, Unavailable } from "../core/errors";
import { secondMs } from "../core/time";
import { holdBytes } from "../platform/body-bytes";
import { slotBytes, type TakenSlot, takeSlot } from "../platform/memory-slots";

const patienceMs = 35 * secondMs;

/** How long a body may stop, and how long it may take as a whole: 14 MB at 2 Mbit/s. */
const stalledMs = 15 * secondMs;
const readingMs = 60 * secondMs;

/** The memory of a request: its body is counted while it arrives, and a large one then takes a slot. */
export interface Memory {
  /** Counts a part of the body that has arrived. Throws Unavailable when other bodies have the memory. */
  count(bytes: number): void;
  /** Waits for a memory slot if the body is large. Throws Unavailable when none becomes free in time. */
  takeSlot(): Promise<void>;
  giveBack(): void;
}

export function openMemory(project: number): Memory {
  const held = holdBytes(project);
  let slot: TakenSlot | null = null;
  let size = 0;
  return {
    count(bytes) {
      size += bytes;
      if (!held.grow(bytes)) throw busy();
    },
    async takeSlot() {
      if (size <= slotBytes) return;
      slot = await takeSlot(project, patienceMs);
      if (!slot) throw busy();
      held.release();
    },
    giveBack() {
      held.release();
      slot?.giveBack();
    },
  };
}

export interface Deadline {
  /** Rejects with TooSlow. */
  passed: Promise<never>;
  /** A part has arrived, so the body has not stopped. */
  moved(): void;
  stop(): void;
}

/** The end of the time that a body may take. One timer looks again, so that a part that arrives sets none. */
export function openDeadline(): Deadline {
  const since = Date.now();
  let movedAt = since;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<never>((_, reject) => {
    function look() {
      const now = Date.now();
      const leftMs = Math.min(movedAt + stalledMs, since + readingMs) - now;
      if (leftMs > 0) timer = setTimeout(look, leftMs);
      else if (now >= since + readingMs) reject(new TooSlow(readingMs / secondMs, "slow"));
      else reject(new TooSlow(stalledMs / secondMs));
    }
    look();
  });
  // The body may have arrived by then; nobody handles this rejection.
  passed.catch(() => {});
  return {
    passed,
    moved: () => {
      movedAt = Date.now();
    },
    stop: () => clearTimeout(timer),
  };
}

export function busy(): Unavailable {
  return new Unavailable("Too many large requests are being processed at the same time.", {
    retryAfterSeconds: 1,
    suggestion: "Try again, and send fewer requests with large attachments at a time.",
  });
}
