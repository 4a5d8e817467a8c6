import { expect } from "vitest";
import type { Answer, TestProject } from "./project";

/** Waits for a job, which goes on in the queue of the Worker, and returns it. */
export async function endedJob(project: TestProject, jobId: string): Promise<Answer["body"]> {
  for (let look = 0; look < 200; look++) {
    const { body } = await project.api.get(`/jobs/${jobId}`);
    if (body.status === "completed" || body.status === "failed") return body;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("The job does not end");
}

/** Checks a campaign, and returns the token of the finished check. */
export async function preflightToken(project: TestProject, campaignId: string): Promise<string | null> {
  const { status, body } = await project.api.post(`/campaigns/${campaignId}/preflight`);
  expect(status, JSON.stringify(body)).toBe(202);
  const job = await endedJob(project, body.jobId);
  expect(job.status).toBe("completed");
  return job.result.preflightToken;
}
