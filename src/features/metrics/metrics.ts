import type { Lane } from "../../core/mail/message";
import { laneOf } from "../../core/mail/priority";
import { exposition, type Metric, type Sample } from "../../core/operating/exposition";
import { maxDatabaseBytes } from "../../core/operating/fullness";
import { schedules } from "../../core/operating/schedules";
import { productVersion } from "../../core/product-version";
import { controlState } from "../../engine/operating/control-state";
import { readCronRuns } from "../../engine/operating/cron-runs";
import { databaseSize } from "../../engine/operating/database-size";
import { type DatabaseState, databaseState } from "../../engine/operating/database-state";
import { keepReport } from "../../engine/operating/keep-report";
import { type MailTotals, mailTotals } from "../../engine/operating/mail-totals";
import { projectIds } from "../../engine/operating/project-ids";
import type { Platform } from "../../platform/context";
import { allAccounts } from "../../platform/mailer/accounts";
import type { Lanes } from "../../platform/mailer/pace";

const mostBusy = 20;

/** The figures behind the metrics, all read concurrently. */
interface Figures {
  now: number;
  control: Awaited<ReturnType<typeof controlState>>;
  crons: Awaited<ReturnType<typeof readCronRuns>>;
  sizes: { shard: string; bytes: number }[];
  states: DatabaseState[];
  totals: MailTotals[];
  lanes: { provider: string; lanes: Lanes | null }[];
  busiest: { id: string; emails: number }[];
}

/**
 * Returns the state of the installation in Prometheus' text format. Its size does not grow with the number of projects.
 */
export const metrics = keepReport(async (platform) => exposition(metricsOf(await readFigures(platform))));

async function readFigures(platform: Platform): Promise<Figures> {
  const ofEach = <T>(read: (shard: string) => Promise<T>) => Promise.all(platform.shards.map(read));
  const [control, crons, sizes, states, totals, lanes] = await Promise.all([
    controlState(platform),
    readCronRuns(platform),
    ofEach(async (shard) => ({ shard, bytes: await databaseSize(platform.databaseOf(shard)) })),
    ofEach((shard) => databaseState(platform, shard)),
    ofEach((shard) => mailTotals(platform, shard)),
    Promise.all(
      allAccounts(platform.accounts).map(async ({ mailer, pace }) => ({
        provider: mailer.name,
        lanes: await pace.lanes(),
      })),
    ),
  ]);
  const all = totals.flatMap(({ month }) => month.busiest).toSorted((a, b) => b.emails - a.emails);
  const first = all.slice(0, mostBusy);
  const ids = await projectIds(
    platform,
    first.map(({ project }) => project),
  );
  const busiest = first.flatMap(({ project, emails }) => {
    const id = ids.get(project);
    return id === undefined ? [] : [{ id, emails }];
  });
  return { now: platform.realClock().getTime(), control, crons, sizes, states, totals, lanes, busiest };
}

function metricsOf({ now, control, crons, sizes, states, totals, lanes, busiest }: Figures): Metric[] {
  const waiting = states.flatMap(({ waitingMail }) => waitingMail);
  const sum = (of: (state: DatabaseState) => number) => states.reduce((total, state) => total + of(state), 0);
  const byLane = (of: (lane: Lane) => number): Sample[] =>
    (["transactional", "campaign"] as const).map((lane) => ({ labels: { lane }, value: of(lane) }));
  const inLane = (lane: Lane) => waiting.filter(({ priority }) => laneOf(priority) === lane);
  const events = Map.groupBy(
    totals.flatMap((total) => total.events),
    ({ name }) => name,
  );
  return [
    gauge("petrel_info", "The version of the product.", [{ labels: { version: productVersion }, value: 1 }]),
    gauge("petrel_projects", "Projects of the installation.", [{ value: control.projects }]),
    gauge("petrel_projects_disabled", "Projects that are disabled.", [{ value: control.disabledProjects }]),
    gauge("petrel_projects_sending_paused", "Projects whose marketing mail is paused for their reputation.", [
      { value: control.pausedProjects.length },
    ]),
    gauge(
      "petrel_database_bytes",
      "Size of a database.",
      sizes.map(({ shard, bytes }) => ({ labels: { database: shard }, value: bytes })),
    ),
    gauge("petrel_database_limit_bytes", "The maximum size of a database.", [{ value: maxDatabaseBytes }]),
    counter(
      "petrel_mail_events_total",
      "Outcomes of mail, over all projects.",
      [...events].map(([name, each]) => ({
        labels: { event: name },
        value: each.reduce((total, { count }) => total + count, 0),
      })),
    ),
    gauge("petrel_mail_accepted_this_month", "Emails accepted in this calendar month (UTC).", [
      { value: totals.reduce((total, { month }) => total + month.emails, 0) },
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
      "petrel_mail_lane_paused",
      "1 while the provider does not accept mail of a lane.",
      lanes.flatMap(({ provider, lanes }) => {
        return Object.entries(lanes ?? {}).map(([lane, { pausedUntil }]) => {
          return { labels: { provider, lane }, value: Number(pausedUntil !== null) };
        });
      }),
    ),
    gauge("petrel_mail_failed_last_hour", "Emails that failed within the last hour, up to 4,000 a database.", [
      { value: sum(({ failedMail }) => failedMail) },
    ]),
    gauge("petrel_mail_unknown_last_hour", "Emails of the last hour whose outcome is unknown.", [
      { value: sum(({ unknownMail }) => unknownMail) },
    ]),
    gauge("petrel_jobs_failed_last_day", "Background jobs that failed within the last day.", [
      { value: sum(({ failedJobs }) => failedJobs) },
    ]),
    gauge("petrel_jobs_failing", "Open jobs whose runs have failed for over an hour.", [
      { value: sum(({ failingJobs }) => failingJobs) },
    ]),
    gauge("petrel_executions_overdue", "Executions of workflows that are overdue.", [
      { value: sum(({ overdueExecutions }) => overdueExecutions) },
    ]),
    gauge("petrel_events_overdue", "Events that are overdue at webhooks and workflows.", [
      { value: sum(({ overdueEvents }) => overdueEvents) },
    ]),
    gauge("petrel_domains_failing", "Verified sender domains that lost DNS records.", [
      { value: sum(({ failingDomains }) => failingDomains.length) },
    ]),
    gauge(
      "petrel_dead_letters_last_day",
      "Messages on which a queue gave up within the last day.",
      control.deadLetters.map(({ queue, messages }) => ({ labels: { queue }, value: messages })),
    ),
    gauge(
      "petrel_cron_last_run_timestamp_seconds",
      "The time at which a schedule last ended, in seconds since 1970.",
      crons.map(({ cron, ranAt }) => ({ labels: { schedule: schedules[cron]?.name ?? cron }, value: ranAt / 1000 })),
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: "gauge", help, samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: "counter", help, samples };
}
