import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, asText, columns } from "../../db/rows";
import { select, selectFirst, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { searchDatabases } from "../../platform/search-databases";
import { getDomain } from "./domain";
import { usesOfDomain } from "./in-use";
import { freeName, readClaim } from "./name";

/** How many uses of a domain a refusal lists. */
const maxNamed = 20;

/** Removes an unused domain. This and every other project may then verify its name. */
export async function removeDomain(ctx: Context, id: Id): Promise<void> {
  const row = await getDomain(ctx, id);
  const { domain } = row;
  const claim = await readClaim(ctx, row);
  const batch = openBatch(ctx);
  const removed = batch.add(
    statement(
      sql`DELETE FROM domains WHERE project_id = ${ctx.project.number} AND id = ${id}
        AND NOT EXISTS (${usesOfDomain(ctx, domain)}) RETURNING id`,
      columns({ id: asId }),
    ),
  );
  await batch.commit();
  if (removed.count === 0) await refuse(ctx, id, domain);
  await freeName(ctx, domain, claim);
  await forgetAtProvider(ctx, domain);
}

const readUse = columns({ type: asText, id: asId, name: asText });

/** Either the domain is in use, or it was removed meanwhile and is not found. */
async function refuse(ctx: Context, id: Id, domain: string): Promise<never> {
  await getDomain(ctx, id);
  const uses = await select(ctx.db, sql`${usesOfDomain(ctx, domain)} LIMIT ${maxNamed}`, readUse);
  const usedBy = uses.map((use) => ({ ...use, id: publicId(use.id) }));
  throw new Conflict(`${domain} is still used as a sender domain in this project.`, {
    suggestion: "Change the sender of each item in details.usedBy, or delete the item, and try again.",
    details: { domain, usedBy },
  });
}

/**
 * The provider's account is shared, so the provider forgets a name only with its last project. If another project adds
 * it at this moment, its next check registers it again. A failure here leaves a harmless name behind.
 */
async function forgetAtProvider(ctx: Context, domain: string): Promise<void> {
  try {
    const other = await searchDatabases(ctx, (db) =>
      selectFirst(
        db,
        sql`SELECT id FROM domains INDEXED BY ix_domains_name WHERE domain = ${domain} LIMIT 1`,
        columns({ id: asId }),
      ),
    );
    if (other === null) await ctx.mailer.removeDomain(domain);
  } catch (error) {
    ctx.log("warn", "A removed domain is still known to the mail provider", { reason: reasonOf(error) });
  }
}
