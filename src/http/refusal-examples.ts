import {
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
import { KeyReused } from "../core/idempotency-errors";
import { readId } from "../core/ids";
import { MonthlyLimitReached, UnverifiedSender } from "../core/mail/errors";
import { unreadableCursor } from "../core/page";
import { ProofNeeded } from "../core/people/errors";
import { noRows } from "../core/storage";
import { StorageLimitReached } from "../core/storage-limit";
import { neverFresh } from "../db/fresh";
import { resolversSilent } from "../platform/dns";
import { busy } from "../platform/memory-slots";
import { gateOutOfReach } from "./admission";
import { noSuchKey, notTheOperator } from "./auth";
import { notMultipart } from "./body";
import { exampleEnvelope, exampleTime } from "./example-envelope";
import { type ExampleRoute, faultOf } from "./fault-example";
import { notJson } from "./not-json";
import type { Policy } from "./policy";
import { wrongWithKey } from "./seen-key";
import { sessionOver } from "./visitor";

const exampleCount = {
  rows: { ...noRows(), events: 6_400_000, emails: 1_100_000, contacts: 300_000 },
  bytes: { ...noRows(), events: 1_550_000_000, emails: 530_000_000, contacts: 88_000_000 },
  countedAt: Date.parse(exampleTime),
};

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
      return sendsMail(route) ? new MonthlyLimitReached(10_000) : new StorageLimitReached(2_048, exampleCount);
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
      return new VersionMismatch(7, {
        ...{ version: 8, updatedAt: Date.parse(exampleTime) },
        changedBy: { kind: "person", name: "Ada" },
      });
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
      // If the path has no parameter, either the body names the missing resource, or the outbox is not in use.
      if (operation.operationId === "sendEmail") return new NotFound("template", readId(someId));
      if (operation.operationId === "createTemplate") return new NotFound("topic", readId(someId));
      if (operation.operationId === "createWorkflow") return new NotFound("segment", readId(someId));
      if (path.startsWith("/trash/")) return new NotFound("trash entry", readId(someId));
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
    case "backups":
      return new NotFound("backup", readId(someId));
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
    case "imports":
    case "parts":
      return new NotFound("upload", readId(someId));
    case "files":
      return new NotFound("file", readId(someId));
    case "topics":
      return new NotFound("topic", readId(someId));
    case "workflows":
      return new NotFound("workflow", readId(someId));
    case "passkeys":
      return new NotFound("passkey", readId(someId));
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
