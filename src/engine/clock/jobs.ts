import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { JobType } from "../../core/messages";
import { asId, asOneOf, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";
import type { Timed } from "./timed";

const jobsAtOnce = 20;

/** Jobs that calls or sweeps started: imports, segment computations, erasures. `run` executes one run of a job. */
export function timedJobs(run: (ctx: Context, job: { type: JobType; jobId: Id }) => Promise<void>): Timed {
  return {
    name: "jobs",
    isDue: (ctx) => sql`EXISTS (SELECT 1 ${open(ctx)})`,
    async settle(ctx) {
      const jobs = await select(
        ctx.db,
        sql`SELECT id AS job_id, type ${open(ctx)} ORDER BY id LIMIT ${jobsAtOnce}`,
        columns({ jobId: asId, type: asOneOf<JobType>() }),
      );
      for (const job of jobs) await run(ctx, job);
    },
  };
}

/** Excludes the job that advances the clock. */
function open({ project }: Context): SQL {
  return sql`FROM jobs INDEXED BY ix_jobs_open
    WHERE project_id = ${project.number} AND status IN ('queued', 'processing') AND type <> 'project.advance'`;
}
