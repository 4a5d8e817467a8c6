import { TooSlow, Unavailable } from "../core/errors";
import { secondMs } from "../core/time";
import { keepBytes } from "../platform/body-bytes";
import { slotBytes, type TakenSlot, takeSlot } from "../platform/memory-slots";

const patienceMs = 35 * secondMs;

/** How long a body may take to arrive: 14 MB at 8 Mbit/s. */
const readingMs = 15 * secondMs;

/** The memory of a request: its body is counted while it arrives, and a large one then takes a slot. */
export interface Memory {
  /** Counts a part of the body that has arrived. Throws Unavailable when other bodies have the memory. */
  count(bytes: number): void;
  /** Waits for a memory slot if the body is large. Throws Unavailable when none becomes free in time. */
  takeSlot(): Promise<void>;
  giveBack(): void;
}

export function openMemory(project: number): Memory {
  const kept = keepBytes(project);
  let slot: TakenSlot | null = null;
  let size = 0;
  return {
    count(bytes) {
      size += bytes;
      if (!kept.grow(bytes)) throw busy();
    },
    async takeSlot() {
      if (size <= slotBytes) return;
      slot = await takeSlot(project, patienceMs);
      if (!slot) throw busy();
      kept.letGo();
    },
    giveBack() {
      kept.letGo();
      slot?.giveBack();
    },
  };
}

/** The end of the time that a body may take. `stop` ends it. */
export function openDeadline(): { passed: Promise<never>; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow(readingMs / secondMs)), readingMs);
  });
  // The body may have arrived by then; nobody handles this rejection.
  passed.catch(() => {});
  return { passed, stop: () => clearTimeout(timer) };
}

export function busy(): Unavailable {
  return new Unavailable("Too many large requests are being processed at the same time.", {
    retryAfterSeconds: 1,
    suggestion: "Try again, and send fewer requests with large attachments at a time.",
  });
}
