import { sql } from "drizzle-orm";
import { firstIdAt, textOf } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import { asFlag, asId, asNumber, asText, columns, orNull } from "../../db/rows";
import { select, statement } from "../../db/statement";
import { whereaboutsByNumber } from "../../engine/projects/whereabouts";
import type { Platform } from "../../platform/context";
import { maxSweptRows, openParts, readCursor, storeCursor } from "../../platform/sweep";
import { claimName, freeNames } from "./name";

/**
 * Claims that are younger than this are left alone, because a call writes its row within seconds after it has claimed
 * the name.
 */
const claimGraceMs = 10 * minuteMs;

const sweepName = "domain-names";

/**
 * The cursors of the sweep: one over all names, and one over the domains of each database. Where a cursor is missing,
 * the sweep starts from the beginning.
 */
interface SweepCursors {
  names?: string | undefined;
  [shard: string]: string | undefined;
}

/**
 * Repairs the traces of calls that crashed between writing the name of a domain and its row (see `name.ts`). Each tick
 * handles one page of names, and one page of each database's domains.
 */
export async function repairDomainNames(platform: Platform): Promise<void> {
  const before = (await readCursor(platform, sweepName)) || "{}";
  const cursors: SweepCursors = JSON.parse(before);
  const parts = openParts();
  await parts.run(() => freeIdleNames(platform, cursors));
  for (const shard of platform.shards) await parts.run(() => claimMissingNames(platform, shard, cursors));
  const after = JSON.stringify(cursors);
  if (after !== before) await storeCursor(platform, sweepName, after);
  parts.end();
}

const readClaim = columns({
  domain: asText,
  projectId: asNumber,
  claim: asText,
  shard: orNull(asText),
  isMoving: asFlag,
});
type Claim = ReturnType<typeof readClaim>;

/** Frees names whose domain has no verified row. */
async function freeIdleNames(platform: Platform, cursors: SweepCursors): Promise<void> {
  const page = await select(
    platform.control,
    sql`SELECT v.domain, v.project_id, v.claim, p.shard,
        p.move IS NOT NULL AS is_moving FROM verified_domains v LEFT JOIN projects p ON p.number = v.project_id
      WHERE v.domain > ${cursors.names ?? ""} ORDER BY v.domain LIMIT ${maxSweptRows}`,
    readClaim,
  );
  cursors.names = nextCursor(page.map(({ domain }) => domain));
  const before = firstIdAt(platform.now.getTime() - claimGraceMs);
  // The rows of a project that is moving cannot be written at some moments, so its claims are left to a later tick.
  const old = page.filter(({ claim, isMoving }) => claim < textOf(before) && !isMoving);
  const parts = openParts();
  for (const [shard, claims] of Map.groupBy(old, (each) => each.shard)) {
    await parts.run(async () => {
      const idle = shard === null ? claims : await endClaims(platform, shard, claims);
      const names = idle.length > 0 ? await freeNames(platform, idle) : 0;
      if (names > 0) platform.log("info", "Unused claims to domain names were freed", { names });
    });
  }
  parts.end();
}

/**
 * Returns the claims that have no verified row. First changes the version of the unverified rows, so that a slow call
 * cannot verify a row whose name has been freed.
 */
async function endClaims(platform: Platform, shard: string, claims: Claim[]): Promise<Claim[]> {
  const each = sql`json_each(${JSON.stringify(claims)}) r`;
  const isClaimed = sql`d.project_id = r.value->>'projectId' AND d.domain = r.value->>'domain'`;
  const batch = openBatch(platform, platform.databaseOf(shard));
  batch.add(
    statement(
      sql`UPDATE domains AS d SET version = version + 1 FROM ${each} WHERE ${isClaimed} AND d.status <> 'VERIFIED'`,
    ),
  );
  const verified = batch.add(
    statement(
      sql`SELECT d.domain FROM ${each} CROSS JOIN domains d ON ${isClaimed} WHERE d.status = 'VERIFIED'`,
      columns({ domain: asText }),
    ),
  );
  await batch.commit();
  const isVerified = new Set(verified.all.map(({ domain }) => domain));
  return claims.filter(({ domain }) => !isVerified.has(domain));
}

const readDomain = columns({
  id: asId,
  projectId: asNumber,
  domain: asText,
  isVerified: asFlag,
  version: asNumber,
});
type CheckedRow = ReturnType<typeof readDomain>;

/**
 * Claims the names of verified rows without a claim. No call leaves such a row, but a restored database may contain
 * some.
 */
async function claimMissingNames(platform: Platform, shard: string, cursors: SweepCursors): Promise<void> {
  const from: [number, string] = JSON.parse(cursors[shard] ?? '[0, ""]');
  const page = await select(
    platform.databaseOf(shard),
    sql`SELECT id, project_id, domain, status = 'VERIFIED' AS is_verified, version FROM domains
      WHERE (project_id, id) > (${from[0]}, ${from[1]}) AND ${isAtHome()} ORDER BY project_id, id LIMIT ${maxSweptRows}`,
    readDomain,
  );
  cursors[shard] = nextCursor(page.map(({ projectId, id }) => JSON.stringify([projectId, id])));
  const verified = page.filter(({ isVerified }) => isVerified);
  for (const row of verified.length > 0 ? await findNameless(platform, verified) : []) {
    if (!platform.spent.hasLeft()) {
      cursors[shard] = JSON.stringify(from);
      return;
    }
    const { domain, projectId } = row;
    if (!(await claimName(platform, row))) await endVerification(platform, shard, row);
    platform.log("warn", "A verified domain had no claim to its name", { domain, projectId });
  }
}

async function findNameless(platform: Platform, rows: CheckedRow[]): Promise<CheckedRow[]> {
  const names = await select(
    platform.control,
    sql`SELECT domain, project_id FROM verified_domains
      WHERE domain IN (SELECT value FROM json_each(${JSON.stringify(rows.map(({ domain }) => domain))}))`,
    columns({ domain: asText, projectId: asNumber }),
  );
  const ownerOf = new Map(names.map(({ domain, projectId }) => [domain, projectId]));
  const nameless = rows.filter(({ domain, projectId }) => ownerOf.get(domain) !== projectId);
  const ids = nameless.map(({ projectId }) => projectId);
  const projects = await whereaboutsByNumber(platform, ids);
  return nameless.filter(({ projectId }) => projects.get(projectId)?.isEnding === false);
}

/**
 * Ends a verification when another project has the name. The row becomes due, and the next check of the domain reports
 * the conflict.
 */
async function endVerification(platform: Platform, shard: string, row: CheckedRow): Promise<void> {
  const now = platform.now.getTime();
  const batch = openBatch(platform, platform.databaseOf(shard));
  batch.add(
    statement(
      sql`UPDATE domains SET status = 'PENDING', verified_at = NULL, failing_since = NULL, next_check_at = ${now},
          updated_at = ${now}, version = version + 1
        WHERE project_id = ${row.projectId} AND id = ${row.id} AND version = ${row.version}`,
    ),
  );
  await batch.commit();
}

/**
 * Returns the cursor of the next page. Undefined after the last page: the next tick then starts from the beginning, and
 * only then repeats a page whose repair failed.
 */
function nextCursor(page: string[]): string | undefined {
  return page.length < maxSweptRows ? undefined : page.at(-1);
}
