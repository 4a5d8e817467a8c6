import { getJob } from "../../engine/jobs/job";
import { CursorQuery, IdParam } from "../../http/params";
import { operatorRoutes, projectRoutes } from "../../http/routes";
import { getOperatorJob, jobJson } from "./job";
import { listJobs } from "./list";
import { Job, JobFilters, JobPage } from "./schema";

export const jobs = projectRoutes("Jobs");
export const operatorJobs = operatorRoutes("Operator");

jobs.get(
  "/jobs",
  {
    id: "listJobs",
    summary: "List the background jobs, newest first",
    description: `With \`status\` or \`type\`, a page may hold fewer jobs than \`limit\`, or none, although \`hasMore\` is true: follow
\`cursor\` until it is false. The list includes jobs that Petrel starts by itself, such as counts of segments.`,
    query: CursorQuery.extend(JobFilters.shape),
    ok: JobPage,
  },
  (ctx, { query: { cursor, limit, ...filters } }) => listJobs(ctx, filters, { cursor, limit }),
);

jobs.get(
  "/jobs/{id}",
  {
    id: "getJob",
    summary: "Get a background job of any type",
    description: `You can read a job until 30 days after it has ended. If a job has failed repeatedly for a day, its status is \`failed\`, and
its \`errors\` say why.`,
    params: IdParam,
    ok: Job,
  },
  async (ctx, { params }) => jobJson(await getJob(ctx, params.id)),
);

operatorJobs.get(
  "/admin/jobs/{id}",
  {
    id: "getOperatorJob",
    summary: "Get the job that deletes or copies a project, or moves its clock",
    params: IdParam,
    ok: Job,
  },
  async (platform, { params }) => jobJson(await getOperatorJob(platform, params.id)),
);
