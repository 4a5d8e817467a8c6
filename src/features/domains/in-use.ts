import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { templatesFrom } from "../templates/template";

/** A query with a row for each resource that needs this sender domain. Other kinds of senders are added here. */
export function usesOfDomain(ctx: Context, domain: string): SQL {
  return sql`SELECT 'template' AS type, id, name FROM (${templatesFrom(ctx, domain)})`;
}
