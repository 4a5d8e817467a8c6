import type { z } from "zod";
import type { Refusal } from "../core/errors";
import { slotBytes } from "../platform/memory-slots";
import { exampleEnvelope } from "./example-envelope";
import { isForProject, takesKey } from "./policy";
import { isDescribed, type RefusalStatus } from "./refusals";
import { mayGrow, type PlacedOperation } from "./routes";

/**
 * Returns the errors that an operation can answer with: those that follow from its parts and its policy, and those that
 * it lists itself.
 */
export function errorsOf(operation: PlacedOperation): RefusalStatus[] {
  const {
    params,
    query,
    form,
    bytes,
    body = form ?? bytes,
    maxBody,
    once,
    isVersioned,
    isRead,
    needsProof,
    refusals,
    also = [],
  } = operation;
  const isOfProject = isForProject(operation);
  const mayWaitForMemory = typeof maxBody === "function" || (bytes === undefined && (maxBody ?? 0) > slotBytes);
  return [
    401,
    ...when(body !== undefined, 400, 408, 413, 422),
    // An operation that takes a key refuses query parameters that it does not know.
    ...when(takesKey(operation), 422),
    ...when(query !== undefined, 422),
    ...when(operation.names().query.has("cursor"), 400),
    ...when(params !== undefined, 404),
    ...when(params !== undefined && refusesSome(params), 422),
    ...when(isOfProject && !isRead, 403),
    ...when(needsProof, 403),
    ...when(mayGrow(operation), 402),
    ...when(isOfProject, 429),
    ...when(once, 409, 503),
    ...when(isVersioned, 412),
    ...when(mayWaitForMemory, 503),
    ...refusals().map(statusOf).filter(isDescribed),
    ...also,
  ];
}

/**
 * Whether a parameter of the path refuses some values. Most parameters accept any text, because an unknown id is a 404.
 * All others refuse `?`, so this function tries `?`.
 */
function refusesSome(params: z.ZodObject): boolean {
  return !params.safeParse(Object.fromEntries(Object.keys(params.shape).map((name) => [name, "?"]))).success;
}

function statusOf(refusal: Refusal): number {
  return exampleEnvelope(refusal).error.statusCode;
}

function when(isPossible: boolean, ...statuses: RefusalStatus[]): RefusalStatus[] {
  return isPossible ? statuses : [];
}
