import { Cron } from "croner";
import { minuteMs } from "../time";

const minApartMs = 5 * minuteMs;
/** The number of ticks that are checked. At intervals of five minutes, they span more than a day. */
const ticksLookedAt = 300;
const nicknames = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;
const maxLength = 100;

/** Returns why a workflow cannot have this schedule; null if it can. */
export function cronFault(cron: string, now: Date): string | null {
  if (cron.length > maxLength) return `At most ${maxLength} characters`;
  const parsed = parse(cron);
  if (typeof parsed === "string") return parsed;
  const ticks = parsed.nextRuns(ticksLookedAt, now);
  if (ticks.length === 0) return `${cron} never matches: there is no such date`;
  const early = ticks.findIndex((tick, index) => tick.getTime() - (ticks[index - 1]?.getTime() ?? 0) < minApartMs);
  const [first, second] = [ticks[early - 1], ticks[early]];
  if (first === undefined || second === undefined) return null;
  const minutes = (second.getTime() - first.getTime()) / minuteMs;
  return `Ticks must be at least 5 minutes apart: between ${first.toISOString()} and the next there are ${minutes}`;
}

/** Returns the first tick after a time; null if there is none. */
export function nextTick(cron: string, after: Date): number | null {
  const parsed = parse(cron);
  return typeof parsed === "string" ? null : (parsed.nextRun(after)?.getTime() ?? null);
}

/**
 * Returns the latest tick at or before `now`, and the first tick after `now`. `due` is an earlier tick, at which the
 * search begins. The search is a bisection, so a year of missed ticks takes about twenty steps.
 */
export function ticksAround(cron: string, due: number, now: Date): { tick: number; next: number | null } {
  let tick = due;
  // No tick is between `end` and now.
  let end = now.getTime();
  while (end - tick >= minuteMs) {
    const middle = Math.floor((tick + end) / 2);
    const after = nextTick(cron, new Date(middle));
    if (after !== null && after <= now.getTime()) tick = after;
    else end = middle;
  }
  return { tick, next: nextTick(cron, now) };
}

/** Parses five fields in UTC: minute, hour, day of the month, month, day of the week. */
function parse(cron: string): Cron | string {
  const written = cron.trim();
  if (!nicknames.test(written) && written.split(/\s+/).length !== 5) {
    return "Must have five fields: minute, hour, day of the month, month and day of the week, such as 0 9 * * MON";
  }
  try {
    return new Cron(written, { mode: "5-part", utcOffset: 0 });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    return `Is not a cron expression: ${reason}`;
  }
}
