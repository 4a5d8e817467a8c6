import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newId, publicId, textOf } from "../../src/core/ids";
import { maxMonitorKeys } from "../../src/features/monitor-keys/add";
import { databaseOf, shards } from "../support/database";
import { type Answer, admin, bearer, call, newProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { sendAndWait } from "../support/send-and-wait";
import { callWith } from "../support/with-settings";

const nobody = "01990000-0000-7000-8000-000000000000";
const newKey = async (): Promise<Answer["body"]> => (await admin.post("/admin/keys", { kind: "monitor" })).body;

describe("/admin/keys", () => {
  it("makes a key that is shown once, lists it, and revokes it", async () => {
    const { status, body } = await admin.post("/admin/keys", { kind: "monitor", name: " grafana " });
    expect(status).toBe(201);
    expect(body).toEqual({
      ...{ id: expect.stringMatching(uuid), kind: "monitor", name: "grafana", prefix: body.key.slice(0, 11) },
      ...{ createdAt: expect.stringMatching(isoTime), key: expect.stringMatching(/^mk_[0-9a-f]{64}$/) },
    });
    const { key, ...shown } = body;
    expect((await admin.get("/admin/keys")).body).toContainEqual(shown);
    expect(JSON.stringify((await admin.get("/admin/keys")).body)).not.toContain(key);
    expect((await call("GET", "/admin/health", undefined, bearer(key))).status).toBe(200);
    expect((await admin.delete(`/admin/keys/${body.id}`)).status).toBe(204);
    expectRefusal(await admin.delete(`/admin/keys/${body.id}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "key", id: body.id },
    });
    expectRefusal(await call("GET", "/admin/health", undefined, bearer(key)), 401, "INVALID_API_KEY");
  });

  it("stores only the hash of a key", async () => {
    const { key } = await newKey();
    const { results } = await env.DB.prepare("SELECT * FROM monitor_keys").all();
    expect(JSON.stringify(results)).not.toContain(key.slice(12));
  });

  it("lets the key read the health and the metrics, and nothing else", async () => {
    const { key } = await newKey();
    for (const path of ["/admin/health", "/admin/metrics"]) {
      expect((await call("GET", path, undefined, bearer(key))).status).toBe(200);
    }
    for (const [method, path] of [
      ["GET", "/admin/projects"],
      ["POST", "/admin/projects"],
      ["GET", "/admin/keys"],
      ["POST", "/admin/keys"],
      ["GET", "/admin/dead-letters"],
      ["POST", `/admin/dead-letters/${nobody}/retry`],
      ["GET", "/contacts"],
    ] as const) {
      const refused = await call(method, path, method === "POST" ? {} : undefined, bearer(key));
      expectRefusal(refused, 401, "INVALID_API_KEY");
      expect(refused.body.message).toMatch(/a monitor key.*read GET \/admin\/health and GET \/admin\/metrics/);
    }
  });

  it("refuses other kinds, and the one key too many", async () => {
    expectInvalid(await admin.post("/admin/keys", { kind: "secret" }), "kind", "invalid_enum_value");
    const full = async (): Promise<Answer> => {
      const made = await admin.post("/admin/keys", { kind: "monitor" });
      return made.status === 201 ? full() : made;
    };
    expectRefusal(await full(), 409, "CONFLICT");
    expect((await admin.get("/admin/keys")).body).toHaveLength(maxMonitorKeys);
  });

  it("is the operator's alone", async () => {
    const project = await newProject();
    for (const path of ["/admin/keys", "/admin/health", "/admin/metrics", "/admin/dead-letters"]) {
      expectRefusal(await project.api.get(path), 401, "INVALID_API_KEY");
      const refused = await call("GET", path);
      expectRefusal(refused, 401, "INVALID_API_KEY");
      expect(refused.body.error.suggestion.includes("a monitor key")).toBe(/health|metrics/.test(path));
    }
  });
});

it("GET /admin/metrics is read by Prometheus, and names the busiest projects by their ids", async () => {
  const project = await newProject();
  await sendAndWait(project, { to: "a@example.com", subject: "Hi", body: "Hi" });
  // Another isolate has kept no answer.
  const { status, headers, body } = await callWith({}, "GET", "/admin/metrics", { token: env.ADMIN_TOKEN ?? "" });
  expect(status).toBe(200);
  expect(headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines: string[] = body.trimEnd().split("\n");
  const sample = /^(petrel_[a-z_]+)(\{([a-z]+="[^"\\]*",?)+\})? (-?\d+(\.\d+)?(e[+-]?\d+)?)$/;
  const declared = new Set(lines.flatMap((line) => /^# TYPE (\S+) (gauge|counter)$/.exec(line)?.[1] ?? []));
  for (const line of lines.filter((line) => !line.startsWith("#"))) {
    const name = sample.exec(line)?.[1];
    expect(name, line).toBeDefined();
    expect(declared).toContain(name);
  }
  expect(lines.filter((line) => line.startsWith("# HELP"))).toHaveLength(declared.size);
  expect(body).toContain(`petrel_project_mail_accepted_this_month{project="${project.id}"} 1`);
  expect(body).toMatch(/^petrel_mail_events_total\{event="email\.delivered"\} [1-9]\d*$/m);
  // An isolate gives its answer again for a while, also when there is a project more.
  const kept = (await admin.get("/admin/metrics")).body;
  await newProject();
  expect((await admin.get("/admin/metrics")).body).toBe(kept);
  expect(body).toMatch(/^petrel_database_bytes\{database="DB"\} \d{5,}$/m);
});

it("GET /admin/metrics names twenty of many projects, the busiest of all databases", async () => {
  const projects = await Promise.all(Array.from({ length: 24 }, () => newProject()));
  const month = new Date().toISOString().slice(0, 7);
  // The later a project, the busier it is; every other one in the other database.
  const rows = projects.map(({ id, number }, place) => ({ id, number, emails: 1_000_000 + place }));
  const ofShard = (shard: string) => rows.filter((_, place) => shards[place % shards.length] === shard);
  for (const shard of shards) {
    const insert = databaseOf(shard).prepare("INSERT INTO monthly_usage VALUES (?, ?, '', ?)");
    await databaseOf(shard).batch(ofShard(shard).map(({ number, emails }) => insert.bind(number, month, emails)));
  }
  try {
    const { body } = await callWith({}, "GET", "/admin/metrics", { token: env.ADMIN_TOKEN ?? "" });
    const named = [...body.matchAll(/^petrel_project_mail_accepted_this_month\{project="(\S+)"\} (\d+)$/gm)];
    expect(named.map(([, id, emails]) => ({ id, emails: Number(emails) }))).toEqual(
      rows
        .toReversed()
        .slice(0, 20)
        .map(({ id, emails }) => ({ id, emails })),
    );
    // The others are in the sum, and nowhere else.
    const total = Number(/^petrel_mail_accepted_this_month (\d+)$/m.exec(body)?.[1]);
    expect(total).toBeGreaterThanOrEqual(rows.reduce((sum, { emails }) => sum + emails, 0));
    for (const { id } of rows.slice(0, 4)) expect(body).not.toContain(id);
  } finally {
    for (const shard of shards) {
      const forget = databaseOf(shard).prepare("DELETE FROM monthly_usage WHERE project_id = ?");
      await databaseOf(shard).batch(ofShard(shard).map(({ number }) => forget.bind(number)));
    }
  }
});

describe("/admin/dead-letters", () => {
  async function bury(message: unknown): Promise<string> {
    const id = newId();
    await env.DB.prepare("INSERT INTO dead_letters (id, queue, body, created_at) VALUES (?, ?, ?, ?)")
      .bind(textOf(id), "petrel-jobs-dead", JSON.stringify(message), Date.now())
      .run();
    return publicId(id);
  }

  it("lists what queues gave up on, and sends it again once", async () => {
    const message = { type: "webhooks.drain" };
    const id = await bury(message);
    const { body } = await admin.get("/admin/dead-letters?limit=1");
    expect(body).toMatchObject({ hasMore: false, total: 1 });
    expect(body.data).toEqual([
      { id, queue: "petrel-jobs-dead", type: "webhooks.drain", message, createdAt: expect.stringMatching(isoTime) },
    ]);
    const retried = await admin.post(`/admin/dead-letters/${id}/retry`, undefined);
    expect(retried.status).toBe(202);
    expect(retried.body).toEqual({ id, type: "webhooks.drain", status: "queued" });
    expect((await admin.get("/admin/dead-letters")).body.data).toEqual([]);
    expectRefusal(await admin.post(`/admin/dead-letters/${id}/retry`, undefined), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "dead letter", id },
    });
  });

  it("keeps a message that this version does not know", async () => {
    const id = await bury({ type: "from.the.future" });
    expectRefusal(await admin.post(`/admin/dead-letters/${id}/retry`, undefined), 409, "CONFLICT");
    expect((await admin.get("/admin/dead-letters")).body.data).toMatchObject([{ id, type: "from.the.future" }]);
  });
});
