import { getJob } from "../../engine/jobs/job";
import { IdParam } from "../../http/params";
import { operatorRoutes, projectRoutes } from "../../http/routes";
import { getOperatorJob, jobJson } from "./job";
import { Job } from "./schema";

export const jobs = projectRoutes("Jobs");
export const operatorJobs = operatorRoutes("Operator");

jobs.get(
  "/jobs/{id}",
  {
    id: "getJob",
    summary: "Get a background job of any type",
    description: `A job can be read for 30 days after it has ended. A job that failed repeatedly for a day is \`failed\`, and
its \`errors\` say so.`,
    params: IdParam,
    ok: Job,
  },
  async (ctx, { params }) => jobJson(await getJob(ctx, params.id)),
);

operatorJobs.get(
  "/admin/jobs/{id}",
  {
    id: "getOperatorJob",
    summary: "Get the job that deletes a project, or moves its clock",
    params: IdParam,
    ok: Job,
  },
  async (platform, { params }) => jobJson(await getOperatorJob(platform, params.id)),
);
