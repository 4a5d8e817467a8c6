import { z } from "zod";
import { activityTypes } from "../../core/events/activity-types";
import { DateRange, endsAfterStart } from "../../core/events/range";
import { createRoute, errors, ok } from "../../http/define";
import { CursorQuery } from "../../http/params";
import { createRouter } from "../../http/router";
import { listActivity } from "./list";
import { ActivityFilters, ActivityPage, ActivityStats, ActivityTypes, UpcomingPage } from "./schema";
import { activityStats, tooLong } from "./stats";
import { listUpcoming } from "./upcoming";

export const activity = createRouter();

const tags = ["Activity"];

const list = createRoute({
  method: "get",
  path: "/activity",
  operationId: "listActivity",
  tags,
  summary: "List what happened, newest first",
  description: `Every event of the project: mail, subscriptions, segments, and what you tracked. With \`types\`, a page may hold fewer
entries than \`limit\`, or none, although \`hasMore\` is true: follow \`cursor\` until it is false. New entries do not shift the pages.`,
  request: { query: z.object({ ...CursorQuery.shape, ...ActivityFilters.shape }).superRefine(endsAfterStart) },
  responses: { ...ok(ActivityPage), ...errors(400, 422) },
});

activity.openapi(list, async (c) => c.json(await listActivity(c.var.ctx, c.req.valid("query")), 200));

const stats = createRoute({
  method: "get",
  path: "/activity/stats",
  operationId: "getActivityStats",
  refusals: () => [tooLong({ from: Date.UTC(2024, 0, 1), to: Date.UTC(2026, 0, 1) })],
  tags,
  summary: "Count mail and events by day",
  description: `Without dates, the last 30 days, today included; at most 366. All days are exact but those of which the dates want only a part:
with over 25,000 events in such a part, its day counts as a whole, and \`approximate\` is true. What \`EVENT_RETENTION_DAYS\` or a deletion
has removed no longer counts.`,
  request: { query: DateRange },
  responses: { ...ok(ActivityStats), ...errors(422) },
});

activity.openapi(stats, async (c) => c.json(await activityStats(c.var.ctx, c.req.valid("query")), 200));

const types = createRoute({
  method: "get",
  path: "/activity/types",
  operationId: "listActivityTypes",
  tags,
  summary: "List the types that the activity can be filtered by",
  responses: { ...ok(ActivityTypes), ...errors() },
});

activity.openapi(types, (c) => c.json({ types: [...activityTypes] }, 200));

const upcoming = createRoute({
  method: "get",
  path: "/activity/upcoming",
  operationId: "listUpcomingActivity",
  tags,
  summary: "List what is scheduled, soonest first",
  description: "Scheduled campaigns, scheduled emails that wait for their time, and workflows that wait at a step.",
  request: { query: CursorQuery },
  responses: { ...ok(UpcomingPage), ...errors(400, 422) },
});

activity.openapi(upcoming, async (c) => c.json(await listUpcoming(c.var.ctx, c.req.valid("query")), 200));
