import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { keeperOf } from "../../src/platform/gate";
import type { Admission } from "../../src/platform/project-gate-object";
import { keeperOfKey, named } from "../support/gate";
import { call, newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { newTemplate } from "../support/template";
import { callWith } from "../support/with-settings";

const key = "order-1";

function mail(project: TestProject): Record<string, unknown> {
  return { to: ["ada@example.com", "bob@example.com"], from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
}

function send(project: TestProject) {
  const headers = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": key };
  return call("POST", "/v1/send", mail(project), { headers });
}

const gateOf = ({ id }: TestProject) => keeperOfKey(id, key);

/** Changes what the gate remembers, as a death or the passing of time would have left it. */
async function gateRows(project: TestProject, sql: string, ...values: SqlStorageValue[]) {
  return runInDurableObject(gateOf(project), (_, state) => state.storage.sql.exec(sql, ...values).toArray());
}

async function emailIds(project: TestProject): Promise<string[]> {
  const { results } = await project.db
    .prepare("SELECT id FROM emails WHERE project_id = ? ORDER BY to_email")
    .bind(project.id)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

describe("a request that died", () => {
  it("after its claim, before its batch: 409 at first, and after a minute its retry goes through", async () => {
    const project = await newProject();
    const claim = { key: `secret:${key}`, owner: "the dead", request: "POST /v1/send", ttlMs: 3_600_000 };
    await gateOf(project).admit({ buckets: [], key: claim });
    const early = await send(project);
    expectRefusal(early, 409, "IDEMPOTENCY_KEY_REUSED", {
      details: {
        key,
        originalRequest: "POST /v1/send",
        originalRequestAt: expect.any(String),
        originalStatusCode: null,
      },
    });
    await gateRows(project, "UPDATE idempotency_keys SET claimed_at = claimed_at - 60000");
    expect((await send(project)).status).toBe(200);
    expect(await emailIds(project)).toHaveLength(2);
    expect((await send(project)).status).toBe(409);
  });

  it("after its batch, before it said so: its retry learns the ids", async () => {
    const project = await newProject();
    const first = await send(project);
    await gateRows(
      project,
      "UPDATE idempotency_keys SET status = NULL, response = NULL, claimed_at = claimed_at - 60000",
    );
    const retry = await send(project);
    expect(retry.status).toBe(409);
    expect(retry.body.error.details.originalResponse.data.emails).toEqual(first.body.data.emails);
    expect(await emailIds(project)).toHaveLength(2);
    // It is settled now, for whoever comes next.
    expect((await send(project)).body.error.details.originalStatusCode).toBe(200);
  });

  it("and was forgotten by the gate: the database still refuses a second effect, and tells of the first", async () => {
    const project = await newProject();
    const first = await send(project);
    await gateRows(project, "DELETE FROM idempotency_keys");
    const retry = await send(project);
    expect(retry.status).toBe(409);
    expect(retry.body.error.details.originalResponse.data.emails).toEqual(first.body.data.emails);
    expect(await emailIds(project)).toEqual(first.body.data.emails.map(({ email }: { email: string }) => email));
    expect((await send(project)).body.error.details.originalResponse).toBeDefined();
  });
});

describe("the first answer, as the database tells it when the gate has forgotten it", () => {
  const headers = { "Idempotency-Key": key };

  it("has the warnings of a send, and says that it was a sandbox", async () => {
    const project = await newProject();
    for (const name of ["ada", "bob"]) {
      await project.api.post("/contacts", { email: `${name}@example.com`, data: { full: "x".repeat(65_000) } });
    }
    const body = { ...mail(project), colour: "red", data: { more: "y".repeat(1_000) } };
    const again = () =>
      callWith({ SANDBOX: "true" }, "POST", "/v1/send", { token: project.keys.secret, body, headers });
    const first = await again();
    expect(first.body).toMatchObject({ sandbox: true, warnings: [{ field: "colour" }, { field: "data" }] });
    expect(first.body.warnings[1].message).toContain("The data of ada@example.com and 1 more was not stored");
    await gateRows(project, "DELETE FROM idempotency_keys");
    expect((await again()).body.error.details.originalResponse).toEqual(first.body);
  });

  it.each([
    ["one full contact", { more: "y".repeat(1_000) }, { data: { full: "x".repeat(65_000) } }],
    ["an unknown field", undefined, {}],
  ])("has those of %s, and none for a send without any", async (_, data, stored) => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", ...stored });
    for (const unknown of [{ colour: "red" }, {}]) {
      const body = { ...mail(project), to: "ada@example.com", ...unknown, data };
      const keyed = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": JSON.stringify(unknown) };
      const again = () => call("POST", "/v1/send", body, { headers: keyed });
      const first = await again();
      expect("warnings" in first.body).toBe(data !== undefined || "colour" in unknown);
      await gateRows(project, "DELETE FROM idempotency_keys");
      expect((await again()).body.error.details.originalResponse).toEqual(first.body);
    }
  });

  it("has that of marketing email without a postal address, beside the others", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", data: { full: "x".repeat(65_000) } });
    for (const type of ["MARKETING", "TRANSACTIONAL"]) {
      const { id } = await newTemplate(project, { type });
      const body = { to: "ada@example.com", template: id, colour: "red", data: { more: "y".repeat(1_000) } };
      const keyed = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": type };
      const again = () => call("POST", "/v1/send", body, { headers: keyed });
      const first = await again();
      const fields = first.body.warnings.map(({ field }: { field: string }) => field);
      expect(fields).toEqual(["colour", ...(type === "MARKETING" ? ["postalAddress"] : []), "data"]);
      await gateRows(project, "DELETE FROM idempotency_keys");
      expect((await again()).body.error.details.originalResponse).toEqual(first.body);
    }
  });

  it("has that of an opt-out which a public key does not lift", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com" });
    for (const theirs of [false, true]) {
      if (theirs) {
        await project.db
          .prepare(
            "UPDATE contacts SET subscribed = false, opted_out_by = 'PERSON', opted_out_at = 1 WHERE project_id = ?",
          )
          .bind(project.id)
          .run();
        await project.db
          .prepare("UPDATE project_counts SET subscribed = subscribed - 1 WHERE project_id = ?")
          .bind(project.id)
          .run();
      }
      const body = { email: "ada@example.com", event: "visited", subscribed: true };
      const keyed = { Authorization: `Bearer ${project.keys.public}`, "Idempotency-Key": String(theirs) };
      const again = () => call("POST", "/v1/track", body, { headers: keyed });
      const first = await again();
      expect(first.body.warnings).toEqual(theirs ? [expect.objectContaining({ field: "subscribed" })] : undefined);
      await gateRows(project, "DELETE FROM idempotency_keys");
      expect((await again()).body.error.details.originalResponse).toEqual(first.body);
    }
  });
});

describe("an answer of the gate that was lost", () => {
  it("does not turn the request against its own claim", async () => {
    const project = await newProject();
    let calls = 0;
    const real = gateOf(project);
    const forgetful = {
      admit: async (admission: Parameters<typeof real.admit>[0]) => {
        const admitted = await real.admit(admission);
        if (++calls === 1) throw new Error("The answer was lost");
        return admitted;
      },
      complete: (...said: Parameters<typeof real.complete>) => real.complete(...said),
      release: (...said: Parameters<typeof real.release>) => real.release(...said),
    };
    const GATE = { idFromName: () => ({}), get: () => forgetful } as unknown as typeof env.GATE;
    const headers = { "Idempotency-Key": key };
    const token = project.keys.secret;
    const answer = await callWith({ GATE }, "POST", "/v1/send", { token, body: mail(project), headers });
    expect(answer.status).toBe(200);
    expect((await send(project)).status).toBe(409);
    expect(await emailIds(project)).toHaveLength(2);
  });
});

describe("a gate out of reach", () => {
  const broken = { GATE: { idFromName: () => ({}), get: () => ({}) } as unknown as typeof env.GATE };

  it("answers 503 to a request with a key, with no effect, and lets one without a key go on", async () => {
    const project = await newProject();
    const token = project.keys.secret;
    const headers = { "Idempotency-Key": key };
    const refused = await callWith(broken, "POST", "/v1/send", { token, body: mail(project), headers });
    expectRefusal(refused, 503, "EXTERNAL_SERVICE_ERROR");
    expect(refused.headers.get("Retry-After")).toBe("1");
    expect(await emailIds(project)).toEqual([]);
    const limited = { ...broken, RATE_LIMIT_ENABLED: "true" };
    const answered = await callWith(limited, "POST", "/v1/send", { token, body: mail(project) });
    expect(answered.status).toBe(200);
    expect(answered.headers.get("RateLimit-Limit")).toBeNull();
    expect((await send(project)).status).toBe(200);
  });
});

describe("time", () => {
  it("frees a key, by the alarm and by every look at it", async () => {
    const project = await newProject();
    await send(project);
    await gateRows(project, "UPDATE idempotency_keys SET expires_at = 1");
    await project.db
      .prepare("UPDATE idempotency_effects SET expires_at = 1 WHERE project_id = ?")
      .bind(project.id)
      .run();
    expect((await send(project)).status).toBe(200);
    expect(await emailIds(project)).toHaveLength(4);

    await gateRows(project, "UPDATE idempotency_keys SET expires_at = 1");
    expect(await runDurableObjectAlarm(gateOf(project))).toBe(true);
    expect(await gateRows(project, "SELECT key FROM idempotency_keys")).toEqual([]);
  });
});

describe("keys and rates", () => {
  it("are asked for at the same time: a key waits for no bucket", async () => {
    const project = await newProject();
    const under: string[] = [];
    const both = Promise.withResolvers<void>();
    const GATE = {
      idFromName: (name: string) => name,
      get: (name: string) => ({
        admit: async (admission: Admission) => {
          under.push(name);
          if (under.length === 2) both.resolve();
          // Neither answers before the other was asked.
          await both.promise;
          return named(name).admit(admission);
        },
        complete: async () => {},
      }),
    } as unknown as typeof env.GATE;
    const answer = await callWith({ GATE, RATE_LIMIT_ENABLED: "true" }, "POST", "/v1/send", {
      token: project.keys.secret,
      body: mail(project),
      headers: { "Idempotency-Key": key },
    });
    expect(answer.status).toBe(200);
    expect(under.toSorted()).toEqual([project.id, keeperOf(project.id, { kind: "secret", key })].toSorted());
  });

  it("do not hold each other: a request over its rate leaves its key free", async () => {
    const project = await newProject();
    const limits = { RATE_LIMIT_ENABLED: "true", RATE_LIMIT_SEND_PER_SECOND: "1", RATE_LIMIT_SEND_BURST: "1" };
    const sendLimited = (name: string) =>
      callWith(limits, "POST", "/v1/send", {
        token: project.keys.secret,
        body: mail(project),
        headers: { "Idempotency-Key": name },
      });
    expect((await sendLimited("first")).status).toBe(200);
    expect((await sendLimited(key)).status).toBe(429);
    expect((await send(project)).status).toBe(200);
  });

  it("are spread over sixteen objects by the key", () => {
    const names = Array.from({ length: 400 }, (_, n) => keeperOf("p", { kind: "secret", key: `order-${n}` }));
    expect(new Set(names).size).toBe(16);
  });
});
