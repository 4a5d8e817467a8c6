import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { openBatch } from "../../db/batch";
import { asText, columns } from "../../db/rows";
import { select, selectFirst, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { searchDatabases } from "../../platform/search-databases";
import { getDomain } from "./domain";
import { usesOfDomain } from "./in-use";
import { freeName, readClaim } from "./name";

/** How many of those that use a domain a refusal names. */
const maxNamed = 20;

/** Removes a domain that nothing uses. Its name is free again, for this project and every other. */
export async function removeDomain(ctx: Context, id: string): Promise<void> {
  const row = await getDomain(ctx, id);
  const { domain } = row;
  const claim = await readClaim(ctx, row);
  const batch = openBatch(ctx);
  const removed = batch.add(
    statement(
      sql`DELETE FROM domains WHERE id = ${id} AND project_id = ${ctx.project.id}
        AND NOT EXISTS (${usesOfDomain(ctx, domain)}) RETURNING id`,
      columns({ id: asText }),
    ),
  );
  await batch.commit();
  if (removed.count === 0) await refuse(ctx, id, domain);
  await freeName(ctx, domain, claim);
  await forgetAtProvider(ctx, domain);
}

const readUse = columns({ type: asText, id: asText, name: asText });

/** Either something uses the domain, or someone else has removed it meanwhile: then it is not found. */
async function refuse(ctx: Context, id: string, domain: string): Promise<never> {
  await getDomain(ctx, id);
  const usedBy = await select(ctx.db, sql`${usesOfDomain(ctx, domain)} LIMIT ${maxNamed}`, readUse);
  throw new Conflict(`${domain} is still the sender of something in this project.`, {
    suggestion: "Give what is listed in details.usedBy another sender, or delete it, and try again.",
    details: { domain, usedBy },
  });
}

/**
 * The provider's account is shared, so a name goes only with its last project. Should another project add it just now,
 * its next check registers it again. What fails here leaves a name behind that does no harm.
 */
async function forgetAtProvider(ctx: Context, domain: string): Promise<void> {
  try {
    const other = await searchDatabases(ctx, (db) =>
      selectFirst(db, sql`SELECT id FROM domains WHERE domain = ${domain} LIMIT 1`, columns({ id: asText })),
    );
    if (other === null) await ctx.mailer.removeDomain(domain);
  } catch (error) {
    ctx.log("warn", "A removed domain is still known to the mail provider", { reason: reasonOf(error) });
  }
}
