import { vi } from "vitest";

/** Lets the timers of all that is under way go off, and what they set off happen. For a test with fake timers. */
export async function passSeconds(seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 10; step++) {
    await vi.advanceTimersByTimeAsync(100);
    // A turn of the real loop, in which streams are read and the database answers.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
