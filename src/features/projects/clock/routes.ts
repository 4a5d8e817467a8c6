import { publicId } from "../../../core/ids";
import { ProjectParam } from "../../../http/params";
import { operatorRoutes } from "../../../http/routes";
import { QueuedJob, starting } from "../../../http/started-job";
import { moveClock } from "./move";
import { MoveClock, MovedClock } from "./schema";

export const clock = operatorRoutes("Operator");

clock.post(
  "/admin/projects/{id}/clock",
  {
    id: "moveClock",
    isAudited: true,
    summary: "Move the clock of a test project forward",
    description: `For projects created with \`testClock: true\`. The clock of such a project begins at the real time and stands still; only
this call moves it. A job goes from one time at which something is due to the next: scheduled mail and its retries, ends of
snoozes, scheduled campaigns, holds of canaries, tracked segments. At each time it waits until everything due is done: mail
is in the outbox, events are dispatched, webhooks have been called once.

Poll \`GET /jobs/{id}\` or \`GET /admin/jobs/{id}\`. The result is \`{ instants, now }\`: the number of times at which something
was due, and the project's time. The job fails, with the reason in its \`errors\`, after 10,000 such times, or after 60
seconds at one of them. A project can have only one such job at a time.`,
    params: ProjectParam,
    body: MoveClock,
    accepted: starting(QueuedJob, MovedClock),
    also: [409],
  },
  async (platform, { params, body }) => {
    const { jobId } = await moveClock(platform, params.id, body);
    return { jobId: publicId(jobId) };
  },
);
