import { createRoute as defineRoute, type RouteConfig } from "@hono/zod-openapi";
import type { z } from "zod";
import { type CallerKey, type Policy, policy } from "./policy";
import { describeRefusal, type RefusalStatus } from "./refusals";

/** What a route is declared with. Whether it takes an upload, its body says. */
type Definition<P extends string> = Omit<RouteConfig, "path" | "security" | "parameters"> & {
  path: P;
  policy?: Partial<Omit<Policy, "isUpload">>;
};

/**
 * An operation of the document, with the policy of its route beside it: what that tells callers, the key and the header
 * that makes a call happen once, stands in the document by itself.
 */
export function createRoute<P extends string, R extends Definition<P>>(definition: R) {
  const { policy: said = {}, middleware = [], ...route } = definition;
  const isUpload = "multipart/form-data" in (route.request?.body?.content ?? {});
  const own = policy({ isRead: route.method === "get", ...said, isUpload });
  const defined = defineRoute({
    ...route,
    ...security[said.key ?? "secret"],
    ...(said.once ? { parameters: [idempotencyKey] } : {}),
    middleware: [own, ...(Array.isArray(middleware) ? middleware : [middleware])],
  });
  // What was added changes nothing for the handler, whose types come from the definition.
  return defined as unknown as ReturnType<typeof defineRoute<P, R>>;
}

/** How each key stands in the document, which says for all operations that they take a secret one. */
const security: Record<CallerKey, Pick<RouteConfig, "security">> = {
  secret: {},
  public: { security: [{ publicKey: [] }] },
  operator: { security: [{ operatorToken: [] }] },
  outbox: { security: [{}, { operatorToken: [] }] },
  signed: { security: [] },
  open: { security: [] },
};

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header" as const,
  schema: { type: "string" as const },
  description: "1 to 255 printable ASCII characters. Requests with the same key take effect only once.",
  example: "order-1042-receipt",
};

type Schema = z.ZodType;

function json<S extends Schema>(schema: S, description: string) {
  // Each schema that is a whole body carries its example; the document shows it with every operation.
  return { description, content: { "application/json": { schema, example: schema.meta()?.example } } };
}

/** A required JSON body. */
export function body<S extends Schema>(schema: S) {
  const { content } = json(schema, "");
  return { body: { required: true as const, content } };
}

export function ok<S extends Schema>(schema: S, description = "Done.") {
  return { 200: json(schema, description) };
}

export function created<S extends Schema>(schema: S, description = "Created.") {
  return { 201: json(schema, description) };
}

export function accepted<S extends Schema>(schema: S, description = "Queued.") {
  return { 202: json(schema, description) };
}

export const noContent = { 204: { description: "Done. The response has no body." } };

/** The refusals an operation can answer with; 401 is always one of them. */
export function errors<Status extends RefusalStatus>(...statuses: Status[]) {
  const all: RefusalStatus[] = [401, ...statuses];
  const responses = Object.fromEntries(all.map((status) => [status, describeRefusal(status)]));
  // Built from exactly these statuses; Object.fromEntries forgets its keys.
  return responses as Record<Status | 401, ReturnType<typeof describeRefusal>>;
}
