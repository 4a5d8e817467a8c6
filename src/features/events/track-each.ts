import type { CallInside } from "../../core/inside-call";
import { isJsonObject, type JsonObject } from "../../core/json";

/** The answer of `POST /v1/track` to one event of a batch. */
export interface AnsweredEvent {
  status: number;
  body: JsonObject;
  /** Whether the event is to be sent again, with the same idempotency key. */
  retry: boolean;
}

/**
 * `POST /v1/track/batch`: tracks the events one after another, so that they keep their order. Stops at the first event
 * that must be sent again. Each event has its own idempotency key, so the caller can repeat this event and those after
 * it. When the very first event must be sent again, nothing was tracked, and the result is the refusal itself.
 */
export async function trackEach(
  call: CallInside,
  publicKey: string,
  events: readonly Record<string, unknown>[],
): Promise<AnsweredEvent[] | Response> {
  const answers: AnsweredEvent[] = [];
  for (const event of events) {
    // The API key is in the body, so /v1/track also reads the event's `idempotencyKey` from there. If that key is
    // invalid, only this event is refused.
    const body = JSON.stringify({ ...event, key: publicKey });
    const answer = await call({ method: "POST", path: "/v1/track", body, headers: { Authorization: null } });
    const answered = readAnswer(answer.status, await answer.clone().json<JsonObject>());
    if (answered.retry && answers.length === 0) return answer;
    answers.push(answered);
    if (answered.retry) break;
  }
  return answers;
}

/**
 * Reads an answer. If the same event was sent before with the same idempotency key, the refusal contains the first
 * answer, which is returned instead.
 */
function readAnswer(status: number, body: JsonObject): AnsweredEvent {
  const { originalStatusCode: first, originalResponse } = detailsOf(body);
  if (status === 409 && typeof first === "number" && isJsonObject(originalResponse)) {
    return { status: first, body: originalResponse, retry: false };
  }
  const isAtWork = status === 409 && first === null;
  return { status, body, retry: isAtWork || status === 408 || status === 429 || status >= 500 };
}

function detailsOf({ error }: JsonObject): JsonObject {
  return isJsonObject(error) && isJsonObject(error.details) ? error.details : {};
}
