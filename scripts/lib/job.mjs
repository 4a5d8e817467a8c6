import { setTimeout as wait } from "node:timers/promises";
import { mayPass } from "./failure.mjs";

const PATIENCE = 60_000;

/**
 * Waits until a job of the operator has ended, however long that takes. Calls `changed` with each new state. After a
 * minute without an answer, throws the failure of the last call.
 */
export async function endOfJob(ask, jobId, changed = () => {}) {
  let answeredAt = Date.now();
  for (let last = null; ; await wait(500)) {
    let job;
    try {
      job = await ask("GET", `/admin/jobs/${jobId}`);
    } catch (error) {
      if (!mayPass(error) || Date.now() - answeredAt >= PATIENCE) throw error;
      continue;
    }
    answeredAt = Date.now();
    if (job.status !== last?.status || job.progress !== last.progress) changed(job);
    if (job.status === "completed" || job.status === "failed") return job;
    last = job;
  }
}
