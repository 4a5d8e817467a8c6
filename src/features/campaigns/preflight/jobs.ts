import { sql } from "drizzle-orm";
import type { MessageOf } from "../../../core/messages";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import { workOn } from "../../../engine/jobs/work";
import type { Context, Platform } from "../../../platform/context";
import { preflightStep } from "./step";

/** A step takes a second of CPU. Then other jobs get a turn, because only a few run at a time. */
const stepsPerRun = 1;

/** The number of steps a second for all pre-flights of a database: half of the consumers stay free for other jobs. */
const stepsPerSecond = 2;
/** Shorter than the time after which a job counts as lost. */
const maxPauseSeconds = 120;

/** `campaigns.preflight` */
export function preflightJob(platform: Platform, job: MessageOf<"campaigns.preflight">): Promise<void> {
  return workOn(platform, job, preflightStep, { stepsPerRun, pauseSeconds });
}

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
