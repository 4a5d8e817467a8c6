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
    description: `Lists every event of the project: of mail, subscriptions and segments, and those that you tracked. With \`types\`, a page may hold fewer
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
    description: `Without dates, counts the last 30 days, including today; at most 366 days. Whole days are exact. If the dates cover a day only in part, only
that part counts; if it has over 25,000 events, the whole day counts, and \`approximate\` is true. Events that were deleted, or removed after
\`EVENT_RETENTION_DAYS\`, do not count.`,
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
      "For pages that show a project live: when `version` changes, read the mail, the activity or the " +
      "figures again. Nearly every call is answered from memory, so the answer may be two seconds old.",
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
      "Lists scheduled campaigns, scheduled emails that wait for their time, and workflow executions that " +
      "wait at a step. With `contactId`, lists only the emails and executions of that contact; `POST " +
      "/contacts/{id}/explain` answers whether a campaign would reach it. While tens of thousands of " +
      "executions run, a page may hold fewer entries than `limit` although `hasMore` is true: follow " +
      "`cursor` until it is false.",
    query: z.object({ ...CursorQuery.shape, contactId: ActivityFilters.shape.contactId }),
    ok: UpcomingPage,
  },
  (ctx, { query }) => listUpcoming(ctx, query),
);
