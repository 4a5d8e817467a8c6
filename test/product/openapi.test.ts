import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, inject, it } from "vitest";
import { meteredFilters } from "../../src/core/templating/filters";
import { errorCodes } from "../../src/http/error-codes";

/** Operations without a key that have a rate limit. */
const limited = ["invitePerson", "inviteMember", "uploadImportPart"];

interface Media {
  schema: unknown;
  example?: unknown;
}

interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; example?: unknown; schema: { example?: unknown } }[];
  security?: Record<string, string[]>[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

interface Document {
  openapi: string;
  info: { description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { properties: { error: { properties: { code: { description: string } } } } }>;
  };
}

const source = await fetch(`${inject("product").base}/openapi.json`).then((response) => response.text());
// What the linter below holds against its own schema of OpenAPI 3.1.
const document = JSON.parse(source) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
);

it("is OpenAPI 3.1, with examples that fit their schemas, to a strict validator", async () => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: {
      "no-invalid-media-type-examples": "error",
      "no-invalid-schema-examples": "error",
      "no-invalid-parameter-examples": "error",
      "no-unused-components": "error",
      "operation-operationId-unique": "error",
      "operation-tag-defined": "error",
      "tag-description": "error",
      // The contract has /domains/project/{projectId} beside /domains/{id}/verify: fixed parts win.
      "no-ambiguous-paths": "off",
      // It names the installation that was asked, and that is on this machine here.
      "no-server-example.com": "off",
    },
  });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  expect(problems.map(({ location, message }) => `${location[0]?.pointer} ${message}`)).toEqual([]);
  expect(document.openapi).toMatch(/^3\.1\./);
});

/** The names of an operation's parameters and of what its body may have. */
function ownNames({ parameters = [], requestBody }: Operation): string[] {
  const [media] = Object.values(requestBody?.content ?? {});
  return [...parameters.map(({ name }) => name), ...namesIn((media?.schema ?? {}) as SchemaPart)];
}

interface SchemaPart {
  $ref?: string;
  properties?: object;
  oneOf?: SchemaPart[];
}

function namesIn({ $ref = "", properties, oneOf }: SchemaPart): string[] {
  if (oneOf) return oneOf.flatMap(namesIn);
  if (properties) return Object.keys(properties);
  const named = document.components.schemas[$ref.replace("#/components/schemas/", "")] as SchemaPart | undefined;
  return named ? namesIn(named) : [];
}

it("says which fields take null", () => {
  const taking: Record<string, string[]> = {
    SendEmail: ["name", "headers", "reply", "template"],
    ExplainContact: ["campaignId", "workflowId", "templateId", "emailId"],
    CreateWorkflow: ["eventName", "description"],
    PutWorkflowDocument: ["eventName", "description"],
    UpdateProject: ["fromName", "company"],
    UpdatePerson: ["name", "locale"],
    UpdateTemplate: ["fromName", "replyTo"],
  };
  const named = document.components.schemas as unknown as Record<
    string,
    { properties: Record<string, { type?: string | string[] }> }
  >;
  const silent = Object.entries(taking).flatMap(([schema, fields]) =>
    fields.filter((field) => !named[schema]?.properties[field]?.type?.includes("null")).map((field) => [schema, field]),
  );
  expect(silent).toEqual([]);
});

it("has a guide with every error code, every filter, and a first mail", () => {
  const { description } = document.info;
  for (const code of Object.keys(errorCodes)) expect(description).toContain(`| \`${code}\` |`);
  for (const filter of meteredFilters().keys()) expect(description).toContain(`\`${filter}\``);
  const titles = [...description.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(titles).toEqual(
    expect.arrayContaining([
      "Quickstart",
      "Keys",
      "Errors",
      "Idempotency",
      "Limits",
      "Templates",
      "Testing",
      "Coming from Plunk",
    ]),
  );
  for (const word of [
    "??",
    "unsubscribeUrl",
    "subscribeUrl",
    "manageUrl",
    "simulator.test",
    "sendBeacon",
    "keepalive",
    "scheduledAt",
    "`warnings`",
    "32 KB",
  ]) {
    expect(description).toContain(word);
  }
});

it("sends its examples from the domain that a first project has", () => {
  for (const [name, { requestBody }] of operations) {
    const [media] = Object.values(requestBody?.content ?? {});
    const { from } = (media?.example ?? {}) as { from?: string | { email: string } };
    if (from) expect(typeof from === "string" ? from : from.email, name).toMatch(/@petrel\.test$/);
  }
});

it("types the config of a step by the type of the step", () => {
  interface OneOf {
    oneOf: { $ref: string }[];
    discriminator: { propertyName: string; mapping: Record<string, string> };
  }
  interface Shape {
    properties: { type: { const?: string; enum?: string[] }; config: object };
  }
  const named = <T>($ref: string) =>
    document.components.schemas[$ref.replace("#/components/schemas/", "")] as unknown as T;
  for (const [schema, count] of [
    ["CreateWorkflowStep", 7],
    ["WorkflowStep", 8],
    ["PutWorkflowDocumentStep", 8],
    ["WorkflowDocumentStep", 8],
  ] as const) {
    const { oneOf, discriminator } = named<OneOf>(schema);
    expect([oneOf.length, discriminator.propertyName]).toEqual([count, "type"]);
    expect(Object.values(discriminator.mapping)).toEqual(oneOf.map(({ $ref }) => $ref));
    for (const [type, $ref] of Object.entries(discriminator.mapping)) {
      const { properties } = named<Shape>($ref);
      expect(properties.type.const ?? properties.type.enum?.[0], $ref).toBe(type);
      const words = type.toLowerCase().replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase());
      expect(JSON.stringify(properties.config), $ref).toContain(`#/components/schemas/${words}StepConfig`);
    }
  }
  for (const [schema, step] of [
    ["CreateWorkflow", "PutWorkflowDocumentStep"],
    ["PutWorkflowDocument", "PutWorkflowDocumentStep"],
    ["WorkflowDocument", "WorkflowDocumentStep"],
    ["SavedWorkflowDocument", "WorkflowDocumentStep"],
  ]) {
    const { steps } = named<{ properties: { steps: object } }>(`${schema}`).properties;
    expect(JSON.stringify(steps), schema).toContain(`"items":{"$ref":"#/components/schemas/${step}"}`);
  }
  // What any object fits types nothing.
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const { config } = (schema as unknown as { properties?: { config?: object } }).properties ?? {};
    expect(Object.keys(config ?? {}), name).not.toContain("additionalProperties");
  }
});

it("knows the operations", () => {
  expect(operations.map(([name]) => name)).toEqual(expect.arrayContaining(["POST /v1/send", "GET /emails/{id}"]));
});

it("leaves out the pages", () => {
  expect(Object.keys(document.paths).filter((path) => /^\/(docs|outbox(?!\/messages))/.test(path))).toEqual([]);
});

it("has the operators' operations last", () => {
  const ofOperators = operations.map(([, { security }]) => security?.some((way) => "operatorToken" in way) === true);
  expect(ofOperators).toEqual(ofOperators.toSorted());
});

describe.each(operations)("%s", (name, operation) => {
  const errorOf = (status: string) =>
    operation.responses[status]?.content?.["application/json"]?.example as
      | {
          error: {
            code: string;
            details?: { resource: string; id: string };
            errors?: { field: string; message: string }[];
          };
        }
      | undefined;

  it("says 422 if it has a key, because it refuses unknown query parameters", () => {
    const ways = operation.security ?? [{ secretKey: [] }];
    const isKeyed = ways.some((way) => "secretKey" in way || "publicKey" in way || "operatorToken" in way);
    const isOutbox = ways.some((way) => Object.keys(way).length === 0);
    if (isKeyed && !isOutbox) expect(Object.keys(operation.responses)).toContain("422");
  });

  it("says 429 if it is limited", () => {
    const ways = operation.security ?? [{ secretKey: [] }];
    const isKeyed = ways.every((way) => "secretKey" in way || "publicKey" in way);
    const isOwnLimit = limited.includes(operation.operationId ?? "");
    expect("429" in operation.responses).toBe((isKeyed && ways.length > 0) || isOwnLimit);
  });

  it("has no example in a parameter that may be left out: the reference page would send it", () => {
    const optional = (operation.parameters ?? []).filter(({ required }) => required !== true);
    expect(optional.filter(({ example, schema }) => (example ?? schema.example) !== undefined)).toEqual([]);
  });

  it("shows errors of its own", () => {
    const missing = errorOf("404")?.error;
    const inPath = (operation.parameters ?? []).some((parameter) => parameter.in === "path");
    // /contacts/{id}/export → contact; dead-letters → dead letter; jobs, keys and fields have a name of their own.
    const [, parent = "", parameter = ""] = /\/([a-z-]+)\/\{([A-Za-z]+)\}(?!.*\{)/.exec(name) ?? [];
    const named: Record<string, string> = {
      id: parent === "imports" ? "upload" : parent.replace(/s$/, "").replace("-", " "),
      eventName: "event",
      email: "suppression",
      number: "upload",
    };
    // In the trash, the type is a parameter too.
    const isTrash = ["restoreTrash", "deleteFromTrash"].includes(operation.operationId ?? "");
    const expected = isTrash ? "trash entry" : (named[parameter] ?? parameter.replace(/Id$/, ""));
    if (inPath && missing) expect(missing.details?.resource).toBe(expected);

    const { field = "", message = "" } = errorOf("422")?.error.errors?.[0] ?? {};
    // What takes no parameters shows one that it does not know.
    const isUnknown = message === "This endpoint takes no query parameters";
    if (field && !isUnknown) expect(JSON.stringify(ownNames(operation))).toContain(`"${field}"`);
    const taken = errorOf("409")?.error.code;
    const hasKey = operation.parameters?.some((parameter) => parameter.name === "Idempotency-Key") ?? false;
    // What a route refuses by itself is shown before what any repeated call meets.
    if (taken) expect(hasKey ? ["IDEMPOTENCY_KEY_REUSED", "CONFLICT"] : ["CONFLICT"]).toContain(taken);
    const known = document.components.schemas.Error?.properties.error.properties.code.description;
    for (const status of Object.keys(operation.responses)) {
      const code = errorOf(status)?.error?.code;
      if (code) expect(known).toContain(code);
    }
  });

  it("has a name, one tag and a summary", () => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(operation.tags).toHaveLength(1);
    expect(operation.summary).toMatch(/^[A-Z].+[^.]$/);
  });

  it("shows an example of each body and each path parameter", () => {
    const bodies = [operation.requestBody, ...Object.values(operation.responses)];
    const media = bodies.flatMap((body) => Object.values(body?.content ?? {}));
    expect(media.filter(({ example }) => example === undefined)).toEqual([]);
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
    expect(inPath.filter((parameter) => (parameter.example ?? parameter.schema.example) === undefined)).toEqual([]);
  });

  it("says what it answers without a key", () => {
    expect(operation.responses["401"]?.content?.["application/json"]?.example).toMatchObject({
      success: false,
      error: { code: "INVALID_API_KEY", statusCode: 401 },
    });
  });
});

describe("patterns", () => {
  const stepKey: [accepted: string[], refused: string[]] = [
    ["welcome", "A-1_b"],
    ["two words", "", "a.b"],
  ];
  /** What each property with a pattern takes, and what it does not. */
  const samples: Record<string, [accepted: string[], refused: string[]]> = {
    contentType: [
      ["application/pdf", "TEXT/CALENDAR; method=REQUEST", 'text/plain;charset="utf-8"; format=flowed'],
      ["pdf", "text/plain; charset", "text/plain\r\nX-A: b", "text/plain; a=b c"],
    ],
    type: [["image/png"], ["image"]],
    contentId: [
      ["logo", "logo.1@petrel.test"],
      ["<logo>", "a b", '"'],
    ],
    key: stepKey,
    from: stepKey,
    to: stepKey,
    locale: [
      ["en", "pt-BR", "zh-Hant-TW"],
      ["english language", "e"],
    ],
  };

  function patternsIn(node: unknown, name = ""): [name: string, pattern: string][] {
    if (typeof node !== "object" || node === null) return [];
    const own = "pattern" in node && typeof node.pattern === "string" ? [[name, node.pattern] as [string, string]] : [];
    const below = Object.entries(node).flatMap(([key, value]) => {
      // The name of a property, whatever unions and lists are between it and its pattern.
      return patternsIn(value, /^(anyOf|oneOf|allOf|items|schema|\d+)$/.test(key) ? name : key);
    });
    return [...own, ...below];
  }

  const found = patternsIn(document);

  it("are there", () => {
    expect([...new Set(found.map(([name]) => name))].toSorted()).toEqual(Object.keys(samples).toSorted());
  });

  it.each(found)("%s: compiles as a strict client compiles it, and means what it says: %s", (name, pattern) => {
    const compiled = new RegExp(pattern, "u");
    const [accepted, refused] = samples[name] ?? [[], []];
    expect(accepted.filter((sample) => !compiled.test(sample))).toEqual([]);
    expect(refused.filter((sample) => compiled.test(sample))).toEqual([]);
  });
});
