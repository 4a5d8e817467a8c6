import { Refusal } from "./errors";
import type { KeyUse, OriginalRequest } from "./idempotency";
import { iso } from "./time";

/**
 * An idempotency key that was used before. A repeat of the first request gets the first answer, in case the caller lost
 * it. A different request does not, because its caller would mistake the answer for its own.
 */
export class KeyReused extends Refusal {
  constructor({ key, request, hash }: KeyUse, original: OriginalRequest) {
    const sameRequest = original.hash === hash;
    const { message, suggestion } = describeReuse(request, original, sameRequest);
    super(message, {
      suggestion,
      details: {
        key,
        originalRequest: original.request,
        originalRequestAt: iso(original.atMs),
        originalStatusCode: original.status,
        sameRequest,
        ...(!sameRequest || original.response === null ? {} : { originalResponse: JSON.parse(original.response) }),
      },
    });
  }
}

function describeReuse(request: string, original: OriginalRequest, isSame: boolean) {
  const used = `The idempotency key was used before, by ${original.request} at ${iso(original.atMs)}`;
  if (!isSame) {
    const lost =
      request === "POST /v1/send" ? "This request had no effect: its mail was not sent" : "This request had no effect";
    const other = original.request === request ? ", with another body" : "";
    return { message: `${used}${other}. ${lost}.`, suggestion: "Send the request again with a new key." };
  }
  const suggestion =
    original.status === null
      ? "That request is still running. Repeat this call in a few seconds to see its answer."
      : "To see what that request did, read details.originalResponse. For another request, use another key.";
  return { message: `${used}.`, suggestion };
}

export class InvalidIdempotencyKey extends Refusal {
  constructor(where: "header" | "body") {
    const name = where === "header" ? "The Idempotency-Key header" : "idempotencyKey in the body";
    super(`${name} must be 1 to 255 printable ASCII characters.`, {
      suggestion: "Choose a key that names the action, such as order-1042-receipt, or send no key.",
    });
  }
}
