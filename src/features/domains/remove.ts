import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isDeleted } from "../../db/own-rows";
import { asId, asNumber, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, selectFirst, statement } from "../../db/statement";
import { recordChange } from "../../engine/audit/record-change";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { accountNamed } from "../../platform/mailer/accounts";
import { readProviders, unregisterDomain, writeProviders } from "../../platform/mailer/registrar";
import { searchDatabases } from "../../platform/search-databases";
import { auditedDomain } from "./audited";
import { getDomain } from "./domain";
import { usesOfDomain } from "./in-use";
import { freeName, readClaim } from "./name";

/** The maximum number of uses of a domain that a refusal lists. */
const maxNamed = 20;

/** Removes an unused domain. Any project can then verify its name. */
export async function removeDomain(ctx: Context, id: Id): Promise<void> {
  const row = await getDomain(ctx, id);
  const { domain } = row;
  const claim = await readClaim(ctx, row);
  const batch = openBatch(ctx);
  batch.recognise(isDeleted("domains", ctx, id));
  recordChange(batch, ctx, auditedDomain(ctx, id));
  const removed = batch.add(
    statement(
      sql`DELETE FROM domains WHERE ${inProject(ctx)} AND id = ${id}
        AND NOT EXISTS (${usesOfDomain(ctx, domain)}) RETURNING domain, created_with`,
      readRemoved,
      { again: sql`SELECT ${domain} AS domain, ${row.createdWith} AS created_with` },
    ),
  );
  await batch.commit();
  if (removed.count === 0) await refuse(ctx, id, domain);
  await freeName(ctx, domain, claim);
  await forgetAtProvider(ctx, removed.first);
}

const readRemoved = columns({ domain: asText, createdWith: orNull(asText) });

const readUse = columns({ type: asText, id: asId, name: asText });

/** Explains why nothing was removed: the domain is in use, or it no longer exists. */
async function refuse(ctx: Context, id: Id, domain: string): Promise<never> {
  await getDomain(ctx, id);
  const uses = await select(ctx.db, sql`${usesOfDomain(ctx, domain)} LIMIT ${maxNamed}`, readUse);
  const usedBy = uses.map((use) => ({ ...use, id: publicId(use.id) }));
  throw domainInUse(domain, usedBy);
}

export function domainInUse(domain: string, usedBy: { type: string; id: string; name: string }[]): Conflict {
  return new Conflict(`${domain} is still used as a sender domain in this project.`, {
    suggestion:
      "Change the sender of each template in details.usedBy, or delete it, cancel each scheduled email with DELETE /emails/{id} and each campaign with POST /campaigns/{id}/cancel, and try again.",
    details: { domain, usedBy },
  });
}

/**
 * Removes a name from the accounts of the providers where we created it. The accounts are shared, so a name stays while
 * another project has it. The row of that project then records that we created the name. If another project adds the
 * name at this moment, the next check of that project registers the name again. A failure here leaves a harmless name
 * in the account.
 */
async function forgetAtProvider(ctx: Context, removed: ReturnType<typeof readRemoved> | undefined): Promise<void> {
  if (removed === undefined) return;
  const { domain } = removed;
  const ours = readProviders(removed.createdWith).filter((name) => accountNamed(ctx.accounts, name) !== null);
  if (ours.length === 0) return;
  try {
    const other = await searchDatabases(ctx, async (db) => {
      const row = await selectFirst(
        db,
        sql`SELECT project_id, id, created_with FROM domains INDEXED BY ix_domains_name WHERE domain = ${domain} LIMIT 1`,
        columns({ projectId: asNumber, id: asId, createdWith: orNull(asText) }),
      );
      return row && { db, ...row };
    });
    if (other === null) return await unregisterDomain(ctx.accounts, domain, ours);
    const batch = openBatch(ctx, other.db);
    batch.add(
      statement(
        sql`UPDATE domains SET created_with = ${writeProviders([...readProviders(other.createdWith), ...ours])}
          WHERE project_id = ${other.projectId} AND id = ${other.id}`,
      ),
    );
    await batch.commit();
  } catch (error) {
    ctx.log("warn", "A removed domain is still known to the mail provider", { reason: reasonOf(error) });
  }
}
