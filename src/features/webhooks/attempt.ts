import { publicId, publicIdOrNull, timeOf } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { iso } from "../../core/time";
import { signedHeaders } from "../../core/webhooks/signature";
import { judgeOutcome, type Outcome, type Verdict } from "../../core/webhooks/verdict";
import type { WebhookRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { callOutbound } from "../../platform/outbound";
import type { TakenDelivery } from "./delivery";
import { openSecrets } from "./webhook";

/** What one try of a delivery came to. */
export interface Attempt {
  at: number;
  verdict: Verdict;
  statusCode: number | null;
  /** A sentence for the customer; null when it succeeded. */
  error: string | null;
  response: string | null;
}

const maxKeptResponse = 1_000;

/** One try: the call, or the reason why there was none. Nothing is written. */
export async function attempt(ctx: Context, webhook: WebhookRow, delivery: TakenDelivery): Promise<Attempt> {
  const body = bodyOf(ctx, webhook, delivery);
  if (body === null)
    return notCalled(ctx, "The event is no longer stored.", { kind: "failed", isGone: false, putOff: null });
  const secrets = await openSecrets(ctx, webhook);
  const calledAt = ctx.clock().getTime();
  if (secrets.length === 0) {
    ctx.log("error", "The secret of a webhook cannot be decrypted", { webhookId: publicId(webhook.id) });
    const error = "Its secret cannot be read: rotate it with POST /webhooks/{id}/rotate-secret.";
    return notCalled(ctx, error, judge(ctx, { kind: "failed" }, delivery));
  }
  const signed = await signedHeaders(secrets, { id: publicId(delivery.eventId), at: calledAt, body });
  const headers = { "Content-Type": "application/json", "User-Agent": "Petrel-Webhooks/1.0", ...signed };
  const result = await callOutbound(ctx, { url: webhook.url, method: "POST", headers, body, needsBody: true });
  const verdict = judge(ctx, result, delivery);
  const at = ctx.clock().getTime();
  if (result.kind !== "answered") return { at, verdict, statusCode: null, error: result.reason, response: null };
  const error = verdict.kind === "succeeded" ? null : `The endpoint answered ${result.status}.`;
  // A text with a NUL cannot be stored whole.
  const response = result.body.replaceAll("\u0000", "").slice(0, maxKeptResponse) || null;
  return { at, verdict, statusCode: result.status, error, response };
}

function notCalled(ctx: Context, error: string, verdict: Verdict): Attempt {
  return { at: ctx.clock().getTime(), verdict, statusCode: null, error, response: null };
}

function judge(ctx: Context, outcome: Outcome, delivery: TakenDelivery): Verdict {
  return judgeOutcome(outcome, delivery, { now: ctx.clock().getTime(), random: ctx.random() });
}

/** The body is made of the event as it is now, so that it says nothing of an erased person. Null without the event. */
function bodyOf(ctx: Context, webhook: WebhookRow, { eventId, type, isTest, event }: TakenDelivery): string | null {
  if (isTest) return bodyText(type, timeOf(eventId), { webhookId: publicId(webhook.id), projectId: ctx.project.id });
  if (event === null) return null;
  const { contactId, contactEmail } = event;
  const contact: JsonObject = contactId === null ? {} : { contactId: publicIdOrNull(contactId), contactEmail };
  return bodyText(type, timeOf(eventId), { ...event.data, ...contact });
}

function bodyText(type: string, at: number, data: JsonObject): string {
  return JSON.stringify({ type, timestamp: iso(at), data });
}
