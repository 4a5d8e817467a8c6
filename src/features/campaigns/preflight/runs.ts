import { sql } from "drizzle-orm";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import type { JobRuns } from "../../../engine/jobs/work";
import type { Context } from "../../../platform/context";

/**
 * A run takes one step, which uses a second of CPU. Other jobs then get a turn, because only a few jobs run at a time.
 */
export const preflightRuns: JobRuns = { stepsPerRun: 1, pauseSeconds };

/**
 * The maximum number of steps per second of all pre-flights in a database. This leaves half of the consumers free for
 * other jobs.
 */
const stepsPerSecond = 2;
/** The longest wait between two steps. It is shorter than the time after which a job counts as lost. */
const maxPauseSeconds = 120;

/**
 * Returns how many seconds a pre-flight waits before its next step. The wait grows with the number of open pre-flights
 * of all projects, and is 0 when there are only one or two.
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
