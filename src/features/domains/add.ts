import { isReservedDomain, ownershipRecord, senderDomain } from "../../core/domains/records";
import { Conflict, Invalid, NotFound } from "../../core/errors";
import { newId } from "../../core/ids";
import { commit, statement } from "../../db/commit";
import { isUniqueViolation } from "../../db/conflicts";
import { domains, verifiedDomains } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { DomainRow } from "./domain";
import type { AddDomain } from "./schema";

/**
 * Registers a domain with the mail provider and here. One that the provider vouches for at once is verified at once;
 * a name can be verified in one project of the installation only, which the control table's key decides.
 */
export async function addDomain(ctx: Context, input: AddDomain): Promise<DomainRow> {
  if (input.projectId && input.projectId !== ctx.project.id) throw new NotFound("project", input.projectId);
  const domain = senderDomain(input.domain);
  if (domain === null) {
    throw new Invalid([
      { field: "domain", code: "invalid_string", message: "Must be a registrable host name such as acme.com" },
    ]);
  }
  const atProvider = await ctx.mailer.addDomain(domain);
  const row = newDomain(ctx, domain, atProvider);
  const { db } = ctx;
  const isVerified = row.status === "VERIFIED";
  try {
    await commit(db, [
      statement(db, db.insert(domains).values(row)),
      ...(isVerified ? [statement(db, db.insert(verifiedDomains).values({ domain, projectId: ctx.project.id }))] : []),
    ]);
  } catch (error) {
    if (isUniqueViolation(error, "domains.project_id, domains.domain")) {
      throw new Conflict(`${domain} is already a domain of this project.`, {
        suggestion: "List it with GET /domains/project/{projectId}.",
      });
    }
    if (isUniqueViolation(error, "verified_domains.domain")) {
      throw new Conflict(`${domain} is already verified in another project.`, {
        suggestion: "Remove it there first, or use a subdomain.",
      });
    }
    throw error;
  }
  return row;
}

function newDomain(
  ctx: Context,
  domain: string,
  provider: Awaited<ReturnType<Context["mailer"]["addDomain"]>>,
): DomainRow {
  const now = ctx.now.getTime();
  const token = crypto.randomUUID().replaceAll("-", "");
  return {
    id: newId(),
    projectId: ctx.project.id,
    domain,
    status: provider.verified ? "VERIFIED" : "PENDING",
    records: [ownershipRecord(domain, token, !isReservedDomain(domain)), ...provider.records],
    lastCheckedAt: null,
    verifiedAt: provider.verified ? now : null,
    createdAt: now,
    updatedAt: now,
  };
}
