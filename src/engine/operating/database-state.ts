import { type SQL, sql } from "drizzle-orm";
import type { Priority } from "../../core/mail/priority";
import { dayMs, hourMs, minuteMs } from "../../core/time";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import { hopProjects } from "../../db/hop-projects";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, asOneOf, asPriority, asText, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";

/** The maximum number of rows that one count reads. A larger count is reported as this number. */
export const mostCounted = 4_000;
const mostProjects = 5_000;
const mostDomains = 100;

/** How long work may be due before it counts as overdue. The sweeps run every minute. */
const behindMs = 5 * minuteMs;

/** Mail that failed or has an unknown outcome, and jobs that failed or keep failing. */
export type Trouble = "mail" | "jobs";
const mostTroubled = 20;

/** The state of the installation, read from one database. */
export interface DatabaseState {
  shard: string;
  /**
   * For each priority: the number of projects with due mail, and the time at which the oldest of that mail became due.
   */
  waitingMail: { priority: Priority; projects: number; oldest: number }[];
  /** The number of emails of the last hour that failed or have an unknown outcome. */
  failedMail: number;
  unknownMail: number;
  /** The number of failed jobs among the newest jobs of the last day. */
  failedJobs: number;
  /** The number of open jobs whose runs keep failing. */
  failingJobs: number;
  /** The projects with the most mail or jobs in trouble. `project` is the project's number. */
  troubled: { what: Trouble; project: number; count: number }[];
  failingDomains: { domain: string; failingSince: number }[];
  /** The number of executions that are due but that no shard has moved. */
  overdueExecutions: number;
  /** The number of events that are due but have not reached their listeners. */
  overdueEvents: number;
}

/** Reads the state of one database in one round trip. */
export async function databaseState(platform: Platform, shard: string): Promise<DatabaseState> {
  const now = platform.realClock().getTime();
  const batch = openBatch(platform, platform.databaseOf(shard));
  const due = sql`FROM emails INDEXED BY ix_emails_due WHERE clock = 0 AND due_at IS NOT NULL`;
  const waiting = batch.add(
    statement(
      sql`${hopProjects(due, { limit: mostProjects })}
        SELECT priority, count(*) AS projects, min(oldest) AS oldest FROM (
          SELECT p.value AS priority, (SELECT min(due_at) FROM emails INDEXED BY ix_emails_due
            WHERE clock = 0 AND project_id = project AND priority = p.value AND due_at IS NOT NULL) AS oldest
          FROM hop CROSS JOIN json_each('[0,1,2]') p WHERE project IS NOT NULL AND ${isAtHome(sql`project`)})
        WHERE oldest <= ${now} GROUP BY priority`,
      columns({ priority: asPriority, projects: asNumber, oldest: asNumber }),
    ),
  );
  const since = now - hourMs;
  const ended = (status: string) => sql`SELECT project_id FROM emails INDEXED BY ix_emails_failed_at
    WHERE clock = 0 AND status IN ('FAILED', 'UNKNOWN') AND coalesce(ended_at, handed_at) > ${since}
      AND status = ${status} AND ${isAtHome()}`;
  const endedJobs = sql`SELECT status, project_id FROM jobs INDEXED BY ix_jobs_ended
    WHERE completed_at IS NOT NULL AND completed_at > ${now - dayMs} AND ${isAtHome()} ORDER BY completed_at DESC LIMIT ${mostCounted}`;
  const openJobs = sql`SELECT failing_since, project_id FROM jobs INDEXED BY ix_jobs_open
    WHERE status IN ('queued', 'processing') AND (type = 'project.move' OR ${isAtHome()}) LIMIT ${mostCounted}`;
  const failedJobs = sql`SELECT project_id FROM (${endedJobs}) WHERE status = 'failed'`;
  const failingJobs = sql`SELECT project_id FROM (${openJobs}) WHERE failing_since <= ${since}`;
  const counts = batch.add(
    statement(
      sql`SELECT ${countOf(ended("FAILED"))} AS failed_mail, ${countOf(ended("UNKNOWN"))} AS unknown_mail,
        ${countOf(failedJobs)} AS failed_jobs,
        ${countOf(failingJobs)} AS failing_jobs,
        ${countOf(overdueExecutions(now - behindMs))} AS overdue_executions,
        ${countOf(sql`SELECT 1 FROM (SELECT project_id FROM events INDEXED BY ix_events_waiting
          WHERE next_announce_at IS NOT NULL AND next_announce_at <= ${now - behindMs} LIMIT ${maxRowsPerStatement}) WHERE ${isAtHome()}`)} AS overdue_events`,
      columns({
        failedMail: asNumber,
        unknownMail: asNumber,
        failedJobs: asNumber,
        failingJobs: asNumber,
        overdueExecutions: asNumber,
        overdueEvents: asNumber,
      }),
    ),
  );
  const of = (what: Trouble, rows: SQL) => {
    return sql`SELECT ${what} AS what, project_id AS project FROM (${rows} LIMIT ${mostCounted})`;
  };
  const troubled = batch.add(
    statement(
      sql`SELECT what, project, count FROM (
          SELECT what, project, count(*) AS count, row_number() OVER (PARTITION BY what ORDER BY count(*) DESC) AS rank
          FROM (${of("mail", ended("FAILED"))} UNION ALL ${of("mail", ended("UNKNOWN"))}
            UNION ALL ${of("jobs", failedJobs)} UNION ALL ${of("jobs", failingJobs)})
          GROUP BY what, project)
        WHERE rank <= ${mostTroubled} ORDER BY count DESC`,
      columns({ what: asOneOf<Trouble>(), project: asNumber, count: asNumber }),
    ),
  );
  const domains = batch.add(
    statement(
      sql`SELECT domain, failing_since FROM domains INDEXED BY ix_domains_failing
        WHERE failing_since IS NOT NULL AND ${isAtHome()} ORDER BY failing_since LIMIT ${mostDomains}`,
      columns({ domain: asText, failingSince: asNumber }),
    ),
  );
  await batch.commit();
  return { shard, waitingMail: waiting.all, failingDomains: domains.all, troubled: troubled.all, ...counts.one };
}

/** Selects a row for each execution that was due at the time `by`. */
function overdueExecutions(by: number): SQL {
  const withTime = sql`FROM workflow_executions INDEXED BY ix_workflow_executions_wake WHERE clock = 0 AND wake_at IS NOT NULL`;
  return sql`SELECT 1 FROM (${hopProjects(withTime, { limit: mostProjects })}
    SELECT project FROM hop WHERE project IS NOT NULL AND ${isAtHome(sql`project`)}) h
    CROSS JOIN workflow_executions e INDEXED BY ix_workflow_executions_wake
      ON e.clock = 0 AND e.project_id = h.project AND e.wake_at <= ${by}`;
}

/** Counts rows, up to `mostCounted`. */
function countOf(rows: SQL): SQL {
  return sql`(SELECT count(*) FROM (${rows} LIMIT ${mostCounted}))`;
}
