import { setTimeout as wait } from "node:timers/promises";

/**
 * Waits for a job of the operator to end, however long that takes: it goes on by itself. `changed` hears of each state
 * that is not as the one before.
 */
export async function endOfJob(ask, jobId, changed = () => {}) {
  for (let last = null; ; await wait(500)) {
    const job = await ask("GET", `/admin/jobs/${jobId}`);
    if (job.status !== last?.status || job.progress !== last.progress) changed(job);
    if (job.status === "completed" || job.status === "failed") return job;
    last = job;
  }
}
