import { setTimeout as wait } from "node:timers/promises";

/** Waits for a job of the operator to end, however long that takes: it goes on by itself. */
export async function endOfJob(ask, jobId) {
  for (;;) {
    const job = await ask("GET", `/admin/jobs/${jobId}`);
    if (job.status === "completed" || job.status === "failed") return job;
    await wait(500);
  }
}
