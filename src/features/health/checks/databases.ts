import { counted, someOf } from "../../../core/operating/counted";
import { fillingShare, fullAt, isAlmostFull, maxDatabaseBytes, type NotedSize } from "../../../core/operating/fullness";
import { fail, ok, warn } from "../../../core/operating/health-finding";
import { dayMs, iso } from "../../../core/time";
import { latestMigration } from "../../../db/latest-migration";
import { appliedMigration } from "../../../engine/operating/applied-migration";
import { databaseSize } from "../../../engine/operating/database-size";
import { readNotedSizes } from "../../../engine/operating/noted-sizes";
import type { HealthCheck } from "../look";

/** Checks that each database has the tables that this version needs. */
export const migrations: HealthCheck = {
  name: "migrations",
  async examine({ platform }) {
    const levels = await Promise.all(
      platform.shards.map(async (shard) => ({ shard, level: await appliedMigration(platform.databaseOf(shard)) })),
    );
    const behind = levels.filter(({ level }) => level === null || level < latestMigration);
    const ahead = levels.filter(({ level }) => level !== null && level > latestMigration);
    const detail = someOf(levels.map(({ shard, level }) => `${shard}: ${level ?? "no migration"}`));
    if (behind.length > 0) {
      return fail(
        `${counted(behind.length, "database")} without the tables of this version, which needs the migration ` +
          `${latestMigration}.`,
        {
          detail,
          mend: "Run `npm run deploy`, which applies the migrations before it uploads the code.",
        },
      );
    }
    if (ahead.length > 0) {
      return warn(`${counted(ahead.length, "database")} with migrations of a later version.`, {
        detail,
        mend: "Deploy the later version again, or keep this one: migrations only add, so it still works.",
      });
    }
    return ok("Each database has the tables of this version.", detail);
  },
};

const soonMs = 30 * dayMs;

/** Checks how full each database is, and predicts when it will be full. */
export const databaseSizes: HealthCheck = {
  name: "database_sizes",
  async examine({ platform, now }) {
    const [notes, sizes] = await Promise.all([
      readNotedSizes(platform),
      Promise.all(
        platform.shards.map(async (shard) => ({ shard, bytes: await databaseSize(platform.databaseOf(shard)) })),
      ),
    ]);
    const seen = sizes.map(({ shard, bytes }) => {
      const size: NotedSize = { notedAt: now, bytes };
      const earlier = notes.filter((note) => note.shard === shard);
      return { shard, share: bytes / maxDatabaseBytes, bytes, fullAt: fullAt(earlier, size) };
    });
    const detail = someOf(seen.toSorted((a, b) => b.share - a.share).map(describeSize));
    const mend = "Add a database (docs/deploying.md, A second database): new projects go to the emptiest one.";
    const full = seen.filter(({ bytes }) => isAlmostFull(bytes));
    if (full.length > 0) {
      return fail(`${counted(full.length, "database")} almost full, and without room for new projects.`, {
        detail,
        mend,
      });
    }
    const filling = seen.filter(({ share, fullAt }) => share >= fillingShare || (fullAt ?? Infinity) < now + soonMs);
    if (filling.length > 0) return warn(`${counted(filling.length, "database")} full soon.`, { detail, mend });
    return ok("Each database has free space.", detail);
  },
};

function describeSize({
  shard,
  share,
  bytes,
  fullAt,
}: {
  shard: string;
  share: number;
  bytes: number;
  fullAt: number | null;
}) {
  const day = fullAt === null ? "" : `, full on ${iso(fullAt).slice(0, 10)}`;
  return `${shard}: ${(bytes / 1_000_000).toFixed(1)} MB, ${(share * 100).toFixed(1)} % of 10 GB${day}`;
}
