/**
 * Gives other requests a chance to run. Locally, the database is in this very process, and a busy job would block them.
 */
export async function letOthersIn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}
