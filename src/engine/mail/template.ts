import { type SQL, sql } from "drizzle-orm";

export const templatesWithVersions: SQL = sql`templates t JOIN template_versions v ON v.id = t.version_id`;
