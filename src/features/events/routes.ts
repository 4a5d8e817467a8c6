import { z } from "zod";
import { foreignNamesOfEvent } from "../../core/events/foreign-names";
import { DateRange } from "../../core/events/range";
import { mayLearnIds } from "../../core/idempotency";
import { publicId } from "../../core/ids";
import { accepted, body, createRoute, errors, ok } from "../../http/define";
import { CursorQuery, pathId } from "../../http/params";
import { kilobyte } from "../../http/policy";
import { createRouter } from "../../http/router";
import { QueuedJob } from "../../http/started-job";
import type { Context } from "../../platform/context";
import { deleteEvents, eventInUse } from "./delete";
import { listContactEvents, listEvents } from "./list";
import { listEventNames } from "./names";
import {
  DeletedEvents,
  EventFilters,
  EventNames,
  EventPage,
  EventStats,
  EventUsage,
  TrackEvent,
  TrackEventInBrowser,
  TrackedEvent,
} from "./schema";
import { eventStats } from "./stats";
import { type Tracked, trackEvent } from "./track";
import { eventUsage } from "./usage";

export const events = createRouter();

const tags = ["Events"];

const NameParam = z.object({
  eventName: z.string().meta({
    param: { name: "eventName", in: "path" },
    description: "The name, URL-encoded: it may contain any character.",
    example: "purchase",
  }),
});

const tracking = {
  method: "post" as const,
  tags,
  foreignNames: foreignNamesOfEvent,
  responses: { ...ok(TrackedEvent, "The event is recorded."), ...errors(400, 403, 409, 413, 422, 503) },
};

function trackedJson(ctx: Context, { contactId, eventId, timestamp, confirmation }: Tracked) {
  const ids = mayLearnIds(ctx) ? { contact: publicId(contactId), event: publicId(eventId) } : {};
  return { success: true as const, data: { ...ids, timestamp, confirmation } };
}

const track = createRoute({
  ...tracking,
  path: "/v1/track",
  policy: { key: "public", keyInBody: true, maxBody: 32 * kilobyte, once: true, bucket: "track" },
  operationId: "trackEventInBrowser",
  summary: "Track an event of a contact, from a browser",
  description: "Takes a public key, also as `key` in the body. Creates or updates the contact, and records the event.",
  request: body(TrackEventInBrowser),
});

events.openapi(track, async (c) => {
  const { ctx } = c.var;
  const event = c.req.valid("json");
  if (event.idempotencyKey && ctx.idempotencyKey !== event.idempotencyKey) ctx.warnings.push(unreadIdempotencyKey);
  return c.json(trackedJson(ctx, await trackEvent(ctx, event, "POST /v1/track")), 200);
});

const unreadIdempotencyKey = {
  field: "idempotencyKey",
  message: "It had no effect, because the call has headers. Send it as the header Idempotency-Key.",
};

const trackFromServer = createRoute({
  ...tracking,
  path: "/events/track",
  policy: { once: true },
  operationId: "trackEvent",
  summary: "Track an event of a contact, with a secret key",
  request: body(TrackEvent),
});

events.openapi(trackFromServer, async (c) => {
  const { ctx } = c.var;
  return c.json(trackedJson(ctx, await trackEvent(ctx, c.req.valid("json"), "POST /events/track")), 200);
});

const list = createRoute({
  method: "get",
  path: "/events",
  operationId: "listEvents",
  tags,
  summary: "List events, newest first",
  request: { query: z.object({ ...CursorQuery.shape, ...EventFilters.shape }) },
  responses: { ...ok(EventPage), ...errors(400, 422) },
});

events.openapi(list, async (c) => c.json(await listEvents(c.var.ctx, c.req.valid("query")), 200));

const names = createRoute({
  method: "get",
  path: "/events/names",
  operationId: "listEventNames",
  tags,
  summary: "List the names of events, most frequent first",
  responses: { ...ok(EventNames), ...errors() },
});

events.openapi(names, async (c) => c.json({ names: await listEventNames(c.var.ctx) }, 200));

const stats = createRoute({
  method: "get",
  path: "/events/stats",
  operationId: "getEventStats",
  tags,
  summary: "Count events by name, most frequent first",
  description: `Without dates, counts all stored events, exactly: those that \`EVENT_RETENTION_DAYS\` or a deletion has removed no longer count. With dates, the counts are exact up to 25,000 events. With more,
\`approximate\` is true: every day (UTC) that the dates touch counts as a whole, and \`uniqueContacts\` is an upper bound.`,
  request: { query: DateRange },
  responses: { ...ok(EventStats), ...errors(422) },
});

events.openapi(stats, async (c) => c.json(await eventStats(c.var.ctx, c.req.valid("query")), 200));

// An event may have any name, even "contact", and no contact has the id "usage", so this route goes before the next
// one.
const usage = createRoute({
  method: "get",
  path: "/events/{eventName}/usage",
  operationId: "getEventUsage",
  tags,
  summary: "See where an event is used",
  request: { params: NameParam },
  responses: { ...ok(EventUsage), ...errors(404) },
});

events.openapi(usage, async (c) => c.json(await eventUsage(c.var.ctx, c.req.valid("param").eventName), 200));

const listOfContact = createRoute({
  method: "get",
  path: "/events/contact/{contactId}",
  operationId: "listEventsOfContact",
  tags,
  summary: "List the events of a contact, newest first",
  request: { params: z.object({ contactId: pathId("contactId") }), query: CursorQuery },
  responses: { ...ok(EventPage), ...errors(400, 404, 422) },
});

events.openapi(listOfContact, async (c) => {
  const found = await listContactEvents(c.var.ctx, c.req.valid("param").contactId, c.req.valid("query"));
  return c.json(found, 200);
});

const remove = createRoute({
  method: "delete",
  path: "/events/{eventName}",
  operationId: "deleteEvents",
  refusals: () => [
    eventInUse("purchase", {
      usedInSegments: [{ id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", name: "Customers" }],
      usedInCampaigns: [],
      usedInWorkflows: [],
    }),
  ],
  tags,
  summary: "Delete every event with this name",
  description:
    "Events tracked after the call stay. More than 10,000 events are deleted in the background: poll `GET /jobs/{id}`.",
  request: { params: NameParam },
  responses: {
    ...ok(DeletedEvents),
    ...accepted(QueuedJob, "A job deletes the events; its result is `{ deletedCount }`."),
    ...errors(403, 404, 409, 422),
  },
});

events.openapi(remove, async (c) => {
  const deleted = await deleteEvents(c.var.ctx, c.req.valid("param").eventName);
  return "jobId" in deleted ? c.json(deleted, 202) : c.json(deleted, 200);
});
