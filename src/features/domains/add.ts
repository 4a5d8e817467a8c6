import { and, eq, ne, sql } from "drizzle-orm";
import { needsDns } from "../../core/domains/match";
import { dmarcRecord, isReservedDomain, ownershipRecord, senderDomain } from "../../core/domains/records";
import { Conflict, Invalid, NotFound } from "../../core/errors";
import { newId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { refusable, type Statement } from "../../db/statement";
import { type DomainRow, verifiedDomains } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { SenderDomain } from "../../platform/mailer/mailer";
import { refuseVerifiedElsewhere, takenElsewhere } from "./domain";
import { askProvider } from "./provider";
import type { AddDomain } from "./schema";

/**
 * Registers a domain with the mail provider and here. One for which no DNS record is required is verified at once, if
 * the provider vouches for it; a name can be verified in one project of the installation only, which the control
 * table's key decides.
 */
export async function addDomain(ctx: Context, input: AddDomain): Promise<DomainRow> {
  if (input.projectId && input.projectId !== ctx.project.id) throw new NotFound("project", input.projectId);
  const domain = senderDomain(input.domain);
  if (domain === null) {
    throw new Invalid([
      { field: "domain", code: "invalid_string", message: "Must be a registrable host name such as acme.com" },
    ]);
  }
  await refuseTaken(ctx, domain);
  const row = newDomain(ctx, domain, await askProvider(ctx, () => ctx.mailer.addDomain(domain)));
  const batch = openBatch(ctx);
  batch.add(insertDomain(row));
  if (row.status === "VERIFIED") batch.add(insertVerifiedName(row));
  await batch.commit();
  return row;
}

function insertDomain(row: DomainRow): Statement {
  const { id, projectId, domain, status, records, version, createdAt, updatedAt } = row;
  return refusable(
    sql`INSERT INTO domains (id, project_id, domain, status, records, last_checked_at, verified_at, failing_since,
        next_check_at, version, created_at, updated_at)
      VALUES (${id}, ${projectId}, ${domain}, ${status}, ${JSON.stringify(records)}, ${row.lastCheckedAt},
        ${row.verifiedAt}, ${row.failingSince}, ${row.nextCheckAt}, ${version}, ${createdAt}, ${updatedAt})`,
    {
      on: { unique: "domains.project_id, domains.domain" },
      refuse: () =>
        new Conflict(`${domain} is already a domain of this project.`, {
          suggestion: "List it with GET /domains/project/{projectId}.",
        }),
    },
  );
}

function insertVerifiedName({ domain, projectId }: DomainRow): Statement {
  return refusable(
    sql`INSERT INTO verified_domains (domain, project_id) VALUES (${domain}, ${projectId})`,
    refuseVerifiedElsewhere(domain),
  );
}

/** Early, before the provider hears of it: who comes first is decided when a domain is verified. */
async function refuseTaken(ctx: Context, domain: string): Promise<void> {
  const taken = await ctx.control
    .select({ domain: verifiedDomains.domain })
    .from(verifiedDomains)
    .where(and(eq(verifiedDomains.domain, domain), ne(verifiedDomains.projectId, ctx.project.id)))
    .get();
  if (taken) throw takenElsewhere(domain);
}

function newDomain(ctx: Context, domain: string, atProvider: SenderDomain): DomainRow {
  const now = ctx.now.getTime();
  const token = crypto.randomUUID().replaceAll("-", "");
  const ownership = ownershipRecord(domain, token, !isReservedDomain(domain));
  const records = [ownership, ...atProvider.records, dmarcRecord(domain)];
  const isVerified = atProvider.verified && !needsDns(records);
  return {
    id: newId(),
    projectId: ctx.project.id,
    domain,
    status: isVerified ? "VERIFIED" : "PENDING",
    records,
    lastCheckedAt: null,
    verifiedAt: isVerified ? now : null,
    failingSince: null,
    nextCheckAt: isVerified ? null : now,
    version: 0,
    createdAt: now,
    updatedAt: now,
  };
}
