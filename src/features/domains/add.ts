import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { needsDns } from "../../core/domains/match";
import { dmarcRecord, isReservedDomain, ownershipRecord, senderDomain } from "../../core/domains/records";
import { Conflict, Invalid, NotFound } from "../../core/errors";
import { shownValue } from "../../core/faults";
import { newIdAt } from "../../core/ids";
import { isOfPersonalDomain } from "../../core/verification/lists";
import { openBatch } from "../../db/batch";
import { isInserted } from "../../db/own-rows";
import { asFlag, asNumber, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { guard, refusable, type Statement, selectOne, statement } from "../../db/statement";
import { type DomainRow, domains, verifiedDomains } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import type { Context } from "../../platform/context";
import { type RegisteredDomain, registerDomain, writeProviders } from "../../platform/mailer/registrar";
import { auditedDomain } from "./audited";
import { getDomain } from "./domain";
import { claimName, takenElsewhere } from "./name";
import { askProvider } from "./provider";
import type { AddDomain } from "./schema";

const maxUnverified = 20;

/**
 * Stores a domain and registers it with the mail provider. A domain without required DNS records is verified at once,
 * if the provider has verified it and no other project of the installation has the name.
 */
export async function addDomain(ctx: Context, input: AddDomain): Promise<DomainRow> {
  if (input.projectId && input.projectId !== ctx.project.id) throw new NotFound("project", input.projectId);
  const domain = await senderDomain(input.domain);
  if (domain === null) {
    throw new Invalid([
      {
        ...{
          field: "domain",
          code: "invalid_string" as const,
          message: "Must be a registrable host name such as acme.com",
        },
        ...shownValue(input.domain),
      },
    ]);
  }
  if (isOfPersonalDomain(await ctx.domainLists(), domain)) {
    throw new Invalid([
      { field: "domain", code: "custom", message: `${domain} is a public mail provider's. Add a domain that you own` },
    ]);
  }
  await refuseTaken(ctx, domain);
  await refuseTooMany(ctx, domain);
  const atProvider = await askProvider(ctx, () => registerDomain(ctx.accounts, domain));
  const row = newDomain(ctx, domain, atProvider);
  const batch = openBatch(ctx);
  batch.recognise(isInserted("domains", ctx, row.id));
  batch.add(guard(sql`${countUnverified(ctx)} < ${maxUnverified}`, tooMany));
  recordChange(batch, ctx, auditedDomain(ctx, row.id));
  batch.add(insertDomain(row));
  await batch.commit();
  return atProvider.verified && !needsDns(row.records) ? verifyAtOnce(ctx, row) : row;
}

/**
 * Verifies a domain that was just added, or removes it again if its name is taken. The row exists before its name is
 * claimed, so a concurrent removal or check shows as a change of the row.
 */
async function verifyAtOnce(ctx: Context, row: DomainRow): Promise<DomainRow> {
  const isAsAdded = sql`project_id = ${row.projectId} AND id = ${row.id} AND version = ${row.version}`;
  const isOurs = await claimName(ctx, row);
  const batch = openBatch(ctx);
  // A second run finds that the first has changed the row, and only reads it.
  batch.mayRepeat();
  // The domain that was just added is removed again. The audit log shows both changes.
  if (!isOurs) recordChange(batch, ctx, auditedDomain(ctx, row.id));
  const written = batch.add(
    statement(
      isOurs
        ? sql`UPDATE domains SET status = 'VERIFIED', verified_at = ${row.createdAt}, next_check_at = NULL,
            version = version + 1 WHERE ${isAsAdded} RETURNING *`
        : sql`DELETE FROM domains WHERE ${isAsAdded} RETURNING *`,
      wholeRow(domains),
    ),
  );
  await batch.commit();
  if (!isOurs) throw takenElsewhere(row.domain);
  return written.first ?? getDomain(ctx, row.id);
}

function insertDomain(row: DomainRow): Statement {
  const { id, projectId, domain, status, records, version, createdAt, updatedAt } = row;
  return refusable(
    sql`INSERT INTO domains (id, project_id, domain, status, created_with, records, last_checked_at, verified_at, failing_since,
        next_check_at, version, created_at, updated_at)
      VALUES (${id}, ${projectId}, ${domain}, ${status}, ${row.createdWith}, ${JSON.stringify(records)}, ${row.lastCheckedAt},
        ${row.verifiedAt}, ${row.failingSince}, ${row.nextCheckAt}, ${version}, ${createdAt}, ${updatedAt})`,
    {
      on: { unique: "domains.project_id, domains.domain" },
      refuse: () => alreadyHere(domain),
    },
  );
}

export function alreadyHere(domain: string): Conflict {
  return new Conflict(`${domain} is already a domain of this project.`, {
    suggestion: "Use the existing domain, which GET /domains lists.",
  });
}

function countUnverified(ctx: Context): SQL {
  return sql`(SELECT count(*) FROM domains WHERE ${inProject(ctx)} AND status <> 'VERIFIED')`;
}

function tooMany(): Conflict {
  return new Conflict(`A project may have at most ${maxUnverified} domains that are not verified. Nothing was added.`, {
    suggestion: "Create the DNS records of the unverified domains, or remove domains that are no longer needed.",
  });
}

/**
 * Refuses a name that the project already has, and any name while the project has too many unverified ones. The batch
 * checks this again. Without this first check, a refused name would be in the provider's account, which all projects
 * share.
 */
async function refuseTooMany(ctx: Context, domain: string): Promise<void> {
  const found = await selectOne(
    ctx.db,
    sql`SELECT ${countUnverified(ctx)} AS unverified,
      EXISTS (SELECT 1 FROM domains WHERE ${inProject(ctx)} AND domain = ${domain}) AS is_here`,
    columns({ unverified: asNumber, isHere: asFlag }),
  );
  if (found.isHere) throw alreadyHere(domain);
  if (found.unverified >= maxUnverified) throw tooMany();
}

/**
 * Refuses a name that another project has verified, so that the provider need not be called. The verification itself
 * decides which project gets the name.
 */
async function refuseTaken(ctx: Context, domain: string): Promise<void> {
  const taken = await ctx.control
    .select({ domain: verifiedDomains.domain })
    .from(verifiedDomains)
    .where(and(eq(verifiedDomains.domain, domain), ne(verifiedDomains.projectId, ctx.project.number)))
    .get();
  if (taken) throw takenElsewhere(domain);
}

function newDomain(ctx: Context, domain: string, atProvider: RegisteredDomain): DomainRow {
  const now = ctx.now.getTime();
  const token = crypto.randomUUID().replaceAll("-", "");
  const ownership = ownershipRecord(domain, token, !isReservedDomain(domain));
  return {
    id: newIdAt(now),
    projectId: ctx.project.number,
    domain,
    createdWith: writeProviders(atProvider.newAt),
    status: "PENDING",
    records: [ownership, ...atProvider.records, dmarcRecord(domain)],
    lastCheckedAt: null,
    verifiedAt: null,
    failingSince: null,
    nextCheckAt: ctx.realClock().getTime(),
    version: 0,
    createdAt: now,
    updatedAt: now,
  };
}
