import { publicId, publicIdOrNull, timeOf } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { CallOutcome } from "../../core/outbound/verdict";
import { iso } from "../../core/time";
import { signedHeaders } from "../../core/webhooks/signature";
import { type DeliveryVerdict, judgeOutcome } from "../../core/webhooks/verdict";
import type { WebhookRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { callOutbound } from "../../platform/outbound";
import type { ClaimedDelivery } from "./delivery";
import { openSecrets } from "./webhook";

/** The result of one attempt to make a delivery. */
export interface Attempt {
  at: number;
  verdict: DeliveryVerdict;
  statusCode: number | null;
  /** A sentence for the customer; null when the attempt succeeded. */
  error: string | null;
  response: string | null;
}

const maxResponseLength = 1_000;

/** Makes one attempt: calls the endpoint, or returns why it cannot be called. Writes nothing. */
export async function attempt(ctx: Context, webhook: WebhookRow, delivery: ClaimedDelivery): Promise<Attempt> {
  const body = bodyOf(ctx, webhook, delivery);
  if (body === null)
    return notCalled(ctx, "The event is no longer stored.", { kind: "failed", isGone: false, putOff: null });
  const secrets = await openSecrets(ctx, webhook);
  const calledAt = ctx.clock().getTime();
  if (secrets.length === 0) {
    ctx.log("error", "The secret of a webhook cannot be decrypted", { webhookId: publicId(webhook.id) });
    const error = "The webhook's secret cannot be read: rotate it with POST /webhooks/{id}/rotate-secret.";
    return notCalled(ctx, error, judge(ctx, { kind: "failed" }, delivery));
  }
  const signed = await signedHeaders(secrets, { id: publicId(delivery.eventId), at: calledAt, body });
  const headers = { "Content-Type": "application/json", "User-Agent": "Petrel-Webhooks/1.0", ...signed };
  const result = await callOutbound(ctx, { url: webhook.url, method: "POST", headers, body, needsBody: true });
  const verdict = judge(ctx, result, delivery);
  const at = ctx.clock().getTime();
  if (result.kind !== "answered") return { at, verdict, statusCode: null, error: result.reason, response: null };
  const error = verdict.kind === "succeeded" ? null : `The endpoint answered ${result.status}.`;
  // D1 would cut off a text at a NUL.
  const response = result.body.replaceAll("\u0000", "").slice(0, maxResponseLength) || null;
  return { at, verdict, statusCode: result.status, error, response };
}

function notCalled(ctx: Context, error: string, verdict: DeliveryVerdict): Attempt {
  return { at: ctx.clock().getTime(), verdict, statusCode: null, error, response: null };
}

function judge(ctx: Context, outcome: CallOutcome, delivery: ClaimedDelivery): DeliveryVerdict {
  return judgeOutcome(outcome, delivery, { now: ctx.clock().getTime(), random: ctx.random() });
}

/**
 * Builds the body from the event as it is now, so that it contains no data of an erased contact. Returns null if the
 * event is no longer stored.
 */
function bodyOf(ctx: Context, webhook: WebhookRow, { eventId, type, isTest, event }: ClaimedDelivery): string | null {
  if (isTest) return bodyText(type, timeOf(eventId), { webhookId: publicId(webhook.id), projectId: ctx.project.id });
  if (event === null) return null;
  const { contactId, contactEmail } = event;
  const contact: JsonObject = contactId === null ? {} : { contactId: publicIdOrNull(contactId), contactEmail };
  return bodyText(type, timeOf(eventId), { ...event.data, ...contact });
}

function bodyText(type: string, at: number, data: JsonObject): string {
  return JSON.stringify({ type, timestamp: iso(at), data });
}
