import { type SQL, sql } from "drizzle-orm";
import { inProject, type Owner } from "./scope";

/**
 * Returns a query that finds a row only if the project is allowed to send from this domain. Statements that depend on
 * this permission contain it, for example in an EXISTS.
 */
export function verifiedDomain(ctx: Owner, domain: string | SQL): SQL {
  return sql`SELECT 1 FROM domains WHERE ${inProject(ctx)} AND domain = ${domain} AND status = 'VERIFIED'`;
}

/** Returns the domain of an address in SQL. Addresses are stored normalized, so each contains exactly one @. */
export function domainInSql(email: SQL): SQL {
  return sql`substr(${email}, instr(${email}, '@') + 1)`;
}
