import { publicId } from "../../../core/ids";
import { ProjectParam } from "../../../http/params";
import { operatorRoutes } from "../../../http/routes";
import { QueuedJob, starting } from "../../../http/started-job";
import { MoveProject, MoveResult } from "./schema";
import { startMove } from "./start";
import { takeMoveBack } from "./take-back";

export const move = operatorRoutes("Operator");

move.post(
  "/admin/projects/{id}/move",
  {
    id: "moveProject",
    isAudited: true,
    needsProof: true,
    summary: "Move a project to another database",
    description: `Copies all rows of the project while calls continue, compares them, and switches. Just before the switch, writes of the
project are refused for a moment, with 503 and \`Retry-After: 2\`; reads continue. See [Operating](/docs/operating).

Poll \`GET /admin/jobs/{id}\`. To move the project back after the job has completed, send the same call with the earlier
database: no later changes are lost.`,
    params: ProjectParam,
    body: MoveProject,
    accepted: starting(QueuedJob, MoveResult),
    also: [409],
  },
  async (platform, { params, body }) => {
    const { jobId } = await startMove(platform, params.id, body);
    return { jobId: publicId(jobId) };
  },
);

move.delete(
  "/admin/projects/{id}/move",
  {
    id: "takeMoveBack",
    isAudited: true,
    summary: "Take back a move that has not switched",
    description: `The project stays where it is. The job that moves it deletes the rows that it has copied, and ends as \`failed\`. 409 after
the switch.`,
    params: ProjectParam,
    accepted: QueuedJob,
    also: [409],
  },
  async (platform, { params }) => {
    const { jobId } = await takeMoveBack(platform, params.id);
    return { jobId: publicId(jobId) };
  },
);
