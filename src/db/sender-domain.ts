import { type SQL, sql } from "drizzle-orm";
import { inProject, type Owner } from "./scope";

/**
 * Returns a query that has a row when the project may send from this domain, for use inside the statement that depends
 * on it.
 */
export function verifiedDomain(ctx: Owner, domain: string | SQL): SQL {
  return sql`SELECT 1 FROM domains WHERE ${inProject(ctx)} AND domain = ${domain} AND status = 'VERIFIED'`;
}

/** Returns the domain of an address in SQL. Addresses are stored normalized, so there is one @. */
export function domainInSql(email: SQL): SQL {
  return sql`substr(${email}, instr(${email}, '@') + 1)`;
}
