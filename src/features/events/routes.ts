import { z } from "zod";
import { foreignNamesOfEvent } from "../../core/events/foreign-names";
import { DateRange } from "../../core/events/range";
import { mayLearnIds } from "../../core/idempotency";
import { publicId } from "../../core/ids";
import { isNoOptOut } from "../../core/storage-limit";
import { bearerToken } from "../../http/auth";
import { callsInside, refusedInside } from "../../http/call-inside";
import { CursorQuery, pathId } from "../../http/params";
import { kilobyte } from "../../http/policy";
import { projectRoutes } from "../../http/routes";
import { QueuedJob, starting } from "../../http/started-job";
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
  TrackEventBatch,
  TrackEventInBrowser,
  TrackedBatch,
  TrackedEvent,
} from "./schema";
import { eventStats } from "./stats";
import { type Tracked, trackEvent } from "./track";
import { trackEach } from "./track-each";
import { eventUsage } from "./usage";

export const events = projectRoutes("Events");

const NameParam = z.object({
  eventName: z.string().meta({
    param: { name: "eventName", in: "path" },
    description: "The name of the event, URL-encoded.",
    example: "purchase",
  }),
});

const tracking = {
  once: true,
  ok: { schema: TrackedEvent, description: "The event is recorded." },
  foreignNames: foreignNamesOfEvent,
};

function trackedJson(ctx: Context, { contactId, eventId, timestamp, confirmation }: Tracked) {
  const ids = mayLearnIds(ctx) ? { contact: publicId(contactId), event: publicId(eventId) } : {};
  return { success: true as const, data: { ...ids, timestamp, confirmation } };
}

events.post(
  "/v1/track",
  {
    ...tracking,
    id: "trackEventInBrowser",
    grows: isNoOptOut,
    summary: "Track an event of a contact, from a browser",
    description:
      "Use a public key, in the `Authorization` header or as `key` in the body. Creates or updates the " +
      "contact, and records the event.",
    key: "public",
    keyInBody: true,
    maxBody: 32 * kilobyte,
    bucket: "track",
    body: TrackEventInBrowser,
  },
  async (ctx, { body }) => {
    const isUnread = body.idempotencyKey && ctx.idempotencyKey !== body.idempotencyKey;
    if (isUnread) ctx.warnings.push(unreadIdempotencyKey);
    return trackedJson(ctx, await trackEvent(ctx, body, "POST /v1/track"));
  },
);

events.post(
  "/v1/track/batch",
  {
    id: "trackEventBatch",
    // A full project refuses each event by itself, not the whole batch.
    grows: false,
    summary: "Track several events, from a browser",
    description:
      "Does what `POST /v1/track` does with each event, in order. Each event counts against the rate " +
      "limits, and may be refused without the others. Only if an event must be sent again, the batch ends " +
      "there, so that events keep their order; if that is the first event, its error is the answer to the " +
      "call. Use a public key, in the `Authorization` header or as `key` in the body.",
    key: "public",
    keyInBody: true,
    maxBody: 64 * kilobyte,
    body: TrackEventBatch,
    ok: { schema: TrackedBatch, description: "Each event has its own answer." },
  },
  async (_, { body }, c) => {
    const key = bearerToken(c) ?? body.key ?? "";
    const answers = await trackEach(callsInside(c), key, body.events);
    if (answers instanceof Response) return refusedInside(c, answers);
    return { success: true as const, data: { answers } };
  },
);

const unreadIdempotencyKey = {
  field: "idempotencyKey",
  message: "The key had no effect, because this call can set headers. Send it in the header Idempotency-Key.",
};

events.post(
  "/events/track",
  {
    ...tracking,
    id: "trackEvent",
    grows: isNoOptOut,
    summary: "Track an event of a contact, with a secret key",
    body: TrackEvent,
  },
  async (ctx, { body }) => trackedJson(ctx, await trackEvent(ctx, body, "POST /events/track")),
);

events.get(
  "/events",
  {
    id: "listEvents",
    summary: "List events, newest first",
    query: z.object({ ...CursorQuery.shape, ...EventFilters.shape }),
    ok: EventPage,
  },
  (ctx, { query }) => listEvents(ctx, query),
);

events.get(
  "/events/names",
  { id: "listEventNames", summary: "List the names of events, most frequent first", ok: EventNames },
  async (ctx) => ({ names: await listEventNames(ctx) }),
);

events.get(
  "/events/stats",
  {
    id: "getEventStats",
    summary: "Count events by name, most frequent first",
    description: `Without dates, counts all stored events exactly; events that were deleted, or removed after \`EVENT_RETENTION_DAYS\`, do not
count. With dates, the counts are exact up to 25,000 events. Above that, \`approximate\` is true, each day (UTC) that the
dates touch counts in full, and \`uniqueContacts\` is an upper bound.`,
    query: DateRange,
    ok: EventStats,
  },
  (ctx, { query }) => eventStats(ctx, query),
);

// Registered before the next route: an event may be named "contact", but no contact has the id "usage".
events.get(
  "/events/{eventName}/usage",
  { id: "getEventUsage", summary: "See where an event is used", params: NameParam, ok: EventUsage },
  (ctx, { params }) => eventUsage(ctx, params.eventName),
);

events.get(
  "/events/contact/{contactId}",
  {
    id: "listEventsOfContact",
    summary: "List the events of a contact, newest first",
    params: z.object({ contactId: pathId("contactId") }),
    query: CursorQuery,
    ok: EventPage,
  },
  (ctx, { params, query }) => listContactEvents(ctx, params.contactId, query),
);

events.delete(
  "/events/{eventName}",
  {
    id: "deleteEvents",
    summary: "Delete every event with this name",
    description:
      "Events tracked after the call stay. More than 10,000 events are deleted in the background: poll " +
      "`GET /jobs/{id}`.",
    params: NameParam,
    ok: DeletedEvents,
    accepted: starting(QueuedJob, DeletedEvents),
    also: [422],
    refusals: () => [
      eventInUse("purchase", {
        usedInSegments: [{ id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", name: "Customers" }],
        usedInCampaigns: [],
        usedInWorkflows: [],
      }),
    ],
  },
  async (ctx, { params }, c) => {
    const deleted = await deleteEvents(ctx, params.eventName);
    return "jobId" in deleted ? c.json(deleted, 202) : deleted;
  },
);
