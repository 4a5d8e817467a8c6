import { installation } from "../../core/audit/call";
import { endsAfterStart } from "../../core/events/range";
import { controlShard, type Db } from "../../db/client";
import { CursorQuery } from "../../http/params";
import { operatorRoutes, projectRoutes } from "../../http/routes";
import type { Context } from "../../platform/context";
import { listAudit } from "./list";
import { AuditFilters, AuditPage } from "./schema";

export const audit = projectRoutes("Audit log");
export const installationAudit = operatorRoutes("Audit log");

/**
 * Returns the databases that contain the entries of a project. Entries about its keys and settings are in the control
 * database. All others are in the project's own database, which can be the control database too.
 */
function databasesOf({ db, control, project }: Context): Db[] {
  return project.shard === controlShard ? [control] : [db, control];
}

const AuditQuery = CursorQuery.extend(AuditFilters.shape).superRefine(endsAfterStart);

const howToRead = `Entries are kept for 400 days, and no call can change them. With filters, a page may hold fewer entries than
\`limit\`, or none, although \`hasMore\` is true: follow \`cursor\` until it is false.`;

audit.get(
  "/audit",
  {
    id: "listAudit",
    role: "admin",
    summary: "List what was changed, and by whom, newest first",
    description: `Lists changes of the project's settings, keys, people, domains, webhooks, templates, segments, campaigns and workflows, by
people, keys and the operator. Other calls with which people changed something are listed without \`changes\`. ${howToRead}`,
    query: AuditQuery,
    ok: AuditPage,
  },
  (ctx, { query: { cursor, limit, ...filters } }) =>
    listAudit(ctx, { databases: databasesOf(ctx), project: ctx.project.number }, filters, { cursor, limit }),
);

installationAudit.get(
  "/admin/audit",
  {
    id: "listInstallationAudit",
    summary: "List what was changed in the installation itself, and by whom, newest first",
    description: `Lists new and deleted projects, owners, keys of the installation and other calls of the operator. For changes within a
project, see \`GET /audit\`. ${howToRead}`,
    query: AuditQuery,
    ok: AuditPage,
  },
  (platform, { query: { cursor, limit, ...filters } }) =>
    listAudit(platform, { databases: [platform.control], project: installation }, filters, { cursor, limit }),
);
