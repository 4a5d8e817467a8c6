import { sql } from "drizzle-orm";
import type { MessageOf } from "../../../core/messages";
import { asNumber, columns } from "../../../db/rows";
import { selectOne } from "../../../db/statement";
import { workOn } from "../../../engine/jobs/work";
import type { Context, Platform } from "../../../platform/context";
import { preflightStep } from "./step";

/** A second of CPU. Then other jobs have a turn, of which only a few are at work at a time. */
const stepsPerRun = 1;

/** All pre-flights of a database have so many turns a second: half of the consumers stay free for other jobs. */
const turnsPerSecond = 2;
/** Shorter than the time after which a job counts as lost. */
const maxPauseSeconds = 120;

/** `campaigns.preflight` */
export function preflightJob(platform: Platform, job: MessageOf<"campaigns.preflight">): Promise<void> {
  return workOn(platform, job, preflightStep, { stepsPerRun, pauseSeconds });
}

/** The more there are, of all projects, the longer each waits for its next turn; a few wait for nothing. */
async function pauseSeconds({ db }: Context): Promise<number> {
  const { open } = await selectOne(
    db,
    sql`SELECT count(*) AS open FROM (SELECT 1 FROM jobs INDEXED BY ix_jobs_preflights
      WHERE type = 'campaigns.preflight' AND status IN ('queued', 'processing')
      LIMIT ${turnsPerSecond * maxPauseSeconds})`,
    columns({ open: asNumber }),
  );
  return Math.floor((open - 1) / turnsPerSecond);
}
