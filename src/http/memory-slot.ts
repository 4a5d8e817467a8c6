import { TooSlow } from "../core/errors";
import { secondMs } from "../core/time";
import { holdBytes } from "../platform/body-bytes";
import { busy, patienceMs, slotBytes, type TakenSlot, takeSlot } from "../platform/memory-slots";

/**
 * `stalledMs` is the longest pause while a body arrives. `readingMs` is the longest time for a whole body, enough for
 * 14 MB at 2 Mbit/s.
 */
const stalledMs = 15 * secondMs;
const readingMs = 60 * secondMs;

/** The memory of a request: its body is counted while it arrives, and a large body then takes a slot. */
export interface Memory {
  /** Counts a chunk of the body that has arrived. Throws Unavailable when other bodies use up the memory. */
  count(bytes: number): void;
  /** Waits for a memory slot if the body is large. Throws Unavailable when none becomes free in time. */
  takeSlot(): Promise<void>;
  giveBack(): void;
}

export function openMemory(project: number): Memory {
  const bodyBytes = holdBytes(project);
  let slot: TakenSlot | null = null;
  let size = 0;
  return {
    count(bytes) {
      size += bytes;
      if (!bodyBytes.grow(bytes)) throw busy();
    },
    async takeSlot() {
      if (size <= slotBytes) return;
      slot = await takeSlot(project, patienceMs);
      if (!slot) throw busy();
      bodyBytes.release();
    },
    giveBack() {
      bodyBytes.release();
      slot?.giveBack();
    },
  };
}

export interface Deadline {
  /** Rejects with TooSlow when the deadline has passed. */
  passed: Promise<never>;
  /** Records that a chunk has arrived, so the body has not stalled. */
  moved(): void;
  stop(): void;
}

/**
 * Opens the deadline of a body. The whole body must arrive within `longestMs`. A single timer checks again whenever it
 * fires, so that arriving chunks need not set timers.
 */
export function openDeadline(longestMs = readingMs): Deadline {
  const since = Date.now();
  let movedAt = since;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<never>((_, reject) => {
    function look() {
      const now = Date.now();
      const leftMs = Math.min(movedAt + stalledMs, since + longestMs) - now;
      if (leftMs > 0) timer = setTimeout(look, leftMs);
      else if (now >= since + longestMs) reject(new TooSlow(longestMs / secondMs, "slow"));
      else reject(new TooSlow(stalledMs / secondMs));
    }
    look();
  });
  // Without this handler, a rejection that nothing awaits would be reported as unhandled.
  passed.catch(() => {});
  return {
    passed,
    moved: () => {
      movedAt = Date.now();
    },
    stop: () => clearTimeout(timer),
  };
}
