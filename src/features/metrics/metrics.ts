import type { Lane } from "../../core/mail/message";
import { laneOf } from "../../core/mail/priority";
import { exposition, type Metric, type Sample } from "../../core/operating/exposition";
import { maxDatabaseBytes } from "../../core/operating/fullness";
import { type CronRun, schedules } from "../../core/operating/schedules";
import { productVersion } from "../../core/product-version";
import { type ControlState, controlState } from "../../engine/operating/control-state";
import { readCronRuns } from "../../engine/operating/cron-runs";
import { databaseSize } from "../../engine/operating/database-size";
import { type DatabaseState, databaseState } from "../../engine/operating/database-state";
import { keepReport } from "../../engine/operating/keep-report";
import { type MailTotals, mailTotals } from "../../engine/operating/mail-totals";
import { projectIds } from "../../engine/operating/project-ids";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { allAccounts } from "../../platform/mailer/accounts";
import type { Lanes } from "../../platform/mailer/pace";

const mostBusy = 20;

/** The figures behind the metrics, all read concurrently. A part that does not answer is null. */
interface Figures {
  now: number;
  control: ControlState | null;
  crons: CronRun[] | null;
  databases: { shard: string; found: DatabaseFigures | null }[];
  lanes: { provider: string; lanes: Lanes | null }[];
  busiest: { id: string; emails: number }[];
}

interface DatabaseFigures {
  bytes: number;
  state: DatabaseState;
  totals: MailTotals;
}

/**
 * Returns the state of the installation in Prometheus' text format. The text does not grow with the number of projects.
 * While a database does not answer, sums over all databases are left out, because a counter without the part of that
 * database would seem to start again from a lower value.
 */
export const metrics = keepReport(async (platform) => {
  const figures = await readFigures(platform);
  const found = figures.databases.map((each) => each.found).filter((each) => each !== null);
  return exposition([
    ...metricsOfParts(figures),
    ...(found.length === figures.databases.length ? metricsOfAll(found, figures) : []),
  ]);
});

async function readFigures(platform: Platform): Promise<Figures> {
  const orNull = <T>(reading: Promise<T>): Promise<T | null> =>
    reading.catch((error: unknown) => {
      platform.log("warn", "A part of the metrics could not be read", { reason: reasonOf(error) });
      return null;
    });
  const [control, crons, databases, lanes] = await Promise.all([
    orNull(controlState(platform)),
    orNull(readCronRuns(platform)),
    Promise.all(platform.shards.map(async (shard) => ({ shard, found: await orNull(readDatabase(platform, shard)) }))),
    Promise.all(
      allAccounts(platform.accounts).map(async ({ mailer, pace }) => ({
        provider: mailer.name,
        lanes: await pace.lanes(),
      })),
    ),
  ]);
  const all = databases.flatMap(({ found }) => found?.totals.month.busiest ?? []);
  const first = all.toSorted((a, b) => b.emails - a.emails).slice(0, mostBusy);
  const ids = await orNull(
    projectIds(
      platform,
      first.map(({ project }) => project),
    ),
  );
  const busiest = first.flatMap(({ project, emails }) => {
    const id = ids?.get(project);
    return id === undefined ? [] : [{ id, emails }];
  });
  return { now: platform.realClock().getTime(), control, crons, databases, lanes, busiest };
}

async function readDatabase(platform: Platform, shard: string): Promise<DatabaseFigures> {
  const [bytes, state, totals] = await Promise.all([
    databaseSize(platform.databaseOf(shard)),
    databaseState(platform, shard),
    mailTotals(platform, shard),
  ]);
  return { bytes, state, totals };
}

function metricsOfParts({ control, crons, databases, lanes }: Figures): Metric[] {
  const ofControl = (of: (state: ControlState) => number): Sample[] => (control ? [{ value: of(control) }] : []);
  return [
    gauge("petrel_info", "The version of the product.", [{ labels: { version: productVersion }, value: 1 }]),
    gauge(
      "petrel_projects",
      "Projects of the installation.",
      ofControl(({ projects }) => projects),
    ),
    gauge(
      "petrel_projects_disabled",
      "Projects that are disabled.",
      ofControl(({ disabledProjects }) => disabledProjects),
    ),
    gauge(
      "petrel_projects_sending_paused",
      "Projects whose marketing mail is paused for their reputation.",
      ofControl(({ pausedProjects }) => pausedProjects.length),
    ),
    gauge(
      "petrel_database_up",
      "1 while a database answers. While one does not, sums over all databases are left out.",
      databases.map(({ shard, found }) => ({ labels: { database: shard }, value: Number(found !== null) })),
    ),
    gauge(
      "petrel_database_bytes",
      "Size of a database.",
      databases.flatMap(({ shard, found }) => (found ? { labels: { database: shard }, value: found.bytes } : [])),
    ),
    gauge("petrel_database_limit_bytes", "The maximum size of a database.", [{ value: maxDatabaseBytes }]),
    gauge(
      "petrel_mail_lane_paused",
      "1 while the provider does not accept mail of a lane.",
      lanes.flatMap(({ provider, lanes }) => {
        return Object.entries(lanes ?? {}).map(([lane, { pausedUntil }]) => {
          return { labels: { provider, lane }, value: Number(pausedUntil !== null) };
        });
      }),
    ),
    gauge(
      "petrel_dead_letters_last_day",
      "Messages on which a queue gave up within the last day.",
      (control?.deadLetters ?? []).map(({ queue, messages }) => ({ labels: { queue }, value: messages })),
    ),
    gauge(
      "petrel_cron_last_run_timestamp_seconds",
      "The time at which a schedule last ended, in seconds since 1970.",
      (crons ?? []).map(({ cron, ranAt }) => ({
        labels: { schedule: schedules[cron]?.name ?? cron },
        value: ranAt / 1000,
      })),
    ),
  ];
}

function metricsOfAll(found: readonly DatabaseFigures[], { now, busiest }: Figures): Metric[] {
  const waiting = found.flatMap(({ state }) => state.waitingMail);
  const sum = (of: (state: DatabaseState) => number): Sample[] => [
    { value: found.reduce((total, { state }) => total + of(state), 0) },
  ];
  const byLane = (of: (lane: Lane) => number): Sample[] =>
    (["transactional", "campaign"] as const).map((lane) => ({ labels: { lane }, value: of(lane) }));
  const inLane = (lane: Lane) => waiting.filter(({ priority }) => laneOf(priority) === lane);
  const events = Map.groupBy(
    found.flatMap(({ totals }) => totals.events),
    ({ name }) => name,
  );
  return [
    counter(
      "petrel_mail_events_total",
      "Outcomes of mail, over all projects.",
      [...events].map(([name, each]) => ({
        labels: { event: name },
        value: each.reduce((total, { count }) => total + count, 0),
      })),
    ),
    gauge("petrel_mail_accepted_this_month", "Emails accepted in this calendar month (UTC).", [
      { value: found.reduce((total, { totals }) => total + totals.month.emails, 0) },
    ]),
    gauge(
      "petrel_project_mail_accepted_this_month",
      "Emails accepted in this calendar month (UTC), for the twenty busiest projects.",
      busiest.map(({ id, emails }) => ({ labels: { project: id }, value: emails })),
    ),
    gauge(
      "petrel_mail_oldest_due_seconds",
      "For how long the oldest due mail has been waiting; 0 when none waits.",
      byLane((lane) => Math.max(0, ...inLane(lane).map(({ oldest }) => (now - oldest) / 1000))),
    ),
    gauge(
      "petrel_mail_waiting_projects",
      "Projects with due mail, counted once for each kind of mail.",
      byLane((lane) => inLane(lane).reduce((total, { projects }) => total + projects, 0)),
    ),
    gauge(
      "petrel_mail_failed_last_hour",
      "Emails that failed within the last hour, up to 4,000 a database.",
      sum(({ failedMail }) => failedMail),
    ),
    gauge(
      "petrel_mail_unknown_last_hour",
      "Emails of the last hour whose outcome is unknown.",
      sum(({ unknownMail }) => unknownMail),
    ),
    gauge(
      "petrel_jobs_failed_last_day",
      "Background jobs that failed within the last day.",
      sum(({ failedJobs }) => failedJobs),
    ),
    gauge(
      "petrel_jobs_failing",
      "Open jobs whose runs have failed for over an hour.",
      sum(({ failingJobs }) => failingJobs),
    ),
    gauge(
      "petrel_executions_overdue",
      "Executions of workflows that are overdue.",
      sum(({ overdueExecutions }) => overdueExecutions),
    ),
    gauge(
      "petrel_events_overdue",
      "Events that are overdue at webhooks and workflows.",
      sum(({ overdueEvents }) => overdueEvents),
    ),
    gauge(
      "petrel_domains_failing",
      "Verified sender domains that lost DNS records.",
      sum(({ failingDomains }) => failingDomains.length),
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: "gauge", help, samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: "counter", help, samples };
}
