import { dayMs, hourMs, minuteMs } from "../time";

/** The cron schedules of wrangler.toml, each with its interval. */
export const schedules: Readonly<Record<string, { name: string; everyMs: number }>> = {
  "* * * * *": { name: "every minute", everyMs: minuteMs },
  "*/5 * * * *": { name: "every five minutes", everyMs: 5 * minuteMs },
  "17 * * * *": { name: "every hour, at 17", everyMs: hourMs },
  "47 * * * *": { name: "every hour, at 47", everyMs: hourMs },
  "41 3 * * *": { name: "every night", everyMs: dayMs },
};

/** When a tick of a schedule last ended, and when one ended for the first time. */
export interface CronRun {
  cron: string;
  firstRanAt: number;
  ranAt: number;
}

/** A schedule that missed a tick. No tick has ended since `since`. */
export interface Silence {
  name: string;
  since: number;
}

/**
 * How much longer than two intervals a schedule may be silent, because a tick may start late and take a few minutes.
 */
const graceMs = 5 * minuteMs;

/**
 * Returns the schedules that missed a tick. For a schedule that has never run, time counts from the first tick of any
 * schedule, so that a new installation is not blamed for a nightly run that it could not have had yet.
 */
export function silentSchedules(runs: readonly CronRun[], now: number): Silence[] {
  const begin = Math.min(now, ...runs.map(({ firstRanAt }) => firstRanAt));
  return Object.entries(schedules).flatMap(([cron, { name, everyMs }]) => {
    const since = runs.find((run) => run.cron === cron)?.ranAt ?? begin;
    return now - since > 2 * everyMs + graceMs ? [{ name, since }] : [];
  });
}
