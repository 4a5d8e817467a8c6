import type { FieldFault } from "../core/errors";
import { reservedEvent } from "../core/events/names";
import { requiredText } from "../core/required";
import type { Config } from "../platform/env";
import type { Described } from "./operations";
import { noParameters } from "./parameters";
import type { Policy } from "./policy";

/** A route whose errors need examples in the OpenAPI document. */
export interface ExampleRoute extends Described {
  policy: Policy;
  config: Config;
  /** The named schemas of the OpenAPI document. */
  schemas: Record<string, unknown>;
}

interface Shape {
  type?: string | string[];
  format?: string;
  maxLength?: number;
  required?: string[];
  properties?: Record<string, Shape>;
}

/** Returns a fault in one of the operation's own fields. */
export function faultOf(route: ExampleRoute): FieldFault {
  const { operation, path, method } = route;
  const shape = bodyOf(route);
  const properties = Object.entries(shape?.properties ?? {});
  const address = properties.find(([, { format }]) => format === "email")?.[0];
  if (address !== undefined && address !== "reply") {
    const message = "Must be an email address such as ada@example.com";
    return { field: address, message, code: "invalid_string", received: "nope" };
  }
  const isLegacy = JSON.stringify(operation.responses?.["400"] ?? {}).includes("LegacyError");
  const [required] = shape?.required ?? [];
  if (required !== undefined && !isLegacy)
    return { field: required, message: requiredText(required), code: "required" };
  const [first] = properties;
  if (first !== undefined) {
    const [field, { type = "string" }] = first;
    const expected = Array.isArray(type) ? type[0] : type;
    const received = expected === "boolean" ? "no" : 42;
    const message = `Invalid input: expected ${expected}, received ${typeof received}`;
    return { field, message, code: "invalid_type", received };
  }
  const names = (operation.parameters ?? []).flatMap((parameter) => ("name" in parameter ? parameter.name : []));
  const whole = names.find((name) => ["limit", "page"].includes(name));
  if (whole !== undefined) {
    return { field: whole, message: "Must be a whole number of at least 1", code: "too_small", received: "0" };
  }
  if (names.includes("startDate")) {
    const message = "Must be a date such as 2026-01-31, or a date with a time such as 2026-01-31T09:00:00Z";
    return { field: "startDate", message, code: "invalid_string", received: "yesterday" };
  }
  const needed = names.find((name) => ["q", "name"].includes(name));
  if (needed !== undefined) return { field: needed, message: requiredText(needed), code: "required" };
  if (names.includes("splice")) {
    const message = 'Invalid option: expected one of "true"|"false"';
    return { field: "splice", message, code: "invalid_enum_value", received: "yes" };
  }
  if (names.includes("sha256")) {
    return {
      field: "sha256",
      message: "Must be a SHA-256 hash as 64 lower-case hex digits",
      code: "custom",
      received: "",
    };
  }
  if (operation.operationId === "listWorkflowFields") {
    return { field: "eventName", message: "Must be plain text on one line", code: "invalid_string", received: " " };
  }
  if (names.includes("eventName") && method === "delete") {
    const name = "email.sent";
    return { field: "eventName", message: reservedEvent(name), code: "reserved_event", received: name };
  }
  if (names.includes("field")) {
    const message = "Only custom fields (data.<key>) can be deleted";
    return { field: "field", message, code: "invalid_string", received: "email" };
  }
  // Only the routes of campaigns answer 422 to an id that is not a UUID.
  if (path.startsWith("/campaigns/{id}")) {
    return { field: "id", message: "Invalid UUID", code: "invalid_string", received: "march" };
  }
  return { field: "page", message: noParameters, code: "custom", received: "2" };
}

function bodyOf({ operation, schemas }: ExampleRoute): Shape | undefined {
  const body = operation.requestBody;
  if (body === undefined || "$ref" in body) return undefined;
  const [media] = Object.values(body.content);
  const schema = media?.schema;
  if (schema === undefined) return undefined;
  // The cast is safe: in our OpenAPI document, the schemas of bodies are objects with properties.
  if (!("$ref" in schema) || schema.$ref === undefined) return schema as Shape;
  return schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] as Shape | undefined;
}
