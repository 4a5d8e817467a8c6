import { secondMs } from "../../core/time";
import type { Platform } from "../../platform/context";
import type { Config } from "../../platform/env";

/** How long a report is reused. Making one reads every database, and monitors poll often. */
const keptMs = 15 * secondMs;

/**
 * Wraps a function that makes a report: within fifteen seconds, the isolate returns its previous report. The cache is
 * keyed by the settings object, because an isolate has exactly one.
 */
export function keepReport<Report>(make: (platform: Platform) => Promise<Report>): typeof make {
  const reports = new WeakMap<Config, { at: number; report: Report }>();
  return async (platform) => {
    const now = platform.realClock().getTime();
    const known = reports.get(platform.config);
    if (known && now - known.at < keptMs) return known.report;
    const report = await make(platform);
    reports.set(platform.config, { at: now, report });
    return report;
  };
}
