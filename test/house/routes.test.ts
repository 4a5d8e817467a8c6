import { describe, expect, it } from "vitest";
import { features, wholeApp } from "../../src/app";
import { generateKey } from "../../src/core/keys";
import { type Policy, policySaidBy } from "../../src/http/policy";
import { firstSegment } from "../../src/http/route-table";
import { bearer, call, newProject } from "../support/project";

interface Documented {
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, unknown>;
}

interface Operation {
  method: string;
  path: string;
  security: Record<string, string[]>[];
  /** As the routes have it, with its parameters' names. */
  route: string;
  documented: Documented;
}

const { body: document } = await call("GET", "/openapi.json");
const operations: Operation[] = Object.entries<Record<string, Documented>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, documented]) => ({
    method: method.toUpperCase(),
    path: path.replace(/\{[^}]+\}/g, "0199a0f2-0000-7000-8000-000000000000"),
    security: documented.security ?? document.security,
    route: path.replace(/\{([^}]+)\}/g, ":$1"),
    documented,
  })),
);
const named = (kind: string) =>
  operations
    .filter(({ security }) => security.length > 0 && security.every((way) => kind in way))
    .map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

it("knows every operation", () => {
  expect(operations.length).toBeGreaterThan(10);
  expect(named("secretKey").length + named("operatorToken").length).toBeGreaterThan(10);
});

async function refusal({ method, path }: Operation, token?: string) {
  const body = method === "GET" || method === "DELETE" ? undefined : {};
  const answer = await call(method, path, body, token === undefined ? {} : bearer(token));
  return { status: answer.status, code: answer.body.error?.code, success: answer.body.success };
}

const refused = { status: 401, code: "INVALID_API_KEY", success: false };

describe("every operation of a project refuses", () => {
  it.each(named("secretKey"))("%s: no key", async (_, operation) => {
    expect(await refusal(operation)).toEqual(refused);
  });

  it.each(named("secretKey"))("%s: a wrong key", async (_, operation) => {
    expect(await refusal(operation, generateKey("secret"))).toEqual(refused);
    expect(await refusal(operation, "sk_short")).toEqual(refused);
  });

  it.each(named("secretKey"))("%s: a public key", async (_, operation) => {
    const { keys } = await newProject();
    expect(await refusal(operation, keys.public)).toEqual(refused);
  });
});

const app = await wholeApp();

describe("every operation of the operator refuses", () => {
  it.each(named("operatorToken"))("%s: no token, a wrong one, and a project's key", async (_, operation) => {
    const { keys } = await newProject();
    expect(await refusal(operation)).toEqual(refused);
    expect(await refusal(operation, "x".repeat(64))).toEqual(refused);
    expect(await refusal(operation, keys.secret)).toEqual(refused);
  });
});

describe("the policy of every operation", () => {
  const asked = operations.map((operation) => [`${operation.method} ${operation.route}`, operation] as const);

  function policyOf({ method, route }: Operation): Policy {
    const said = app.routes
      .filter((entry) => entry.method === method && entry.path === route)
      .flatMap((entry) => policySaidBy(entry) ?? []);
    expect(said).toHaveLength(1);
    return said[0] as Policy;
  }

  it.each(asked)("%s: takes the key that the document says", (_, operation) => {
    const ways = {
      secret: [{ secretKey: [] }],
      public: [{ publicKey: [] }],
      operator: [{ operatorToken: [] }],
      outbox: [{}, { operatorToken: [] }],
      signed: [],
      person: [{ session: [] }],
      open: [],
    };
    expect(operation.security).toEqual(ways[policyOf(operation).key]);
  });

  it.each(asked)("%s: happens once if it documents the key for that", (_, operation) => {
    const names = operation.documented.parameters?.map(({ name }) => name) ?? [];
    expect(policyOf(operation).once).toBe(names.includes("Idempotency-Key"));
  });

  it.each(asked)("%s: says 413 if it takes a body, and reads the kind it documents", (_, operation) => {
    const { responses, requestBody } = operation.documented;
    expect("413" in responses).toBe(requestBody !== undefined);
    // It has a deadline too.
    expect("408" in responses).toBe(requestBody !== undefined);
    const { maxBody, isUpload } = policyOf(operation);
    if (requestBody) expect(maxBody).not.toBeNull();
    expect(isUpload).toBe("multipart/form-data" in (requestBody?.content ?? {}));
  });

  it.each(asked)("%s: is refused a disabled project unless it is a read", (_, operation) => {
    const { key, isRead } = policyOf(operation);
    if (key === "secret" || key === "public") expect(isRead).toBe(!("403" in operation.documented.responses));
  });

  it.each(asked)("%s: counts for the rate limit of its kind", (_, operation) => {
    const { method, route } = operation;
    const writesContacts = method !== "GET" && /^\/contacts(\/|$)/.test(route);
    const expected = { "/v1/send": "send", "/v1/track": "track" }[route] ?? (writesContacts ? "contacts" : null);
    expect(policyOf(operation).bucket).toBe(expected);
  });

  it("reads larger bodies only where templates, files and attachments come, and small ones from browsers", () => {
    const usual = 1024 * 1024;
    const unusual = operations.filter((operation) => policyOf(operation).maxBody !== usual);
    const isSmall = (operation: Operation) => Number(policyOf(operation).maxBody ?? usual) < usual;
    const [small, larger] = [unusual.filter(isSmall), unusual.filter((operation) => !isSmall(operation))];
    expect(small.map(({ documented }) => documented.operationId)).toEqual([
      ...["trackEventInBrowser", "trackEventBatch"],
      ...["signInByPasskey", "addPasskey"],
    ]);
    const outbox = ["listOutboxMessages", "emptyOutbox", "getOutboxMessage"];
    const expected = [
      "sendEmail",
      "importContacts",
      "uploadImportPart",
      "uploadFile",
      "uploadBackupFile",
      "createCampaign",
      "replaceCampaign",
      "createTemplate",
      "updateTemplate",
      "previewTemplate",
      "previewContent",
      ...outbox,
    ];
    expect(larger.map(({ documented }) => documented.operationId).toSorted()).toEqual(expected.toSorted());
  });
});

it("loads a feature for the first segments of its paths, and for no other", async () => {
  const listed = features.map(({ segments }) => new Set(segments));
  const routed = await Promise.all(
    features.map(async ({ load }) => new Set((await load()).routes.map(({ path }) => firstSegment(path)))),
  );
  expect(listed).toEqual(routed);
});

it("lets nobody in without a key but where a route says so", () => {
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  const open = routes.filter((route) => ["open", "signed"].includes(policySaidBy(route)?.key ?? "secret"));
  expect([...new Set(open.map(({ method, path }) => `${method} ${path}`))].toSorted()).toEqual([
    "GET /",
    "GET /c/:token",
    "GET /confirm/:token",
    "GET /console",
    "GET /console/account",
    "GET /console/assets/:file",
    "GET /console/installation/:page",
    "GET /console/p/:project",
    "GET /console/p/:project/:page",
    "GET /console/p/:project/:page/:id",
    "GET /console/p/:project/:page/:id/:part",
    "GET /console/session/access",
    "GET /console/session/link/:token",
    "GET /docs",
    "GET /docs.md",
    "GET /docs/:file",
    "GET /docs/buttons.js",
    "GET /docs/reference",
    "GET /docs/reference.js",
    "GET /docs/reference.md",
    "GET /f/:token",
    "GET /favicon.ico",
    "GET /favicon.svg",
    "GET /health",
    "GET /llms.txt",
    "GET /manage/:token",
    "GET /o/:token",
    "GET /openapi.json",
    "GET /petrel.js",
    "GET /petrel/1.js",
    "GET /preferences.css",
    "GET /robots.txt",
    "GET /style.css",
    "GET /subscribe/:token",
    "GET /unsubscribe/:token",
    "POST /confirm/:token",
    "POST /console/preview",
    "POST /console/session/access",
    "POST /console/session/code",
    "POST /console/session/link",
    "POST /console/session/link/:token",
    "POST /console/session/passkey",
    "POST /console/session/passkey/options",
    "POST /hooks/:provider",
    "POST /manage/:token",
    "POST /subscribe/:token",
    "POST /unsubscribe/:token",
    "PUT /contacts/imports/:id/parts/:number",
  ]);
});
