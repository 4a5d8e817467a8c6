import { sql } from "drizzle-orm";
import { dayMs, iso } from "../../../core/time";
import { asNumber, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { type AttentionCheck, maxItems, shownDays } from "../check";

/** The maximum number of jobs that are counted. */
const maxCounted = 1_000;

/** Counts background jobs that failed within the last `shownDays` days, by type. */
export const checkJobs: AttentionCheck = (ctx, batch) => {
  // Jobs are timed by the real clock, even in projects with a test clock.
  const from = ctx.realClock().getTime() - shownDays * dayMs;
  const failed = batch.add(
    statement(
      sql`SELECT type, count(*) AS count, min(completed_at) AS since FROM (
          SELECT type, completed_at FROM jobs INDEXED BY ix_jobs_failed
          WHERE ${inProject(ctx)} AND status = 'failed' AND completed_at >= ${from}
          ORDER BY completed_at DESC LIMIT ${maxCounted})
        GROUP BY type LIMIT ${maxItems}`,
      columns({ type: asText, count: asNumber, since: asNumber }),
    ),
  );
  return () =>
    failed.all.map(({ type, count, since }) => ({
      code: "jobs_failed",
      severity: "warn",
      message: `${count === 1 ? "1 job" : `${count} jobs`} of the type ${type} failed within the last ${shownDays} days.`,
      count,
      since: iso(since),
      target: null,
      action: {
        text: "Read the errors of these jobs, and start those again that are still needed.",
        method: "GET",
        path: `/jobs?status=failed&type=${type}`,
      },
    }));
};
