import { sql } from "drizzle-orm";
import { allRequiredFound, matchRecords, needsDns } from "../../core/domains/match";
import { afterCheck, type CheckedDomain } from "../../core/domains/outcome";
import type { DnsRecord } from "../../core/domains/records";
import { Unavailable } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { type DomainRow, domains } from "../../db/tables";
import type { Context } from "../../platform/context";
import { inspectDomain, readProviders, writeProviders } from "../../platform/mailer/registrar";
import { getDomain } from "./domain";
import { claimName, freeName, readClaim, takenElsewhere } from "./name";
import { askProvider } from "./provider";

/**
 * Checks a domain's records now and stores the result. Throws Unavailable, without a change, when DNS or the provider
 * gives no answer. Throws Conflict when the name is verified in another project; the domain then stays PENDING.
 *
 * Two checks may run at once, and a domain may be removed during one. Each check writes only if the version that it
 * read is unchanged; the later one has nothing to add, and returns the current row.
 */
export async function checkDomain(ctx: Context, id: Id): Promise<DomainRow> {
  const before = await getDomain(ctx, id);
  const { records, passes } = await inspect(ctx, before);
  const now = ctx.realClock().getTime();
  const after = afterCheck(before, passes, now);
  if (after.status === "VERIFIED" && before.status !== "VERIFIED" && !(await claimName(ctx, before))) {
    // Stores the result of the check even when the name is taken.
    await updateChecked(ctx, before, records, afterCheck(before, false, now), now);
    throw takenElsewhere(before.domain);
  }
  const endsVerification = before.status === "VERIFIED" && after.status !== "VERIFIED";
  const claim = endsVerification ? await readClaim(ctx, before) : null;
  const written = await updateChecked(ctx, before, records, after, now);
  if (written) await freeName(ctx, before.domain, claim);
  return written ?? getDomain(ctx, id);
}

async function inspect(ctx: Context, before: DomainRow): Promise<{ records: DnsRecord[]; passes: boolean }> {
  const atProvider = await askProvider(ctx, () => inspectDomain(ctx.accounts, before.domain));
  await noteNew(ctx, before, atProvider.newAt);
  const ours = (purpose: DnsRecord["purpose"]) => before.records.filter((record) => record.purpose === purpose);
  const wanted = [...ours("OWNERSHIP"), ...atProvider.records, ...ours("DMARC")];
  const records = needsDns(wanted) ? await lookUp(ctx, wanted) : wanted;
  return { records, passes: atProvider.verified && allRequiredFound(records) };
}

/**
 * Stores at once that the name was registered again, because the rest of the check can still fail or lose to a
 * concurrent check. A name must be registered again when another project has removed it from an account, or when the
 * installation has changed its providers.
 */
async function noteNew(ctx: Context, { projectId, id, createdWith }: DomainRow, newAt: string[]): Promise<void> {
  if (newAt.length === 0) return;
  const written = writeProviders([...readProviders(createdWith), ...newAt]);
  const batch = openBatch(ctx);
  batch.add(
    statement(sql`UPDATE domains SET created_with = ${written} WHERE project_id = ${projectId} AND id = ${id}`),
  );
  await batch.commit();
}

/** Runs one lookup for each name and type. A failed lookup of an optional record must not delay the domain. */
async function lookUp(ctx: Context, records: DnsRecord[]): Promise<DnsRecord[]> {
  const groups = Map.groupBy(records, questionOf);
  const answers = await Promise.all(
    [...groups].map(async ([question, [record, ...others]]): Promise<[string, string[] | null]> => {
      if (!record) return [question, null];
      try {
        return [question, await ctx.dns.lookupUncached(record.name, record.type)];
      } catch (error) {
        const isAdvice = [record, ...others].every(({ required }) => !required);
        if (error instanceof Unavailable && isAdvice) return [question, null];
        throw error;
      }
    }),
  );
  const known = new Map(answers);
  return matchRecords(records, (record) => known.get(questionOf(record)) ?? null);
}

function questionOf({ type, name }: DnsRecord): string {
  return `${type} ${name}`;
}

/** Stores the result of a check. If the row has changed since it was read, writes nothing and returns undefined. */
async function updateChecked(
  ctx: Context,
  before: DomainRow,
  records: DnsRecord[],
  after: CheckedDomain,
  now: number,
): Promise<DomainRow | undefined> {
  const { id, projectId, version } = before;
  const written = JSON.stringify(records);
  const isChanged = after.status !== before.status || written !== JSON.stringify(before.records);
  const isSettled = after.status === "VERIFIED" && !needsDns(records);
  const batch = openBatch(ctx);
  // A second run finds that the first has changed the row, and writes nothing. The caller then reads the row, and the
  // sweep frees a name whose row is not verified.
  batch.mayRepeat();
  const updated = batch.add(
    statement(
      sql`UPDATE domains SET status = ${after.status}, records = ${written}, verified_at = ${after.verifiedAt},
          failing_since = ${after.failingSince}, next_check_at = ${isSettled ? null : after.nextCheckAt},
          last_checked_at = ${now}, updated_at = ${isChanged ? now : before.updatedAt}, version = version + 1
        WHERE project_id = ${projectId} AND id = ${id} AND version = ${version} RETURNING *`,
      wholeRow(domains),
    ),
  );
  await batch.commit();
  return updated.first;
}
