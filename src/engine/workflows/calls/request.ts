import { publicId } from "../../../core/ids";
import type { JsonObject, JsonValue } from "../../../core/json";
import type { Budget } from "../../../core/templating/budget";
import { parseTemplate, renderTemplate } from "../../../core/templating/render";
import { renderJson } from "../../../core/templating/render-json";
import type { WebhookConfig } from "../../../core/workflows/steps/webhook-config";
import type { Arrival } from "../steps/arrival";
import { type RenderedContact, variablesOf } from "../steps/render-step";

/** A call as it is stored and made. */
export interface CallRequest {
  url: string;
  method: WebhookConfig["method"];
  headers: Record<string, string>;
  body: string | null;
}

type Call = Arrival<"WEBHOOK">;

/**
 * Returns the call of a step, or the reason why there can be none. Throws if rendering throws; all rendering shares the
 * budget.
 */
export function requestOf(arrival: Call, contact: RenderedContact, budget: Budget): CallRequest | { reason: string } {
  const { config, id: stepId } = arrival.step;
  const variables = variablesOf(contact, arrival.scope);
  const url = urlOf(config.url, variables, budget);
  if (typeof url !== "string") return url;
  const given = Object.entries(config.headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    renderTemplate(parseTemplate(value, "text", budget), variables, budget),
  ]);
  const { text, type } = bodyOf(arrival, contact, variables, budget);
  return {
    url,
    method: config.method,
    headers: {
      ...(type !== null && { "content-type": type }),
      "user-agent": "Petrel-Workflows/1.0",
      ...Object.fromEntries(given),
      // The key is the same at every attempt, and when the step is repeated.
      "idempotency-key": `${publicId(arrival.executionId)}:${publicId(stepId)}`,
    },
    body: text,
  };
}

/** Scheme, host and port are fixed when the step is saved: a visitor's input must not decide which server is called. */
const literalPart = /^https?:\/\/[^/?#{}\s]+/i;

function urlOf(template: string, variables: Record<string, unknown>, budget: Budget): string | { reason: string } {
  const [origin] = literalPart.exec(template) ?? [];
  const rest = origin === undefined ? "" : template.slice(origin.length);
  if (origin === undefined || !/^([/?#]|$)/.test(rest)) return { reason: "The URL has no literal scheme and host" };
  const rendered = renderTemplate(parseTemplate(rest, "url", budget), variables, budget);
  const [path = ""] = rendered.split(/[?#]/);
  // Dot segments are the only values that would change the path although they are encoded.
  const climbs = path.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  return climbs ? { reason: "A part of the URL's path is . or .., which would change the path" } : origin + rendered;
}

function bodyOf(
  { step: { config }, workflow, executionId, scope }: Call,
  { id, email, subscribed, data }: RenderedContact,
  variables: Record<string, unknown>,
  budget: Budget,
): { text: string | null; type: string | null } {
  // `fetch` sends no body with GET, and few servers read one with DELETE.
  if (config.method === "GET" || (config.method === "DELETE" && config.body === undefined)) {
    return { text: null, type: null };
  }
  if (config.body !== undefined) {
    const body: JsonValue = renderJson(config.body, variables, budget);
    return typeof body === "string" ? { text: body, type: "text/plain; charset=utf-8" } : json(body);
  }
  return json({
    contact: { id: publicId(id), email, subscribed, data },
    workflow: { id: publicId(workflow.id), name: workflow.name },
    execution: { id: publicId(executionId) },
    event: scope.event && { id: publicId(scope.event.id), name: scope.event.name, data: scope.event.data },
  });
}

function json(value: JsonObject | JsonValue): { text: string; type: string } {
  return { text: JSON.stringify(value), type: "application/json" };
}
