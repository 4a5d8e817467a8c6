import { sql } from "drizzle-orm";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import type { JobRuns } from "../../../engine/jobs/work";
import type { Context } from "../../../platform/context";

/** A step takes a second of CPU, after which other jobs get a turn, because only a few run at a time. */
export const preflightRuns: JobRuns = { stepsPerRun: 1, pauseSeconds };

/** The number of steps a second for all pre-flights of a database: half of the consumers stay free for other jobs. */
const stepsPerSecond = 2;
/** Shorter than the time after which a job counts as lost. */
const maxPauseSeconds = 120;

/**
 * Returns how long a pre-flight waits for its next step. The wait grows with the number of pre-flights of all projects;
 * a few do not wait at all.
 */
async function pauseSeconds({ db }: Context): Promise<number> {
  const { open } = await selectOne(
    db,
    sql`SELECT count(*) AS open FROM (SELECT 1 FROM jobs INDEXED BY ix_jobs_preflights
      WHERE type = 'campaigns.preflight' AND status IN ('queued', 'processing')
      LIMIT ${stepsPerSecond * maxPauseSeconds})`,
    columns({ open: asNumber }),
  );
  return Math.floor((open - 1) / stepsPerSecond);
}
