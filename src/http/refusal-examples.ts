import {
  type FieldFault,
  Gone,
  Invalid,
  NotFound,
  ProjectDisabled,
  RateLimited,
  type Refusal,
  TooLarge,
  TooSlow,
  UnknownRoute,
  VersionMismatch,
} from "../core/errors";
import { reservedEvent } from "../core/events/names";
import { KeyReused } from "../core/idempotency-errors";
import { readId } from "../core/ids";
import { MonthlyLimitReached, UnverifiedSender } from "../core/mail/errors";
import { unreadableCursor } from "../core/page";
import { ProofNeeded } from "../core/people/errors";
import { requiredText } from "../core/required";
import { neverFresh } from "../db/fresh";
import { resolversSilent } from "../platform/dns";
import type { Config } from "../platform/env";
import { gateOutOfReach } from "./admission";
import { noSuchKey, notTheOperator } from "./auth";
import { notMultipart } from "./body";
import { exampleEnvelope, exampleTime } from "./example-envelope";
import { busy } from "./memory-slot";
import { notJson } from "./not-json";
import type { Described } from "./operations";
import type { Policy } from "./policy";
import { wrongWithKey } from "./seen-key";
import { sessionOver } from "./visitor";

interface ExampleRoute extends Described {
  policy: Policy;
  config: Config;
  /** The named schemas of the document. */
  schemas: Record<string, unknown>;
}

const someId = "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10";

/** Returns an example of an operation's answer with this status, for routes that list none of their own. */
export function exampleOf(status: number, route: ExampleRoute) {
  return exampleEnvelope(refusalOf(status, route));
}

function refusalOf(status: number, route: ExampleRoute): Refusal | null {
  const { policy, config, method, path } = route;
  switch (status) {
    case 400:
      return badRequestOf(route);
    case 401:
      return unknownCaller(policy);
    case 402:
      return new MonthlyLimitReached(10_000);
    case 403:
      if (policy.needsProof) return new ProofNeeded();
      return sendsMail(route) ? new UnverifiedSender("acme.example") : new ProjectDisabled();
    case 404:
      return notFoundOf(route);
    case 408:
      return new TooSlow(15);
    case 409:
      return policy.once ? reusedKey(`${method.toUpperCase()} ${path}`) : neverFresh();
    case 410:
      return new Gone("The content of this email is no longer stored.");
    case 412:
      return new VersionMismatch(7, { version: 8, updatedAt: Date.parse(exampleTime) });
    case 413:
      return new TooLarge(typeof policy.maxBody === "function" ? policy.maxBody(config) : (policy.maxBody ?? 0));
    case 422:
      return new Invalid([faultOf(route)]);
    case 429:
      return new RateLimited(policy.bucket ?? "api", 1);
    case 503:
      return unavailableOf(route);
    default:
      return null;
  }
}

function badRequestOf({ operation, policy }: ExampleRoute): Refusal {
  if (policy.isUpload) return notMultipart();
  return operation.requestBody ? notJson("{", "application/json") : unreadableCursor();
}

function unknownCaller({ key }: Policy): Refusal {
  if (key === "operator" || key === "outbox") return notTheOperator();
  if (key === "person" || key === "open") return sessionOver();
  return noSuchKey(wrongWithKey(new Headers()), key === "public" ? "public" : "secret");
}

/** Whether an operation's 403 is more likely about the sender than about the project. */
function sendsMail({ operation }: ExampleRoute): boolean {
  return ["sendEmail", "createTemplate", "updateTemplate"].includes(operation.operationId ?? "");
}

/** Returns a NotFound for the resource named by the last parameter of the path. */
function notFoundOf({ path, method, operation }: ExampleRoute): Refusal {
  const [, parent = "", parameter] = /\/([^/{]+)\/\{([^}]+)\}(?!.*\{)/.exec(path) ?? [];
  switch (parameter) {
    case undefined:
      // Without a parameter, either the body names the missing resource, or the outbox is not in use.
      if (operation.operationId === "sendEmail") return new NotFound("template", readId(someId));
      if (operation.operationId === "createTemplate") return new NotFound("topic", readId(someId));
      if (operation.operationId === "createWorkflow") return new NotFound("segment", readId(someId));
      if (operation.operationId === "addDomain") return new NotFound("project", someId);
      return new UnknownRoute(method.toUpperCase(), path);
    case "field":
      return new NotFound("field", "data.plan");
    case "eventName":
      return new NotFound("event", "purchase");
    case "email":
      return new NotFound("suppression", "gone@example.com");
    case "contactId":
      return new NotFound("contact", readId(someId));
    case "keyId":
      return new NotFound("key", readId(someId));
    case "jobId":
      return new NotFound("job", readId(someId));
    case "stepId":
      return new NotFound("step", readId(someId));
    case "transitionId":
      return new NotFound("transition", readId(someId));
    case "executionId":
      return new NotFound("execution", readId(someId));
    case "deliveryId":
      return new NotFound("delivery", readId(someId));
    case "projectId":
      return new NotFound("project", someId);
    case "personId":
      return new NotFound("person", someId);
  }
  switch (parent) {
    case "dead-letters":
      return new NotFound("dead letter", readId(someId));
    case "projects":
      return new NotFound("project", someId);
    case "contacts":
      return new NotFound("contact", readId(someId));
    case "templates":
      return new NotFound("template", readId(someId));
    case "campaigns":
      return new NotFound("campaign", readId(someId));
    case "segments":
      return new NotFound("segment", readId(someId));
    case "domains":
      return new NotFound("domain", readId(someId));
    case "emails":
      return new NotFound("email", readId(someId));
    case "jobs":
      return new NotFound("job", readId(someId));
    case "webhooks":
      return new NotFound("webhook", readId(someId));
    case "files":
      return new NotFound("file", readId(someId));
    case "topics":
      return new NotFound("topic", readId(someId));
    case "workflows":
      return new NotFound("workflow", readId(someId));
    case "sessions":
      return new NotFound("session", readId(someId));
    case "messages":
      return new NotFound("message", readId(someId));
    default:
      throw new Error(`No example of a 404 for ${path}`);
  }
}

function reusedKey(request: string): Refusal {
  const use = { key: "order-1042-receipt", request, hash: "" };
  return new KeyReused(use, { request, hash: "", atMs: Date.parse(exampleTime), status: null, response: null });
}

function unavailableOf({ operation, policy }: ExampleRoute): Refusal {
  if (policy.once) return gateOutOfReach();
  if (/^verify|^addDomain$/.test(operation.operationId ?? "")) return resolversSilent("acme.example");
  return busy();
}

interface Shape {
  type?: string | string[];
  format?: string;
  maxLength?: number;
  required?: string[];
  properties?: Record<string, Shape>;
}

/** Returns a fault in one of the operation's own fields. */
function faultOf(route: ExampleRoute): FieldFault {
  const { operation, path } = route;
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
  if (names.includes("q")) return { field: "q", message: requiredText("q"), code: "required" };
  if (names.includes("splice")) {
    const message = 'Invalid option: expected one of "true"|"false"';
    return { field: "splice", message, code: "invalid_enum_value", received: "yes" };
  }
  if (operation.operationId === "listWorkflowFields") {
    return { field: "eventName", message: "Must be plain text on one line", code: "invalid_string", received: " " };
  }
  if (names.includes("eventName")) {
    const name = "email.sent";
    return { field: "eventName", message: reservedEvent(name), code: "reserved_event", received: name };
  }
  if (names.includes("field")) {
    const message = "Only a custom field, data.<key>, can be deleted";
    return { field: "field", message, code: "invalid_string", received: "email" };
  }
  // Only campaigns refuse an id that is not a UUID as invalid.
  if (path.startsWith("/campaigns/{id}")) {
    return { field: "id", message: "Invalid UUID", code: "invalid_string", received: "march" };
  }
  throw new Error(`No example of a 422 for ${path}`);
}

function bodyOf({ operation, schemas }: ExampleRoute): Shape | undefined {
  const body = operation.requestBody;
  if (body === undefined || "$ref" in body) return undefined;
  const [media] = Object.values(body.content);
  const schema = media?.schema;
  if (schema === undefined) return undefined;
  // Schemas of bodies in our document are objects with properties.
  if (!("$ref" in schema) || schema.$ref === undefined) return schema as Shape;
  return schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] as Shape | undefined;
}
