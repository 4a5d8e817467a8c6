import { describe, expect, it } from "vitest";
import {
  BadRequest,
  Conflict,
  type FieldFault,
  Invalid,
  MethodNotAllowed,
  NotAuthenticated,
  NotFound,
  ProjectDisabled,
  Refusal,
  TooLarge,
  TooSlow,
  UnknownRoute,
} from "../../src/core/errors";
import { readId } from "../../src/core/ids";
import { MonthlyLimitReached, UnverifiedSender } from "../../src/core/mail/errors";

const cause = new Error("UNIQUE constraint failed: contacts.email");

const refusals: [name: string, refusal: Refusal, message: RegExp, details: Record<string, unknown> | undefined][] = [
  ["BadRequest", new BadRequest("Say which.", { cause }), /^Say which\.$/, undefined],
  ["NotAuthenticated", new NotAuthenticated("No key.", { cause }), /^No key\.$/, undefined],
  ["ProjectDisabled", new ProjectDisabled(), /disabled/, undefined],
  [
    "UnverifiedSender",
    new UnverifiedSender("acme.test"),
    /acme\.test/,
    { reason: "domain_not_verified", domain: "acme.test" },
  ],
  ["MonthlyLimitReached", new MonthlyLimitReached(5000), /5000 emails a month/, { monthlySendLimit: 5000 }],
  ["NotFound", new NotFound("contact", readId("c1")), /No contact c1/, { resource: "contact", id: "c1" }],
  ["UnknownRoute", new UnknownRoute("GET", "/nope"), /GET \/nope/, { resource: "route", id: "/nope" }],
  [
    "MethodNotAllowed",
    new MethodNotAllowed("PUT", "/a", { allowed: ["GET", "POST"] }),
    /PUT/,
    { allowed: ["GET", "POST"] },
  ],
  ["Conflict", new Conflict("Taken.", { cause, details: { id: "x" } }), /^Taken\.$/, { id: "x" }],
  ["TooSlow", new TooSlow(15), /15 seconds/, { maxSeconds: 15 }],
  ["TooLarge", new TooLarge(1024), /1024 bytes/, { maxBytes: 1024 }],
  ["Invalid", new Invalid([{ field: "to", code: "required", message: "Required" }]), /validation failed/, undefined],
];

describe.each(refusals)("%s", (name, refusal, message, details) => {
  it("is a refusal that goes by its own name", () => {
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal.name).toBe(name);
  });

  it("says what is wrong in a sentence, with the facts beside it", () => {
    expect(refusal.message).toMatch(message);
    expect(refusal.message).toMatch(/\.$/);
    expect(refusal.details).toEqual(details);
  });

  it("keeps its cause out of what a caller reads", () => {
    const { suggestion, details: shown } = refusal;
    expect(JSON.stringify({ message: refusal.message, suggestion, details: shown })).not.toContain("UNIQUE");
  });
});

it("keeps the cause for the log", () => {
  expect(new Conflict("Taken.", { cause }).cause).toBe(cause);
});

it.each([
  ["ProjectDisabled", new ProjectDisabled()],
  ["UnverifiedSender", new UnverifiedSender("acme.test")],
  ["MonthlyLimitReached", new MonthlyLimitReached(1)],
  ["UnknownRoute", new UnknownRoute("GET", "/nope")],
  ["MethodNotAllowed", new MethodNotAllowed("PUT", "/a", { allowed: ["GET"] })],
  ["Invalid", new Invalid([])],
])("%s tells the caller what to do next", (_, refusal) => {
  expect(refusal.suggestion).toMatch(/\.$/);
});

const id = "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10";

it.each(["contact", "template", "campaign", "segment", "workflow", "domain", "email", "key", "job"] as const)(
  "NotFound names a missing %s by the UUID that customers know, and by what they wrote if it is none",
  (resource) => {
    expect(new NotFound(resource, readId(id)).details).toEqual({ resource, id });
    expect(new NotFound(resource, readId("0199")).details).toEqual({ resource, id: "0199" });
  },
);

it.each(["field", "event", "project", "suppression"] as const)(
  "NotFound names a missing %s by its own name",
  (resource) => {
    // As long as an id is.
    const name = "twenty-two-letters-abc";
    expect(new NotFound(resource, name).details).toEqual({ resource, id: name });
  },
);

it("MethodNotAllowed suggests the methods that work", () => {
  const refusal = new MethodNotAllowed("PUT", "/contacts", { allowed: ["GET", "POST"] });
  expect(refusal.suggestion).toBe("Use GET or POST.");
  expect(refusal.allowed).toEqual(["GET", "POST"]);
});

it.each<[told: string, fields: string[]]>([
  ["to: No.", ["to"]],
  ["to: No. attachments.0.filename: No.", ["to", "attachments.0.filename"]],
  ["body: No.", [""]],
  ["a: No. b: No. c: No. Also d, e.", ["a", "b", "c", "d", "e"]],
  ["a: No. a: No. a: No. Also a, b.", ["a", "a", "a", "a", "b", "a", "b"]],
])("Invalid says what is wrong with its fields: %s", (told, fields) => {
  const faults: FieldFault[] = fields.map((field) => ({ field, code: "custom", message: "No" }));
  const refusal = new Invalid(faults);
  expect(refusal.message).toBe(`Request validation failed. ${told}`);
  expect(refusal.faults).toEqual(faults);
});

it("ends each fault with one full stop, whether its own text has one or not", () => {
  const faults = ["No sentence", "A sentence."].map((message, n) => ({
    field: `f${n}`,
    code: "custom" as const,
    message,
  }));
  expect(new Invalid(faults).message).toBe("Request validation failed. f0: No sentence. f1: A sentence.");
});
