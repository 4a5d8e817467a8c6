import { getJob } from "../../engine/jobs/job";
import { createRoute, errors, ok } from "../../http/define";
import { IdParam } from "../../http/params";
import { createRouter } from "../../http/router";
import { getOperatorJob, jobJson } from "./job";
import { Job } from "./schema";

export const jobs = createRouter();
export const operatorJobs = createRouter();

const get = createRoute({
  method: "get",
  path: "/jobs/{id}",
  operationId: "getJob",
  tags: ["Jobs"],
  summary: "Get a background job of any type",
  description: `A job can be read for 30 days after it has ended. A job that failed repeatedly for a day is \`failed\`, and
its \`errors\` say so.`,
  request: { params: IdParam },
  responses: { ...ok(Job), ...errors(404) },
});

jobs.openapi(get, async (c) => c.json(jobJson(await getJob(c.var.ctx, c.req.valid("param").id)), 200));

const getAsOperator = createRoute({
  method: "get",
  path: "/admin/jobs/{id}",
  operationId: "getOperatorJob",
  tags: ["Operator"],
  policy: { key: "operator" },
  summary: "Get the job that deletes a project, or moves its clock",
  request: { params: IdParam },
  responses: { ...ok(Job), ...errors(404) },
});

operatorJobs.openapi(getAsOperator, async (c) =>
  c.json(jobJson(await getOperatorJob(c.var.platform, c.req.valid("param").id)), 200),
);
