import { type SQL, sql } from "drizzle-orm";
import { inProject, type Owner } from "./scope";
import { domainInSql } from "./sender-domain";

export const templatesWithVersions: SQL = sql`templates t JOIN template_versions v
  ON v.project_id = t.project_id AND v.id = t.version_id`;

/** Selects the templates that send from this domain. */
export function templatesFrom(owner: Owner, domain: string): SQL {
  return sql`SELECT t.id AS id, t.name AS name FROM ${templatesWithVersions}
    WHERE ${inProject(owner, "t")} AND ${domainInSql(sql`v.from_email`)} = ${domain}`;
}
