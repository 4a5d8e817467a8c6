import assert from "node:assert/strict";
import {
  AuthenticationError,
  ConnectionError,
  DomainNotVerifiedError,
  KeyReusedError,
  LimitError,
  NotFoundError,
  PermissionError,
  type PetrelError,
  RateLimitError,
  ServerError,
  ValidationError,
} from "petrel-client";
import { json, refusal, reused, scripted, silence } from "./scripted.js";

const mail = { to: "ada@example.com", from: "hello@acme.example", subject: "Hi", body: "<p>Hi</p>" };
const sent = { emails: [], timestamp: "2026-01-31T09:00:00.000Z" };
const keyOf = ({ headers }: { headers: Headers }) => headers.get("Idempotency-Key");

async function errorOf(call: Promise<unknown>): Promise<PetrelError> {
  // Every call of these checks fails with an error of the client.
  return (await call.then(
    () => assert.fail("It was answered"),
    (error: unknown) => error,
  )) as PetrelError;
}

export const calls: Record<string, () => Promise<void>> = {
  async "a call has its key, its body and a key of its own"() {
    const { petrel, seen } = scripted(json({ success: true, data: sent }), json({ success: true, data: sent }));
    await petrel.emails.send(mail);
    await petrel.emails.send(mail, { idempotencyKey: "order-1042" });
    const [first, second] = seen;
    assert.equal(`${first?.method} ${first?.url}`, "POST https://mail.example.com/v1/send");
    assert.equal(first?.headers.get("Authorization"), "Bearer sk_test");
    assert.equal(first?.headers.get("Content-Type"), "application/json");
    assert.deepEqual(JSON.parse(first?.body ?? ""), mail);
    assert.match(first?.headers.get("Idempotency-Key") ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(second && keyOf(second), "order-1042");
  },

  async "the data of an answer stands beside its warnings"() {
    const warnings = [{ field: "cc", message: "It is ignored" }];
    const { petrel } = scripted(json({ success: true, data: sent, warnings }));
    const answer = await petrel.emails.send(mail);
    assert.deepEqual(answer, { ...sent, warnings });
    assert.equal(answer.warnings?.[0]?.field, "cc");
  },

  async "an answer can be had with its status and headers"() {
    const { petrel } = scripted(json({ id: "1" }, 200, { "X-Request-ID": "req-9" }));
    const { data, response } = await petrel.contacts.get("1").withResponse();
    assert.equal(data.id, "1");
    assert.equal(response.headers.get("X-Request-ID"), "req-9");
  },

  async "an answer may be empty, or text"() {
    const { petrel } = scripted(new Response(null, { status: 204 }), new Response("graph TD"));
    assert.equal(await petrel.contacts.delete("1"), undefined);
    assert.equal(await petrel.workflows.draw("1"), "graph TD");
  },

  async "parts of the path are encoded, and never change the path"() {
    const { petrel, seen } = scripted(json({}));
    await petrel.events.getUsage("a/b c?");
    assert.equal(seen[0]?.url, "https://mail.example.com/events/a%2Fb%20c%3F/usage");
    for (const id of ["", ".", ".."]) assert.throws(() => petrel.contacts.delete(id), /contacts.delete needs id/);
    assert.equal(seen.length, 1);
  },

  async "a query has what is given"() {
    const { petrel, seen } = scripted(json({ data: [] }), json({ found: [] }));
    await petrel.contacts.list({ search: "a&b", subscribed: false, limit: 5 });
    await petrel.contacts.lookUp({ emails: ["a@b.example"] }, { expand: "contacts" });
    assert.equal(seen[0]?.url, "https://mail.example.com/contacts?search=a%26b&subscribed=false&limit=5");
    assert.equal(seen[1]?.url, "https://mail.example.com/contacts/lookup?expand=contacts");
  },

  async "a call that may have failed is repeated with the same key, twice"() {
    const { petrel, seen } = scripted(
      new TypeError("fetch failed"),
      refusal(503, "EXTERNAL_SERVICE_ERROR"),
      json({ success: true, data: sent }),
    );
    await petrel.events.track({ email: "ada@example.com", event: "signup" });
    assert.equal(seen.length, 3);
    assert.equal(new Set(seen.map(keyOf)).size, 1);
  },

  async "after two repeats the error is thrown"() {
    const failures = [408, 429, 500, 502].map((status) => refusal(status, "X"));
    const { petrel, seen } = scripted(...failures);
    const error = await errorOf(petrel.contacts.get("1"));
    assert.equal(seen.length, 3);
    assert.ok(error instanceof ServerError);
    assert.equal(error.status, 500);
  },

  async "what might have a second effect is not repeated"() {
    for (const run of [
      ({ petrel }: ReturnType<typeof scripted>) => petrel.contacts.upsert({ email: "ada@example.com" }),
      ({ petrel }: ReturnType<typeof scripted>) => petrel.contacts.update("1", { subscribed: false }),
    ]) {
      const world = scripted(refusal(503, "EXTERNAL_SERVICE_ERROR"));
      assert.ok((await errorOf(run(world))) instanceof ServerError);
      assert.equal(world.seen.length, 1);
    }
  },

  async "a refusal is not repeated"() {
    const { petrel, seen } = scripted(refusal(422, "VALIDATION_ERROR"));
    await errorOf(petrel.emails.send(mail));
    assert.equal(seen.length, 1);
  },

  async "Retry-After is obeyed up to a minute"() {
    const soon = scripted(json({}, 429, { "Retry-After": "1" }), json({ id: "1" }));
    const startedAt = Date.now();
    await soon.petrel.contacts.get("1");
    assert.ok(Date.now() - startedAt >= 990);
    const late = scripted(json({}, 429, { "Retry-After": "61" }));
    const error = await errorOf(late.petrel.contacts.get("1"));
    assert.ok(error instanceof RateLimitError);
    assert.equal(error.retryAfter, 61);
    assert.equal(late.seen.length, 1);
  },

  async "repeats can be turned off"() {
    const { petrel, seen } = scripted(refusal(503, "EXTERNAL_SERVICE_ERROR"));
    await errorOf(petrel.emails.send(mail, { maxRetries: 0 }));
    assert.equal(seen.length, 1);
  },

  async "the first answer to the same request is the answer"() {
    const original = { sameRequest: true, originalStatusCode: 200, originalResponse: { success: true, data: sent } };
    const { petrel } = scripted(reused(original));
    assert.deepEqual(await petrel.emails.send(mail), sent);
  },

  async "a request that is still under way is asked for again"() {
    const { petrel, seen } = scripted(
      reused({ sameRequest: true, originalStatusCode: null }),
      reused({ sameRequest: true, originalStatusCode: 200, originalResponse: { success: true, data: sent } }),
    );
    assert.deepEqual(await petrel.emails.send(mail), sent);
    assert.equal(seen.length, 2);
  },

  async "the key of another request is an error"() {
    const { petrel, seen } = scripted(reused({ sameRequest: false, originalStatusCode: 200 }));
    assert.ok((await errorOf(petrel.emails.send(mail, { idempotencyKey: "a" }))) instanceof KeyReusedError);
    assert.equal(seen.length, 1);
  },

  async "errors say what is wrong, where, and what to do"() {
    const fault = { field: "to", code: "invalid_string", message: "Must be an email address", received: "nope" };
    const { petrel } = scripted(refusal(422, "VALIDATION_ERROR", { errors: [fault] }));
    const error = await errorOf(petrel.emails.send(mail));
    assert.ok(error instanceof ValidationError);
    assert.equal(error.name, "ValidationError");
    assert.equal(error.message, "No. Ask again.");
    assert.equal(error.code, "VALIDATION_ERROR");
    assert.equal(error.suggestion, "Ask again.");
    assert.equal(error.requestId, "req-1");
    assert.deepEqual(error.fields, [fault]);
  },

  async "an error is of the class of its code"() {
    const domain = { details: { reason: "domain_not_verified", domain: "acme.example" } };
    for (const [answer, kind] of [
      [refusal(401, "INVALID_API_KEY"), AuthenticationError],
      [refusal(402, "BILLING_LIMIT_EXCEEDED"), LimitError],
      [refusal(403, "READ_ONLY_KEY"), PermissionError],
      [refusal(403, "INTERNAL_SERVER_ERROR", domain), DomainNotVerifiedError],
      [refusal(404, "CONTACT_NOT_FOUND"), NotFoundError],
    ] as const) {
      assert.equal((await errorOf(scripted(answer).petrel.contacts.get("1"))).constructor, kind);
    }
  },

  async "an error in the flat form has its fields too"() {
    const flat = {
      error: "email is missing",
      message: "email is missing. Add it.",
      errors: [{ field: "email", code: "required", message: "Required" }],
      requestId: "req-2",
    };
    const error = await errorOf(scripted(json(flat, 400)).petrel.contacts.upsert({ email: "" }));
    assert.ok(error instanceof ValidationError);
    assert.equal(error.message, "email is missing. Add it.");
    assert.deepEqual([error.fields[0]?.field, error.requestId], ["email", "req-2"]);
  },

  async "a page of a proxy is an error without a reason"() {
    const page = new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "Content-Type": "text/html" } });
    const error = await errorOf(scripted(page).petrel.emails.send(mail, { maxRetries: 0 }));
    assert.ok(error instanceof ServerError);
    assert.match(error.message, /answered 502/);
  },

  async "half an answer is none"() {
    const half = new Response('{"success":', { headers: { "Content-Type": "application/json" } });
    const error = await errorOf(scripted(half).petrel.emails.send(mail, { maxRetries: 0 }));
    assert.ok(error instanceof ConnectionError);
  },

  async "a call ends after its time"() {
    const error = await errorOf(scripted(silence).petrel.emails.send(mail, { timeoutMs: 10, maxRetries: 0 }));
    assert.ok(error instanceof ConnectionError);
    assert.match(error.message, /No answer within 10 ms: POST/);
  },

  async "a caller ends a call, and its repeats"() {
    const [under, between] = [new AbortController(), new AbortController()];
    const call = scripted(silence).petrel.contacts.get("1", { signal: under.signal });
    under.abort(new Error("The user left"));
    assert.equal((await errorOf(call)).message, "The user left");
    const { petrel, seen } = scripted(json({}, 503, { "Retry-After": "60" }));
    const repeated = petrel.contacts.get("1", { signal: between.signal });
    setTimeout(() => between.abort(new Error("The user left")), 20);
    assert.equal((await errorOf(repeated)).message, "The user left");
    assert.equal(seen.length, 1);
  },
};
