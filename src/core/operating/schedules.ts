import { dayMs, hourMs, minuteMs } from "../time";

/** The schedules of wrangler.toml, and how long each rests between two ticks. */
export const schedules: Readonly<Record<string, { name: string; everyMs: number }>> = {
  "* * * * *": { name: "every minute", everyMs: minuteMs },
  "*/5 * * * *": { name: "every five minutes", everyMs: 5 * minuteMs },
  "17 * * * *": { name: "every hour, at 17", everyMs: hourMs },
  "47 * * * *": { name: "every hour, at 47", everyMs: hourMs },
  "41 3 * * *": { name: "every night", everyMs: dayMs },
};

/** When a schedule last ended, and when it first did. */
export interface CronRun {
  cron: string;
  firstRanAt: number;
  ranAt: number;
}

/** A schedule whose tick did not come, and since when none has ended. */
export interface Silence {
  name: string;
  since: number;
}

/** A tick may be a little late, and takes up to a quarter of an hour. */
const graceMs = 5 * minuteMs;

/**
 * Returns the schedules that missed a tick. One that never ran counts from the first tick of any: an installation that
 * is an hour old has had no night.
 */
export function silentSchedules(runs: readonly CronRun[], now: number): Silence[] {
  const begin = Math.min(now, ...runs.map(({ firstRanAt }) => firstRanAt));
  return Object.entries(schedules).flatMap(([cron, { name, everyMs }]) => {
    const since = runs.find((run) => run.cron === cron)?.ranAt ?? begin;
    return now - since > 2 * everyMs + graceMs ? [{ name, since }] : [];
  });
}
