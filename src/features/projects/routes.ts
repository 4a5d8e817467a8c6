import { pageOf } from "../../core/page";
import { accepted, body, created, createRoute, errors, ok } from "../../http/define";
import { CursorQuery, ProjectParam } from "../../http/params";
import { createRouter } from "../../http/router";
import { QueuedJob } from "../../http/started-job";
import { clock } from "./clock/routes";
import { createProject } from "./create";
import { deleteProject } from "./delete";
import { keys } from "./keys/routes";
import { listProjects } from "./list";
import { getProject, projectJson } from "./project";
import { CreatedProject, CreateProject, Project, ProjectPage, UpdateProject } from "./schema";
import { updateProject } from "./update";

/** `/admin/projects`: the operator's API. */
export const projects = createRouter();
projects.route("/", keys);
projects.route("/", clock);
const tags = ["Operator"];
const policy = { key: "operator" } as const;

const create = createRoute({
  method: "post",
  path: "/admin/projects",
  operationId: "createProject",
  tags,
  policy,
  summary: "Create a project with its first keys",
  description: "The keys are shown only once, here: only their hashes are stored.",
  request: body(CreateProject),
  responses: { ...created(CreatedProject), ...errors(400, 413, 422) },
});

projects.openapi(create, async (c) => {
  const { project, keys } = await createProject(c.var.platform, c.req.valid("json"));
  return c.json({ project: projectJson(project), keys }, 201);
});

const list = createRoute({
  method: "get",
  path: "/admin/projects",
  operationId: "listProjects",
  tags,
  policy,
  summary: "List the projects, newest first",
  request: { query: CursorQuery },
  responses: { ...ok(ProjectPage), ...errors(400, 422) },
});

projects.openapi(list, async (c) => {
  const query = c.req.valid("query");
  const { rows, total } = await listProjects(c.var.platform, query);
  return c.json(pageOf(rows, query.limit, total, projectJson), 200);
});

const get = createRoute({
  method: "get",
  path: "/admin/projects/{id}",
  operationId: "getProject",
  tags,
  policy,
  summary: "Get a project",
  request: { params: ProjectParam },
  responses: { ...ok(Project), ...errors(404) },
});

projects.openapi(get, async (c) => {
  const project = await getProject(c.var.platform, c.req.valid("param").id);
  return c.json(projectJson(project), 200);
});

const update = createRoute({
  method: "patch",
  path: "/admin/projects/{id}",
  operationId: "updateProject",
  tags,
  policy,
  summary: "Change a project, or disable it",
  description: "The change takes effect everywhere within 30 seconds.",
  request: { params: ProjectParam, ...body(UpdateProject) },
  responses: { ...ok(Project), ...errors(400, 404, 409, 413, 422) },
});

projects.openapi(update, async (c) => {
  const project = await updateProject(c.var.platform, c.req.valid("param").id, c.req.valid("json"));
  return c.json(projectJson(project), 200);
});

const remove = createRoute({
  method: "delete",
  path: "/admin/projects/{id}",
  operationId: "deleteProject",
  tags,
  policy,
  summary: "Delete a project and everything in it",
  description:
    "Its keys stop working at once. Its data and files are deleted in the background: poll `GET /admin/jobs/{id}`.",
  request: { params: ProjectParam },
  responses: { ...accepted(QueuedJob), ...errors(404) },
});

projects.openapi(remove, async (c) => {
  const queued = await deleteProject(c.var.platform, c.req.valid("param").id);
  return c.json(queued, 202);
});
