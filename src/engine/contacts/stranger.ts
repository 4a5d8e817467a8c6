import { type SQL, sql } from "drizzle-orm";

/**
 * Matches a contact `c` that only public keys have named and that has not confirmed its address. Anyone could have
 * invented the contact and its data.
 */
export const isStranger: SQL = sql`(c.source = 'PUBLIC' AND c.confirmed_at IS NULL)`;
