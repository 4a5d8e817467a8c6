import { sql } from "drizzle-orm";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import type { JobRuns } from "../../../engine/jobs/work";
import type { Context } from "../../../platform/context";

/** A step takes a second of CPU. Other jobs then get a turn, because only a few jobs run at a time. */
export const preflightRuns: JobRuns = { stepsPerRun: 1, pauseSeconds };

/** The most steps per second of all pre-flights of a database. They leave half of the consumers free for other jobs. */
const stepsPerSecond = 2;
/** The longest wait between two steps. It is shorter than the time after which a job counts as lost. */
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
