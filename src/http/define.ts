import type { z } from "zod";
import { describeRefusal, type RefusalStatus } from "./refusals";

export { createRoute } from "@hono/zod-openapi";

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

export const noContent = { 204: { description: "Done; there is nothing to say." } };

/** The refusals an operation can answer with; 401 is always one of them. */
export function errors<Status extends RefusalStatus>(...statuses: Status[]) {
  const all: RefusalStatus[] = [401, ...statuses];
  const responses = Object.fromEntries(all.map((status) => [status, describeRefusal(status)]));
  // Built from exactly these statuses; Object.fromEntries forgets its keys.
  return responses as Record<Status | 401, ReturnType<typeof describeRefusal>>;
}
