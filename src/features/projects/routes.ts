import { pageOf } from "../../core/page";
import { CursorQuery, ProjectParam } from "../../http/params";
import { operatorRoutes } from "../../http/routes";
import { QueuedJob } from "../../http/started-job";
import { backups } from "./backups/routes";
import { clock } from "./clock/routes";
import { createProject } from "./create";
import { deleteProject } from "./delete";
import { keys } from "./keys/routes";
import { listProjects } from "./list";
import { move } from "./move/routes";
import { refuseOwnerFields } from "./owner-fields";
import { getProject, projectJson } from "./project";
import { CreatedProject, CreateProject, Project, ProjectPage, UpdateProject } from "./schema";
import { updateProject } from "./update";
import { ProjectUsage } from "./usage/schema";
import { getUsage } from "./usage/usage";

/** `/admin/projects`: the operator's API. */
export const projects = operatorRoutes("Operator");
projects.router.route("/", keys.router);
projects.router.route("/", clock.router);
projects.router.route("/", backups.router);
projects.router.route("/", move.router);

projects.post(
  "/admin/projects",
  {
    id: "createProject",
    isAudited: true,
    summary: "Create a project with its first keys",
    description: "The answer is the only one that shows the keys: Petrel stores only their hashes.",
    body: CreateProject,
    created: CreatedProject,
  },
  async (platform, { body }) => {
    const { project, keys } = await createProject(platform, body);
    return { project: projectJson(project), keys };
  },
);

projects.get(
  "/admin/projects",
  { id: "listProjects", summary: "List the projects, newest first", query: CursorQuery, ok: ProjectPage },
  async (platform, { query }) => {
    const { rows, total } = await listProjects(platform, query);
    return pageOf(rows, query.limit, total, projectJson);
  },
);

projects.get(
  "/admin/projects/{id}",
  { id: "getProject", summary: "Get a project", role: "admin", params: ProjectParam, ok: Project },
  async (platform, { params }) => projectJson(await getProject(platform, params.id)),
);

projects.get(
  "/admin/projects/{id}/usage",
  {
    id: "getProjectUsage",
    summary: "Get what a project stores",
    description:
      "Up to 25,000 rows are counted at once; a larger project shows its last count, made at `countedAt`. " +
      "The limit is applied to that count.",
    role: "admin",
    params: ProjectParam,
    ok: ProjectUsage,
  },
  (platform, { params }) => getUsage(platform, params.id),
);

projects.patch(
  "/admin/projects/{id}",
  {
    id: "updateProject",
    isAudited: true,
    role: "admin",
    summary: "Change a project, or disable it",
    description: "The change takes effect everywhere within 30 seconds.",
    params: ProjectParam,
    body: UpdateProject,
    ok: Project,
    also: [409],
  },
  async (platform, { params, body }, c) => {
    refuseOwnerFields(c.var.visitor, body);
    return projectJson(await updateProject(platform, params.id, body));
  },
);

projects.delete(
  "/admin/projects/{id}",
  {
    id: "deleteProject",
    isAudited: true,
    needsProof: true,
    summary: "Delete a project and everything in it",
    description:
      "Its keys stop working at once. Its data and files are deleted in the background: poll `GET /admin/jobs/{id}`.",
    params: ProjectParam,
    accepted: QueuedJob,
  },
  (platform, { params }) => deleteProject(platform, params.id),
);
