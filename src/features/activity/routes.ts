import { z } from "zod";
import { activityTypes } from "../../core/events/activity-types";
import { DateRange, endsAfterStart } from "../../core/events/range";
import { CursorQuery } from "../../http/params";
import { projectRoutes } from "../../http/routes";
import { listActivity } from "./list";
import { ActivityFilters, ActivityPage, ActivityStats, ActivityTypes, ActivityVersion, UpcomingPage } from "./schema";
import { activityStats, tooLong } from "./stats";
import { listUpcoming } from "./upcoming";
import { activityVersion } from "./version";

export const activity = projectRoutes("Activity");

activity.get(
  "/activity",
  {
    id: "listActivity",
    summary: "List what happened, newest first",
    description: `Every event of the project: mail, subscriptions, segments, and what you tracked. With \`types\`, a page may hold fewer
entries than \`limit\`, or none, although \`hasMore\` is true: follow \`cursor\` until it is false. New entries do not shift the pages.`,
    query: z.object({ ...CursorQuery.shape, ...ActivityFilters.shape }).superRefine(endsAfterStart),
    ok: ActivityPage,
  },
  (ctx, { query }) => listActivity(ctx, query),
);

activity.get(
  "/activity/stats",
  {
    id: "getActivityStats",
    summary: "Count mail and events by day",
    description: `Without dates, the last 30 days, today included; at most 366. Whole days are exact. A day that the dates cover only in part is counted event by event:
with over 25,000 events in such a part, its day counts as a whole, and \`approximate\` is true. What \`EVENT_RETENTION_DAYS\` or a deletion
has removed no longer counts.`,
    query: DateRange,
    ok: ActivityStats,
    refusals: () => [tooLong({ from: Date.UTC(2024, 0, 1), to: Date.UTC(2026, 0, 1) })],
  },
  (ctx, { query }) => activityStats(ctx, query),
);

activity.get(
  "/activity/version",
  {
    id: "getActivityVersion",
    summary: "Ask whether something happened",
    description:
      "For pages that follow a project: read the mail, the activity or the figures again when `version` is another one. Nearly every " +
      "call is answered from memory, so a change may be two seconds old when it shows.",
    ok: ActivityVersion,
  },
  (ctx) => activityVersion(ctx),
);

activity.get(
  "/activity/types",
  { id: "listActivityTypes", summary: "List the types that the activity can be filtered by", ok: ActivityTypes },
  () => ({ types: [...activityTypes] }),
);

activity.get(
  "/activity/upcoming",
  {
    id: "listUpcomingActivity",
    summary: "List what is scheduled, soonest first",
    description:
      "Scheduled campaigns, scheduled emails that wait for their time, and workflows that wait at a step. With `contactId`, the emails " +
      "and workflows of one contact: `POST /contacts/{id}/explain` answers whether a campaign would reach it. While tens of thousands of " +
      "executions run, a page may hold fewer entries than `limit` although `hasMore` is true: follow `cursor` until it is false.",
    query: z.object({ ...CursorQuery.shape, contactId: ActivityFilters.shape.contactId }),
    ok: UpcomingPage,
  },
  (ctx, { query }) => listUpcoming(ctx, query),
);
