import { createRoute as defineRoute, type RouteConfig } from "@hono/zod-openapi";
import type { z } from "zod";
import type { ForeignName } from "../core/foreign-names";
import { namesIn } from "./names";
import { type CallerKey, isForProject, type Policy, policy, usualPolicy } from "./policy";
import { describeRefusal, type RefusalStatus } from "./refusals";

/** The declaration of a route. Its body says whether it takes an upload. */
type Definition<P extends string> = Omit<RouteConfig, "path" | "security" | "parameters"> & {
  path: P;
  policy?: Partial<Omit<Policy, "isUpload" | "names" | "refusals">>;
  /** Fields of other APIs that this operation refuses, with advice. */
  foreignNames?: readonly ForeignName[];
  /** Fields of other APIs that this operation ignores, with advice in a warning. */
  advisedNames?: readonly ForeignName[];
  /**
   * The known names in fields that are an object, or a list of objects, by their paths, so that unknown ones are warned
   * of too. `*` stands for each item of a list.
   */
  partNames?: Record<string, readonly string[]>;
  /** The paths of fields that are a condition, in which unknown names are warned of too. */
  conditionNames?: readonly string[];
  /** Fields in lists are written as `steps[3].config`. */
  hasBrackets?: boolean;
  /** Refusals that the document shows as examples, one for each status: those that the operation really throws. */
  refusals?: Policy["refusals"];
};

/**
 * Declares an operation of the document together with the policy of its route. The parts of the policy that callers
 * need, the kind of key, the Idempotency-Key header, the rate limit and the deadline of a body, are added to the document.
 */
export function createRoute<P extends string, R extends Definition<P>>(definition: R) {
  const { policy: said = {}, foreignNames = [], advisedNames = [], ...withParts } = definition;
  const { partNames = {}, conditionNames = [], hasBrackets = false, ...described } = withParts;
  const { refusals = usualPolicy.refusals, middleware = [], ...route } = described;
  const isUpload = "multipart/form-data" in (route.request?.body?.content ?? {});
  const names = {
    body: route.request?.body ? namesIn(schemaOf(route.request.body.content["application/json"])) : new Set<string>(),
    parts: new Map(Object.entries(partNames).map(([part, known]) => [part, new Set(known)])),
    conditions: conditionNames,
    foreign: foreignNames,
    advice: new Map(advisedNames.map(({ name, advice }) => [name, `${advice}.`])),
    query: namesIn(route.request?.query) ?? new Set<string>(),
    hasBrackets,
  };
  const reads = route.method === "get";
  const declared = { isRead: reads, readsCopies: reads, ...said, isUpload, names, refusals };
  const isLimited = isForProject({ ...usualPolicy, ...declared });
  const usual = { ...(route.request?.body ? errors(408) : {}), ...(isLimited ? errors(429) : {}) };
  const defined = defineRoute({
    ...route,
    ...security[said.key ?? "secret"],
    ...(said.once ? { parameters: [idempotencyKey] } : {}),
    responses: { ...route.responses, ...usual },
    middleware: [policy(declared), ...(Array.isArray(middleware) ? middleware : [middleware])],
  });
  // The additions change nothing for the handler, whose types come from the definition.
  return defined as unknown as ReturnType<typeof defineRoute<P, R>>;
}

function schemaOf(content: object | undefined): unknown {
  return content !== undefined && "schema" in content ? content.schema : undefined;
}

/** The security of each kind of key in the document. The secret key is the document's default. */
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
  // Without an example: the reference page would send it, and its second request would be a 409.
  description:
    "1 to 255 printable ASCII characters, such as `order-1042-receipt`. Requests with the same key take effect only once.",
};

type Schema = z.ZodType;

function json<S extends Schema>(schema: S, description: string) {
  // Every schema of a whole body has an example; the document shows it with each operation.
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

/** The error responses of an operation; 401 is always one of them. */
export function errors<Status extends RefusalStatus>(...statuses: Status[]) {
  const all: RefusalStatus[] = [401, ...statuses];
  const responses = Object.fromEntries(all.map((status) => [status, describeRefusal(status)]));
  // Built from exactly these statuses; Object.fromEntries loses the type of its keys.
  return responses as Record<Status | 401, ReturnType<typeof describeRefusal>>;
}
