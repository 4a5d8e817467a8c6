/**
 * Gives other requests a chance to run. Locally, the database is in this very process, and a busy job would block them.
 */
export async function letOthersIn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * A request waits for its turn at each of its steps, of which it has ten or more, and several works may compute at once: so no
 * slice takes longer.
 */
const sliceMs = 5;

/**
 * Cuts long computing into slices. Call the returned function at every place where others may run; it lets them, once the
 * slice is over.
 */
export function openSlices(): () => Promise<void> {
  let endsAt = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < endsAt) return;
    await letOthersIn();
    endsAt = performance.now() + sliceMs;
  };
}
