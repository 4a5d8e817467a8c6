import { secondMs } from "../../core/time";
import type { Platform } from "../../platform/context";
import type { Config } from "../../platform/env";

/** A report reads every database, and monitors ask often. */
const keptMs = 15 * secondMs;

/**
 * Returns the function that makes a report, or gives the last one of this isolate again, for fifteen seconds. Reports are
 * kept by the settings: an isolate has one set of them.
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
