import { publicId } from "../../../core/ids";
import { accepted, body, createRoute, errors } from "../../../http/define";
import { ProjectParam } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { QueuedJob } from "../../../http/started-job";
import { moveClock } from "./move";
import { MoveClock } from "./schema";

export const clock = createRouter();

const move = createRoute({
  method: "post",
  path: "/admin/projects/{id}/clock",
  operationId: "moveClock",
  tags: ["Operator"],
  policy: { key: "operator" },
  summary: "Move the clock of a test project forward",
  description: `For projects made with \`testClock: true\`. Their clock begins at the real time and stands still; only this call
moves it. A job goes from one time at which something is due to the next: scheduled mail and its retries, ends of snoozes,
scheduled campaigns, holds of canaries, tracked segments. At each it waits until everything has happened that happens then:
mail is in the outbox, events are dispatched, webhooks have been called once.

Poll \`GET /jobs/{id}\` or \`GET /admin/jobs/{id}\`. The result is \`{ instants, now }\`: how often something was due, and the
project's time. The job is \`failed\`, with the reason in its \`errors\`, after 10,000 instants, or 60 seconds at one of them.
One advance of a project goes on at a time.`,
  request: { params: ProjectParam, ...body(MoveClock) },
  responses: { ...accepted(QueuedJob), ...errors(400, 404, 409, 413, 422) },
});

clock.openapi(move, async (c) => {
  const { jobId } = await moveClock(c.var.platform, c.req.valid("param").id, c.req.valid("json"));
  return c.json({ jobId: publicId(jobId) }, 202);
});
