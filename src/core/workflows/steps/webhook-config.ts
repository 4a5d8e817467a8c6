import { z } from "zod";
import { isDeeperThan, type JsonValue } from "../../json";
import { headerFault } from "../../outbound/headers";
import { isStorable, unstorableText } from "../../storable";
import { hasLiquid, liquidFault, textsIn } from "../liquid";

const maxUrlLength = 2_000;
const maxHeaders = 50;
const maxBodyDepth = 20;
const ownHeader = "idempotency-key";

const placeholders = /\{\{.*?\}\}|\{%.*?%\}/gs;
/** Splits a URL into its scheme, host and port, and the rest. */
const parts = /^(https?:\/\/[^/?#]*)(.*)$/is;

/**
 * Removes the placeholders of a URL or of a header's value. The text that remains is fixed, so it is checked when the
 * step is saved.
 */
export function literalUrl(url: string): string {
  return url.replace(placeholders, "");
}

/** A contact or an event must never decide which server is called, so only the path and query may have Liquid. */
function urlFault(url: string): string | null {
  const [, origin, rest = ""] = parts.exec(url) ?? [];
  if (origin === undefined) {
    return hasLiquid(url.split("//", 1)[0] ?? "")
      ? "The scheme, host and port of the URL must be literal: Liquid may stand in its path and query only"
      : "Must begin with http:// or https://";
  }
  if (hasLiquid(origin)) {
    return "The scheme, host and port of the URL must be literal: Liquid may stand in its path and query only";
  }
  return hasLiquid(rest) ? liquidFault(url) : null;
}

const Url = z
  .string()
  .min(1)
  .max(maxUrlLength)
  .superRefine((url, check) => {
    const fault = url === "" ? null : urlFault(url);
    if (fault !== null) check.addIssue({ code: "custom", message: fault, params: { code: "invalid_string" } });
  })
  .meta({
    description:
      "An http: or https: URL on the public internet. Its path and query may contain Liquid, whose values " +
      "are encoded; scheme, host and port are literal.",
    example: "https://example.com/contacts/{{ contact.id }}?plan={{ contact.data.plan }}",
  });

const Headers = z
  .record(z.string(), z.string())
  .superRefine((headers, check) => {
    const entries = Object.entries(headers);
    if (entries.length > maxHeaders) {
      check.addIssue({ code: "custom", message: `At most ${maxHeaders} headers`, params: { code: "too_big" } });
      return;
    }
    for (const [name, value] of entries) {
      const message = ownHeaderFault(name) ?? headerFault(name, literalUrl(value)) ?? liquidFault(value);
      if (message !== null) {
        check.addIssue({ code: "custom", path: [name], message, params: { code: "invalid_string" } });
      }
    }
  })
  .meta({
    description: "Header names and values. The values may contain Liquid.",
    example: { "X-Plan": "{{ contact.data.plan }}" },
  });

function ownHeaderFault(name: string): string | null {
  return name.toLowerCase() === ownHeader
    ? "The service sets Idempotency-Key itself: the same for every try of one step of one execution"
    : null;
}

const Body = z
  .unknown()
  .superRefine((body, check) => {
    if (isDeeperThan(body, maxBodyDepth)) {
      const message = `The body may nest at most ${maxBodyDepth} levels deep`;
      check.addIssue({ code: "custom", message, params: { code: "custom" } });
      return;
    }
    for (const { text, path } of textsIn(body)) {
      const message = isStorable(text) ? liquidFault(text) : unstorableText;
      if (message !== null) check.addIssue({ code: "custom", path, message, params: { code: "invalid_string" } });
    }
  })
  // The cast is safe, because the value was parsed from JSON.
  .transform((body) => body as JsonValue | undefined)
  .meta({
    description:
      "Any JSON; strings in it may contain Liquid. Without it, the body is `{ contact, workflow, " +
      "execution, event }`.",
    example: { plan: "{{ contact.data.plan }}" },
  });

export const WebhookConfig = z
  .object({
    url: Url,
    method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).default("POST"),
    headers: Headers.nullish(),
    body: Body.optional(),
  })
  .superRefine(({ method, body }, check) => {
    if (method === "GET" && body !== undefined && body !== null) {
      check.addIssue({ code: "custom", path: ["body"], message: "A GET has no body", params: { code: "custom" } });
    }
  })
  .transform(({ url, method, headers, body }) => ({
    url,
    method,
    ...(headers && { headers }),
    ...(body !== undefined && body !== null && { body }),
  }))
  .meta({
    id: "WebhookStepConfig",
    description:
      "Calls a URL at least once, with an `Idempotency-Key` that is the same at every attempt. Without an " +
      "answer, and after 429 or 5xx, it is called again, up to three times in all. Later steps can use the " +
      "answer as `steps.<name of the step>`.",
    example: { url: "https://example.com/hooks/signups", method: "POST", body: { email: "{{ contact.email }}" } },
  });
export type WebhookConfig = z.infer<typeof WebhookConfig>;
