import { type HourCounts, hourCounters } from "../../core/campaigns/hours";
import type { Span } from "../../core/events/range";
import type { Id } from "../../core/ids";
import { hourMs, iso } from "../../core/time";
import { openBatch } from "../../db/batch";
import { findCounts } from "../../engine/campaigns/counts";
import { type HourOfPages, selectHours } from "../../engine/campaigns/hours";
import type { Context } from "../../platform/context";
import { getCampaign } from "./campaign";
import type { CampaignTimeline } from "./stats-schema";

/** The maximum number of hours in one answer. */
const maxHours = 1_000;

/** Implements `GET /campaigns/{id}/timeline`: returns what happened in each hour, oldest first. Throws NotFound. */
export async function campaignTimeline(
  ctx: Context,
  id: Id,
  { startDate, endDate }: { startDate?: Span; endDate?: Span },
): Promise<CampaignTimeline> {
  await getCampaign(ctx, id);
  // Called for its side effect: reading the counters also counts the pages of a small campaign.
  await findCounts(ctx, id);
  const from = startDate === undefined ? 0 : Math.floor(startDate.from / hourMs);
  const until = endDate === undefined ? Number.POSITIVE_INFINITY : endDate.to / hourMs;
  const sums = await sumPages(ctx, id);
  const hours = [...sums.keys()].filter((hour) => hour >= from && hour < until).toSorted((a, b) => a - b);
  const data = hours.slice(0, maxHours).map((hour) => ({ at: iso(hour * hourMs), ...(sums.get(hour) ?? noHour()) }));
  return { data, hasMore: hours.length > maxHours };
}

/** Adds up the pages of a campaign by hour, window after window. */
export async function sumPages(ctx: Context, campaignId: Id): Promise<Map<number, HourCounts>> {
  const sums = new Map<number, HourCounts>();
  let after: Id | null = null;
  do {
    const batch = openBatch(ctx);
    const { hours, edge } = selectHours(ctx, campaignId, after);
    const found = batch.add(hours);
    const last = batch.add(edge);
    await batch.commit();
    for (const hour of found.all) addTo(sums, hour);
    after = last.first?.firstId ?? null;
  } while (after !== null);
  return sums;
}

function addTo(sums: Map<number, HourCounts>, { hour, ...counts }: HourOfPages): void {
  const sum = sums.get(hour) ?? noHour();
  for (const counter of hourCounters) sum[counter] += counts[counter];
  sums.set(hour, sum);
}

function noHour(): HourCounts {
  // The list contains every counter, so the object has every key.
  return Object.fromEntries(hourCounters.map((counter) => [counter, 0])) as HourCounts;
}
