import { type SQL, sql } from "drizzle-orm";

export const templatesWithVersions: SQL = sql`templates t JOIN template_versions v
  ON v.project_id = t.project_id AND v.id = t.version_id`;
