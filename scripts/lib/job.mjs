import { setTimeout as wait } from "node:timers/promises";

const PATIENCE = 60_000;

/**
 * Waits for a job of the operator to end, however long that takes: it goes on by itself. Calls `changed` with each new
 * state. A minute without an answer ends the wait with the failure of the last call.
 */
export async function endOfJob(ask, jobId, changed = () => {}) {
  let answeredAt = Date.now();
  for (let last = null; ; await wait(500)) {
    let job;
    try {
      job = await ask("GET", `/admin/jobs/${jobId}`);
    } catch (error) {
      const isLost = error.status === undefined || error.status >= 500;
      if (isLost && Date.now() - answeredAt < PATIENCE) continue;
      throw error;
    }
    answeredAt = Date.now();
    if (job.status !== last?.status || job.progress !== last.progress) changed(job);
    if (job.status === "completed" || job.status === "failed") return job;
    last = job;
  }
}
