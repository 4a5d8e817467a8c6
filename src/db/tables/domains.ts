import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DnsRecord } from "../../core/domains/records";
import { createdAt, id, projectId, time, updatedAt } from "../columns";

/** A domain that mail is sent from. */
export const domains = sqliteTable(
  "domains",
  {
    id: id(),
    projectId: projectId(),
    domain: text().notNull(),
    status: text({ enum: ["PENDING", "VERIFIED", "FAILED"] }).notNull(),
    records: text({ mode: "json" }).$type<DnsRecord[]>().notNull(),
    lastCheckedAt: time(),
    verifiedAt: time(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("ux_domains_domain").on(table.projectId, table.domain),
    index("ix_domains_project").on(table.projectId, table.id),
  ],
);
