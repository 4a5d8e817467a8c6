import type { RouteConfig } from "@hono/zod-openapi";
import type { z } from "zod";
import { isAtLeast, roles } from "../core/people/role";
import { errorsOf } from "./errors-of";
import { legacyBadRequest } from "./legacy";
import { type DescribedSuccess, type Success, successes, successNames } from "./operation";
import { type CallerKey, type Policy, roleNeededBy } from "./policy";
import { describeRefusal } from "./refusals";
import type { PlacedOperation } from "./routes";

/**
 * Describes an operation for the OpenAPI document, with the parts of its policy that callers need: the kind of key, the
 * Idempotency-Key header, and the errors.
 */
export function describeOperation(operation: PlacedOperation): RouteConfig {
  const { method, path, id, tag, summary, description, legacy, key, once, isVersioned } = operation;
  const headers = [...(once ? [idempotencyKey] : []), ...(isVersioned ? [ifMatch] : [])];
  const refusals = errorsOf(operation).map((status) => [status, describeRefusal(status)]);
  return {
    method,
    path,
    operationId: id,
    tags: [tag],
    summary,
    description,
    request: requestOf(operation),
    responses: {
      ...successesOf(operation),
      ...Object.fromEntries(refusals),
      ...(legacy ? { 400: legacyBadRequest(legacy) } : {}),
    },
    ...security[key],
    ...rightsOf(operation),
    ...(headers.length > 0 ? { parameters: headers } : {}),
  };
}

/**
 * Returns the roles that are allowed to make the call with a session, and whether an editor who can only write drafts
 * is refused.
 */
function rightsOf(policy: Policy) {
  const needed = roleNeededBy(policy);
  if (needed === null) return {};
  const { sends } = policy;
  return {
    "x-roles": roles.filter((role) => isAtLeast(role, needed)),
    ...(sends === false ? {} : { "x-may-send": sends === true ? "needed" : "needed by some bodies" }),
  };
}

function requestOf({
  params,
  query,
  body,
  isBodyOptional = false,
  form,
  bytes,
}: PlacedOperation): RouteConfig["request"] {
  return {
    ...(params ? { params } : {}),
    ...(query ? { query } : {}),
    ...(body ? { body: { required: !isBodyOptional, content: contentOf(body) } } : {}),
    ...(form ? { body: { required: true, content: contentOf(form, { mediaType: "multipart/form-data" }) } } : {}),
    ...(bytes
      ? { body: { required: true, content: contentOf(bytes, { mediaType: "application/octet-stream" }) } }
      : {}),
  };
}

function successesOf(operation: PlacedOperation): RouteConfig["responses"] {
  const answers = successNames.flatMap((name) => {
    const success = operation[name];
    if (success === undefined) return [];
    const { status, means } = successes[name];
    const { schema, jobResult, description = means, ...media } = describedSuccess(success);
    const result = jobResult && { "x-job-result": { $ref: `#/components/schemas/${jobResult.meta()?.id}` } };
    return [[status, { description, content: contentOf(schema, media), ...result }]];
  });
  return answers.length === 0
    ? { 204: { description: "Done. The response has no body." } }
    : Object.fromEntries(answers);
}

function describedSuccess(success: Success): DescribedSuccess {
  return "schema" in success ? success : { schema: success };
}

/**
 * Describes a body with its example. Every schema of a whole body has an example, which the OpenAPI document shows with
 * each operation.
 */
function contentOf(schema: z.ZodType, { example = schema.meta()?.example, mediaType = "application/json" } = {}) {
  return { [mediaType]: { schema, example } };
}

/** The OpenAPI security requirement of each kind of key. The document's default is the secret key. */
const security: Record<CallerKey, Pick<RouteConfig, "security">> = {
  secret: {},
  public: { security: [{ publicKey: [] }] },
  operator: { security: [{ operatorToken: [] }] },
  person: { security: [{ session: [] }] },
  outbox: { security: [{}, { operatorToken: [] }] },
  signed: { security: [] },
  open: { security: [] },
};

const ifMatch = {
  name: "If-Match",
  in: "header" as const,
  schema: { type: "string" as const },
  // Has no example: the reference page would send it, and most calls would fail with a 412.
  description:
    'The `version` that you expect, such as `"7"`. If the current version is another one, the call is a ' +
    "412 and changes nothing.",
};

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header" as const,
  schema: { type: "string" as const },
  // Has no example: the reference page would send it, and the second request would fail with a 409.
  description:
    "1 to 255 printable ASCII characters, such as `order-1042-receipt`. Requests with the same key take effect only once.",
};
