import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { newIdAt } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asText, columns } from "../../db/rows";
import { selectFirst, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";

// A name is verified in only one project of the installation. The row of `verified_domains` with this name records
// which one. That table is in the control database, and the domain's own row is in the project's database, so no batch
// can write both. The order of the writes keeps the name unique instead: a name is claimed before its row becomes
// VERIFIED, and freed after the row stops being VERIFIED. A crash in between leaves an unused claim, which
// `repairDomainNames` frees.
//
// A row may be verified again before the call that ended its verification frees the name. Each claim therefore has its
// own id, and a call frees only the claim that it read before it wrote the row. Every write of a row requires the
// version that was read before the claim. A call that verifies the row again has therefore claimed the name later, with
// another id.

interface DomainName {
  domain: string;
  projectId: number;
}

/** Claims a name, before the row becomes VERIFIED. Returns false when another project has the name. */
export async function claimName(platform: Platform, { domain, projectId }: DomainName): Promise<boolean> {
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  const held = batch.add(
    statement(
      sql`INSERT INTO verified_domains (domain, project_id, claim)
        VALUES (${domain}, ${projectId}, ${newIdAt(platform.realClock().getTime())})
        ON CONFLICT (domain) DO UPDATE SET claim = excluded.claim WHERE project_id = excluded.project_id
        RETURNING domain`,
      columns({ domain: asText }),
    ),
  );
  await batch.commit();
  return held.count > 0;
}

/** Reads the claim, before the row stops being VERIFIED. `freeName` needs it afterwards. */
export async function readClaim({ control }: Platform, { domain, projectId }: DomainName): Promise<string | null> {
  const held = await selectFirst(
    control,
    sql`SELECT claim FROM verified_domains WHERE domain = ${domain} AND project_id = ${projectId}`,
    columns({ claim: asText }),
  );
  return held?.claim ?? null;
}

/** Frees a name, after the row has stopped being VERIFIED. If this fails, the sweep does it later. */
export async function freeName(platform: Platform, domain: string, claim: string | null): Promise<void> {
  if (claim === null) return;
  try {
    await freeNames(platform, [{ domain, claim }]);
  } catch (error) {
    platform.log("error", "A domain's name could not be freed; the sweep will", { domain, reason: reasonOf(error) });
  }
}

/**
 * Frees names by their claims, and returns how many. A name that was claimed again in the meantime keeps its new claim.
 */
export async function freeNames(platform: Platform, claims: { domain: string; claim: string }[]): Promise<number> {
  const batch = openBatch(platform, platform.control);
  const freed = batch.add(
    statement(
      sql`DELETE FROM verified_domains WHERE (domain, claim) IN
          (SELECT value->>'domain', value->>'claim' FROM json_each(${JSON.stringify(claims)}))
        RETURNING domain`,
      columns({ domain: asText }),
    ),
  );
  await batch.commit();
  return freed.count;
}

export function takenElsewhere(domain: string): Conflict {
  return new Conflict(`${domain} is already verified in another project.`, {
    suggestion: "Remove the domain from the other project first, or use a subdomain.",
  });
}
