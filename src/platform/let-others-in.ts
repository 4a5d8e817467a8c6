/** Run locally, the database is in this very process: without a pause a busy job would keep every request waiting. */
export async function letOthersIn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}
