import { type SQL, sql } from "drizzle-orm";

/** Public keys alone have named the contact `c`, and it has not confirmed: anybody may have made it and its data up. */
export const isStranger: SQL = sql`(c.source = 'PUBLIC' AND c.confirmed_at IS NULL)`;
