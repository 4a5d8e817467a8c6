import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { wholeApp } from "../../src/app";
import { openBookmark, sealBookmark } from "../../src/core/bookmark";
import { policySaidBy } from "../../src/http/policy";
import type { Env } from "../../src/platform/env";
import { databaseOf, otherShard, shardOfTest } from "../support/database";
import { keyFor, operations } from "../support/doors";
import { call, newProject, type TestProject } from "../support/project";
import { Replicated } from "../support/replicated";
import { callWith } from "../support/with-settings";

const READ_REPLICAS = "true";
const secrets = [env.LINK_SECRETS ?? ""];

interface Given {
  key?: string;
  /** What the caller sends as its bookmark. */
  bookmark?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

function boundAs(shard: string, { database }: Replicated): Partial<Env> {
  return { [shard]: database };
}

/** A project on a database with a copy. The trips of a call are those to that database by way of a session. */
async function newReplicated(settings: Record<string, unknown> = {}) {
  const shard = shardOfTest();
  const project = await newProject(settings, shard);
  const replicated = new Replicated(databaseOf(shard), databaseOf(otherShard()));
  return { project, replicated, api: caller(project, { READ_REPLICAS, ...boundAs(shard, replicated) }, replicated) };
}

function caller(project: TestProject, installation: Partial<Env>, replicated?: Replicated) {
  return async (method: string, path: string, { key, bookmark = null, body, headers = {} }: Given = {}) => {
    if (replicated) replicated.trips = [];
    const own = bookmark === null ? headers : { ...headers, "Petrel-Bookmark": bookmark };
    const answer = await callWith(installation, method, path, {
      token: key ?? project.keys.secret,
      body,
      headers: own,
    });
    const trips = replicated?.trips.filter(({ start }) => start !== null) ?? [];
    return { ...answer, bookmark: answer.headers.get("Petrel-Bookmark"), trips, at: trips.map(({ at }) => at) };
  };
}

const ada = "ada@example.com";

describe("a caller that sends the bookmark of its last answer", () => {
  it("reads from a copy, which has what the caller has just made", async () => {
    const { api } = await newReplicated();
    const made = await api("POST", "/contacts", { body: { email: ada } });
    expect(made.status).toBe(201);
    for (const path of [`/contacts/${made.body.id}`, "/contacts", "/contacts/fields", "/activity/stats"]) {
      const read = await api("GET", path, { bookmark: made.bookmark });
      expect([path, read.status, new Set(read.at)]).toEqual([path, 200, new Set(["copy"])]);
      if (path === "/contacts") expect(read.body.total).toBe(1);
    }
  });

  it("sees each of its changes, one after the other, whichever call made them", async () => {
    const { api } = await newReplicated();
    const made = await api("POST", "/contacts", { body: { email: ada } });
    const path = `/contacts/${made.body.id}`;
    let { bookmark } = made;
    for (const plan of ["free", "pro", "team"]) {
      ({ bookmark } = await api("PATCH", path, { bookmark, body: { data: { plan } } }));
      const read = await api("GET", path, { bookmark });
      expect([read.at, read.body.data]).toEqual([["copy"], { plan }]);
      ({ bookmark } = read);
    }
    ({ bookmark } = await api("DELETE", path, { bookmark }));
    expect((await api("GET", path, { bookmark })).status).toBe(404);
  });

  it("gets one that is no older with each answer, also of what does not exist", async () => {
    const { api } = await newReplicated();
    const made = await api("POST", "/contacts", { body: { email: ada } });
    const at = async (sealed: string | null) => (await openBookmark(secrets, sealed ?? ""))?.at ?? "";
    const first = await at(made.bookmark);
    for (const path of ["/contacts", "/contacts/none", "/nothing"]) {
      const { bookmark } = await api("GET", path, { bookmark: made.bookmark });
      if (bookmark !== null) expect((await at(bookmark)) >= first, path).toBe(true);
    }
  });

  it("sees what an earlier call with the same idempotency key has done", async () => {
    const { project, api } = await newReplicated();
    const body = { to: ada, from: `hello@${project.domain}`, subject: "Your code", body: "42" };
    const headers = { "Idempotency-Key": "code-1" };
    const { body: lost } = await api("POST", "/v1/send", { body, headers });
    const again = await api("POST", "/v1/send", { body, headers });
    expect(again.status).toBe(409);
    const read = await api("GET", `/emails/${lost.data.emails[0].email}`, { bookmark: again.bookmark });
    expect([read.status, new Set(read.at)]).toEqual([200, new Set(["copy"])]);
  });

  it("sees the execution that an object has started", async () => {
    const { project, api } = await newReplicated();
    const door = operations.startWorkflowExecution;
    const { params = {}, body } = (await door?.knock(project)) ?? {};
    const started = await api("POST", `/workflows/${params.id}/executions`, { body });
    expect(started.status).toBe(door?.good);
    // The object writes by its own binding: the newest state is asked for after it.
    expect(started.trips.at(-1)).toMatchObject({ at: "primary", sql: ["SELECT 1"] });
    const list = await api("GET", `/workflows/${params.id}/executions`, { bookmark: started.bookmark });
    expect([list.body.total, new Set(list.at)]).toEqual([1, new Set(["copy"])]);
  });
});

describe("a caller that sends no bookmark", () => {
  it("reads from the primary what it has just made", async () => {
    const { api } = await newReplicated();
    const made = await api("POST", "/contacts", { body: { email: ada } });
    const read = await api("GET", `/contacts/${made.body.id}`);
    expect([read.status, read.at]).toEqual([200, ["primary"]]);
    expect(read.bookmark).not.toBeNull();
  });
});

describe("a caller that sends `any`", () => {
  it("takes what the nearest copy has, which may lag", async () => {
    const { api } = await newReplicated();
    const made = await api("POST", "/contacts", { body: { email: ada } });
    const read = await api("GET", `/contacts/${made.body.id}`, { bookmark: "any" });
    expect([read.status, read.at]).toEqual([404, ["copy"]]);
    expect((await api("GET", `/contacts/${made.body.id}`, { bookmark: made.bookmark })).status).toBe(200);
  });
});

describe("a copy that fails", () => {
  it.each(["D1_ERROR: Network connection lost.", "D1_ERROR: a bookmark that nobody understands"])(
    "costs a trip and no answer: %s",
    async (message) => {
      const { api, replicated } = await newReplicated();
      const made = await api("POST", "/contacts", { body: { email: ada } });
      replicated.copyFails = message;
      const read = await api("GET", `/contacts/${made.body.id}`, { bookmark: made.bookmark });
      expect([read.status, read.at]).toEqual([200, ["copy", "primary"]]);
    },
  );
});

describe("a bookmark that is not one of ours", () => {
  it.each([
    ["", "none"],
    ["00000001-00000000-0000504b-0c3e87bb37b3db5cc52eedb93cd3b86b", "as D1 has it"],
    ["first-unconstrained", "what D1 takes"],
    ["ANY", "another word"],
    ["x".repeat(5_000), "long"],
  ])("is a 400 that says what to do, without an effect: %#", async (bookmark) => {
    const { api } = await newReplicated();
    for (const [method, body] of [["GET"], ["POST", { email: ada }]] as const) {
      const refused = await api(method, "/contacts", { bookmark, body });
      expect([refused.status, refused.body.error.code]).toEqual([400, "BAD_REQUEST"]);
      expect(refused.body.error.suggestion).toContain("leave it out");
    }
    expect((await api("GET", "/contacts")).body.total).toBe(0);
  });

  it("is a 400 when somebody has changed it, or another installation has sealed it", async () => {
    const { api } = await newReplicated();
    const bookmark = (await api("GET", "/contacts")).bookmark ?? "";
    // The last letters may say what they said before: a letter in the middle does not.
    const changed = bookmark.slice(0, 30) + (bookmark[30] === "A" ? "B" : "A") + bookmark.slice(31);
    const foreign = await sealBookmark(["another-secret-of-at-least-32-characters"], { shard: shardOfTest(), at: "1" });
    for (const bad of [changed, bookmark.slice(0, 40), foreign]) {
      expect((await api("GET", "/contacts", { bookmark: bad })).status).toBe(400);
    }
  });
});

it("a bookmark of another database is as none", async () => {
  const { api } = await newReplicated();
  const made = await api("POST", "/contacts", { body: { email: ada } });
  const bookmark = await sealBookmark(secrets, { shard: otherShard(), at: "ffffffff" });
  const read = await api("GET", `/contacts/${made.body.id}`, { bookmark });
  expect([read.status, read.at]).toEqual([200, ["primary"]]);
});

it("the rate limit counts a call with a bad bookmark", async () => {
  const { project } = await newReplicated();
  const api = caller(project, { READ_REPLICAS, RATE_LIMIT_ENABLED: "true" });
  const refused = await api("GET", "/contacts", { bookmark: "bad" });
  expect([refused.status, refused.headers.has("RateLimit-Remaining")]).toEqual([400, true]);
});

const { body: document } = await callWith({ READ_REPLICAS }, "GET", "/openapi.json");
interface Documented {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string }[];
  responses: Record<string, { headers?: object }>;
}
const documented = Object.entries<Record<string, Documented>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const ofProjects = documented.filter(({ operation: { security = document.security } }) =>
  security.some((way: object) => "secretKey" in way || "publicKey" in way),
);

const app = await wholeApp();

function readsCopies({ method, path }: { method: string; path: string }): boolean {
  const route = path.replace(/\{(\w+)\}/g, ":$1");
  return app.routes.some((one) => one.method === method && one.path === route && policySaidBy(one)?.readsCopies);
}

describe("every operation that changes something reads from the primary, whatever its caller sends", () => {
  const writing = ofProjects.filter((one) => !readsCopies(one) && operations[one.operation.operationId]);

  it("knows them", () => {
    expect(writing.length).toBeGreaterThan(50);
    expect(writing.map(({ operation }) => operation.operationId)).toContain("verifyDomain");
  });

  it.each(writing.map((one) => [one.operation.operationId, one] as const))(
    "%s",
    async (id, { method, path, ...one }) => {
      const door = operations[id];
      const { project, api } = await newReplicated(door?.project);
      const { params = {}, query = "", body, headers } = (await door?.knock(project)) ?? {};
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
      const key = keyFor(project, one.operation.security ?? document.security) ?? undefined;
      const answer = await api(method, filled + query, { key, bookmark: "any", body, headers });
      expect([door?.good, door?.later]).toContain(answer.status);
      expect(answer.trips.filter(({ at, start }) => at === "copy" || start !== "first-primary")).toEqual([]);
      expect(answer.bookmark).not.toBeNull();
    },
  );
});

describe("every operation that reads from a copy writes nothing there", () => {
  /** Whose parameters fit a path. */
  const doorFor: [prefix: string, door: string][] = [
    ["/contacts", "updateContact"],
    ["/segments", "updateSegment"],
    ["/templates", "updateTemplate"],
    ["/campaigns", "replaceCampaign"],
    ["/workflows/{id}/executions/", "cancelWorkflowExecution"],
    ["/workflows", "updateWorkflow"],
    ["/webhooks", "updateWebhook"],
    ["/topics", "updateTopic"],
    ["/emails", "cancelEmail"],
  ];

  it.each(ofProjects.filter(readsCopies).map((one) => [one.path, one] as const))("%s", async (path) => {
    const { project, api } = await newReplicated();
    const [, name = ""] = doorFor.find(([prefix]) => path.startsWith(prefix)) ?? [];
    const { params = {} } = (await operations[name]?.knock(project)) ?? {};
    const others: Record<string, string> = { projectId: project.id, field: "plan", eventName: "signup" };
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? others[name] ?? crypto.randomUUID());
    const { bookmark } = await api("GET", "/contacts");
    const answer = await api("GET", filled, { bookmark });
    expect([200, 404, 422]).toContain(answer.status);
    expect(answer.trips.filter(({ at, writes }) => at === "primary" || writes)).toEqual([]);
  });
});

describe("the document", () => {
  it("has the header where a caller may send it, and of each answer to a project", () => {
    for (const one of documented) {
      const names = one.operation.parameters?.map(({ name }) => name) ?? [];
      expect(names.includes("Petrel-Bookmark"), one.path).toBe(ofProjects.includes(one) && readsCopies(one));
      const [, answer] = Object.entries(one.operation.responses).find(([status]) => Number(status) < 300) ?? [];
      expect("Petrel-Bookmark" in (answer?.headers ?? {}), one.path).toBe(ofProjects.includes(one));
    }
    expect(document.info.description).toContain("Reading from a copy nearby");
  });

  it("says nothing of it where databases have no copies", async () => {
    const { body } = await call("GET", "/openapi.json");
    expect(JSON.stringify(body)).not.toContain("Petrel-Bookmark");
  });
});

describe("without READ_REPLICAS", () => {
  it.each(["garbage", "any"])("opens no session, and neither reads nor sends the header: %s", async (bookmark) => {
    const { project, replicated } = await newReplicated();
    const api = caller(project, boundAs(shardOfTest(), replicated), replicated);
    const made = await api("POST", "/contacts", { bookmark, body: { email: ada } });
    const read = await api("GET", `/contacts/${made.body.id}`, { bookmark });
    for (const answer of [made, read])
      expect([answer.status < 300, answer.bookmark, answer.trips]).toEqual([true, null, []]);
  });

  it("is how it works where no secret could seal a bookmark", async () => {
    const { project } = await newReplicated();
    const api = caller(project, { READ_REPLICAS, LINK_SECRETS: "" });
    expect((await api("GET", "/contacts")).bookmark).toBeNull();
  });
});

describe("the real database, whose only copy is itself", () => {
  it("answers a bookmark of its own, and `any`", async () => {
    const project = await newProject();
    const api = caller(project, { READ_REPLICAS });
    const made = await api("POST", "/contacts", { body: { email: ada } });
    expect((await openBookmark(secrets, made.bookmark ?? ""))?.shard).toBe(shardOfTest());
    for (const bookmark of [made.bookmark, "any", null]) {
      const read = await api("GET", `/contacts/${made.body.id}`, { bookmark });
      expect([read.status, read.body.email, read.bookmark !== null]).toEqual([200, ada, true]);
    }
  });

  it("leaves the CORS headers of /v1/track as they are", async () => {
    const project = await newProject();
    const sent = { key: project.keys.public, body: { email: ada, event: "signup" } };
    const answers = [caller(project, {}), caller(project, { READ_REPLICAS })].map((api) =>
      api("POST", "/v1/track", sent),
    );
    const [off, on] = await Promise.all(answers);
    const cors = (headers?: Headers) => [...(headers ?? [])].filter(([name]) => name.startsWith("access-control-"));
    expect(cors(on?.headers)).toEqual(cors(off?.headers));
  });
});
