import { body, createRoute, errors, ok } from "../../http/define";
import { IdempotencyHeader } from "../../http/params";
import { createRouter } from "../../http/router";
import { TrackEvent, TrackedEvent } from "./schema";
import { trackEvent } from "./track";

export const events = createRouter();

const tracking = {
  method: "post" as const,
  tags: ["Events"],
  request: { headers: IdempotencyHeader, ...body(TrackEvent) },
  responses: { ...ok(TrackedEvent, "The event is written down."), ...errors(400, 403, 409, 413, 422, 429, 503) },
};

const track = createRoute({
  ...tracking,
  path: "/v1/track",
  operationId: "trackEvent",
  security: [{ publicKey: [] }],
  summary: "Track an event of a contact, from a browser",
  description: "Takes a public key. Creates or changes the contact, and writes the event down.",
});

events.openapi(track, async (c) => {
  const { ctx } = c.var;
  const { contactId, eventId } = await trackEvent(ctx, c.req.valid("json"), "POST /v1/track");
  const data = { contact: contactId, event: eventId, timestamp: ctx.now.toISOString() };
  return c.json({ success: true as const, data }, 200);
});

const trackFromServer = createRoute({
  ...tracking,
  path: "/events/track",
  operationId: "trackEventFromServer",
  summary: "Track an event of a contact, with a secret key",
});

events.openapi(trackFromServer, async (c) => {
  const { ctx } = c.var;
  const { contactId, eventId } = await trackEvent(ctx, c.req.valid("json"), "POST /events/track");
  const data = { contact: contactId, event: eventId, timestamp: ctx.now.toISOString() };
  return c.json({ success: true as const, data }, 200);
});
