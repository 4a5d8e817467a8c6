import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { keyRows } from "../support/gate";
import { call, newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";

function sendWith(project: TestProject, key: string, fields: Record<string, unknown> = {}) {
  const body = { to: "ada@example.com", ...contentOf(project), ...fields };
  const headers = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": key };
  return call("POST", "/v1/send", body, { headers });
}

async function emailCount(project: TestProject): Promise<number> {
  const row = await project.db
    .prepare("SELECT count(*) AS n FROM emails WHERE project_id = ?")
    .bind(project.id)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

function contentOf({ domain }: TestProject) {
  return { from: `hi@${domain}`, subject: "Hi", body: "Hi" };
}

/** What every 409 says of the mail that used the key. */
function used(key: string) {
  const originalRequestAt = expect.stringMatching(/^\d{4}-.*Z$/);
  return { key, originalRequest: "POST /v1/send", originalRequestAt, originalStatusCode: 200 };
}

const gateRows = ({ id }: TestProject, sql: string) => keyRows(id, sql);

describe("an Idempotency-Key", () => {
  it("used again answers 409 with what the first request did", async () => {
    const project = await newProject();
    const first = await sendWith(project, "order-1");
    expect(first.status).toBe(200);
    const again = await sendWith(project, "order-1");
    expectRefusal(again, 409, "IDEMPOTENCY_KEY_REUSED", {
      details: { ...used("order-1"), sameRequest: true, originalResponse: first.body },
    });
    expect(await emailCount(project)).toBe(1);
  });

  it.each([
    ["which the gate remembers", async () => []],
    ["which only the database remembers", (project: TestProject) => gateRows(project, "DELETE FROM idempotency_keys")],
    [
      "which the gate has not heard the answer of",
      (project: TestProject) => gateRows(project, "UPDATE idempotency_keys SET status = NULL, response = NULL"),
    ],
    [
      "whose request the gate has given up",
      (project: TestProject) =>
        gateRows(project, "UPDATE idempotency_keys SET status = NULL, response = NULL, claimed_at = 1"),
    ],
  ])("used by another mail, %s, says that this one did not go out", async (_, happens) => {
    const project = await newProject();
    const first = await sendWith(project, "order-1");
    await happens(project);
    const other = await sendWith(project, "order-1", { subject: "Another" });
    expectRefusal(other, 409, "IDEMPOTENCY_KEY_REUSED", { details: { ...used("order-1"), sameRequest: false } });
    expect(other.body.error.message).toContain("its mail was not sent");
    expect(other.body.error.suggestion).toContain("with a new key");
    // Also when the other one came in between, a repeat of the first is one.
    const again = (await sendWith(project, "order-1")).body.error;
    expect(again.details).toEqual({ ...used("order-1"), sameRequest: true, originalResponse: first.body });
    expect(again.message).not.toContain("no effect");
    expect(await emailCount(project)).toBe(1);
  });

  it("of a request in flight says whether this is the same one", async () => {
    const project = await newProject();
    await sendWith(project, "order-1");
    await project.db.prepare("DELETE FROM idempotency_effects WHERE project_id = ?").bind(project.id).run();
    await gateRows(project, "UPDATE idempotency_keys SET status = NULL, response = NULL");
    const inFlight = { ...used("order-1"), originalStatusCode: null };
    const same = (await sendWith(project, "order-1")).body.error;
    expect(same).toMatchObject({ suggestion: expect.stringContaining("still running") });
    expect(same.details).toEqual({ ...inFlight, sameRequest: true });
    const other = (await sendWith(project, "order-1", { subject: "Another" })).body.error;
    expect(other.details).toEqual({ ...inFlight, sameRequest: false });
  });

  it("of another endpoint is another request, whatever its body", async () => {
    const project = await newProject();
    const headers = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": "one" };
    const body = { to: "ada@example.com", email: "ada@example.com", event: "paid", ...contentOf(project) };
    expect((await call("POST", "/v1/send", body, { headers })).status).toBe(200);
    const { message, details } = (await call("POST", "/events/track", body, { headers })).body.error;
    expect(details).toEqual({ ...used("one"), sameRequest: false });
    expect(message).toMatch(/by POST \/v1\/send at .+\. This request had no effect\.$/);
  });

  it("is the same for a body that comes in parts as for one at once", async () => {
    const project = await newProject();
    const text = JSON.stringify({ to: "ada@example.com", ...contentOf(project), body: "é".repeat(40_000) });
    const headers = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": "parts" };
    const first = await call("POST", "/v1/send", text, { headers });
    const again = await exports.default.fetch("https://petrel.example/v1/send", {
      method: "POST",
      headers,
      body: new Blob([text]).stream(),
    });
    const { error } = await again.json<{ error: { details: unknown } }>();
    expect(error.details).toEqual({ ...used("parts"), sameRequest: true, originalResponse: first.body });
  });

  it("is not claimed by a body that cannot be read", async () => {
    const project = await newProject();
    const headers = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": "k" };
    const unreadable = await exports.default.fetch("https://petrel.example/v1/send", {
      method: "POST",
      headers,
      body: new Uint8Array([0xff]),
    });
    expect(unreadable.status).toBe(400);
    expect(await gateRows(project, "SELECT key FROM idempotency_keys")).toEqual([]);
    expect((await sendWith(project, "k")).status).toBe(200);
  });

  it("used a hundred times at once has one effect", async () => {
    const project = await newProject();
    const answers = await Promise.all(Array.from({ length: 100 }, () => sendWith(project, "same")));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(99);
    expect(await emailCount(project)).toBe(1);
  });

  it("is free again after a refusal, whatever it was", async () => {
    const project = await newProject();
    expect((await sendWith(project, "k", { to: "nope" })).status).toBe(422);
    expect((await sendWith(project, "k", { from: "hi@elsewhere.test" })).status).toBe(403);
    expect((await sendWith(project, "k", { body: "{{ open" })).status).toBe(422);
    expect((await sendWith(project, "k")).status).toBe(200);
    expect((await sendWith(project, "k")).status).toBe(409);
  });

  it("that only the database remembers keeps the time of its first use, and expires when that does", async () => {
    const project = await newProject();
    await sendWith(project, "old");
    await gateRows(project, "DELETE FROM idempotency_keys");
    const [usedAt, expiresAt] = [Date.now() - 23 * 3_600_000, Date.now() + 3_600_000];
    await project.db
      .prepare("UPDATE idempotency_effects SET created_at = ?, expires_at = ? WHERE project_id = ?")
      .bind(usedAt, expiresAt, project.id)
      .run();
    for (let use = 0; use < 2; use++) {
      const { details } = (await sendWith(project, "old", { to: "nope@example.com" })).body.error;
      expect(details).toMatchObject({
        originalRequest: "POST /v1/send",
        originalRequestAt: new Date(usedAt).toISOString(),
        originalStatusCode: 200,
      });
    }
    const kept = await gateRows(project, "SELECT at, expires_at FROM idempotency_keys");
    expect(kept).toEqual([{ at: usedAt, expires_at: expiresAt }]);
    expect(await emailCount(project)).toBe(1);
  });

  it("belongs to its project", async () => {
    const [one, other] = [await newProject(), await newProject()];
    expect((await sendWith(one, "shared")).status).toBe(200);
    expect((await sendWith(other, "shared")).status).toBe(200);
  });

  it("is claimed before validation: a wrong body under a used key is a 409", async () => {
    const project = await newProject();
    await sendWith(project, "used");
    expect((await sendWith(project, "used", { to: "nope" })).status).toBe(409);
  });

  it.each([
    ["one character", "k", 200],
    ["255 characters", "k".repeat(255), 200],
    ["256 characters", "k".repeat(256), 400],
    ["blanks and punctuation", "a b!~", 200],
    ["none at all", "", 400],
    ["a tab inside", "a\tb", 400],
  ])("may be %s: %#", async (_, key, status) => {
    const project = await newProject();
    const answer = await sendWith(project, key);
    expect(answer.status).toBe(status);
    if (status === 400) expectRefusal(answer, 400, "INVALID_IDEMPOTENCY_KEY");
    expect(await emailCount(project)).toBe(status === 200 ? 1 : 0);
  });
});
