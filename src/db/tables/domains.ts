import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DnsRecord } from "../../core/domains/records";
import { createdAt, id, projectId, rowKey, time, updatedAt } from "../columns";

/** A sender domain. */
export const domains = sqliteTable(
  "domains",
  {
    projectId: projectId(),
    id: id().notNull(),
    domain: text().notNull(),
    status: text({ enum: ["PENDING", "VERIFIED", "FAILED"] }).notNull(),
    /**
     * The providers in whose accounts we created the domain name, so that we can remove the name there. Null when the
     * name already existed there.
     */
    createdWith: text(),
    records: text({ mode: "json" }).$type<DnsRecord[]>().notNull(),
    lastCheckedAt: time(),
    verifiedAt: time(),
    /** When the checks of a verified domain began to fail; null while they succeed. */
    failingSince: time(),
    /**
     * When the domain is checked next; null when there is nothing to check. The sweep that claims the row postpones
     * this time.
     */
    nextCheckAt: time(),
    /** Changes with every stored check. When two checks run at the same time, the later result is dropped. */
    version: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    rowKey(table),
    uniqueIndex("ux_domains_domain").on(table.projectId, table.domain),
    // Finds the other projects with the same domain. While there are any, the domain is not removed from the mail
    // provider's account, which all projects share.
    index("ix_domains_name").on(table.domain),
    index("ix_domains_failing").on(table.failingSince).where(sql`failing_since IS NOT NULL`),
    index("ix_domains_due").on(table.nextCheckAt).where(sql`next_check_at IS NOT NULL`),
  ],
);
export type DomainRow = typeof domains.$inferSelect;
