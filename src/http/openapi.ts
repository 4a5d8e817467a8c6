import type { OpenAPIHono } from "@hono/zod-openapi";
import { etag } from "hono/etag";
import type { Config } from "../platform/env";
import { bookmarkHeader, bookmarkOfAnswer, bookmarkOfCall } from "./bookmark";
import { exampleEnvelope } from "./example-envelope";
import { guide } from "./guide";
import { keepAWhile } from "./keep-a-while";
import {
  type Described,
  type Document,
  type Operation,
  operationsOf,
  type ParameterObject,
  type ResponseObject,
} from "./operations";
import { isForProject, open, type Policy, policySaidBy, usualPolicy } from "./policy";
import { exampleOf } from "./refusal-examples";
import type { AppEnv } from "./router";

/** The version of the API, not of the code. */
export const apiVersion = "1.0.0";

const info = {
  title: "Petrel",
  version: apiVersion,
  license: { name: "MIT", identifier: "MIT" },
};

/** In the order of the reference, with the most used tags first. */
const tags = [
  { name: "Sending", description: "Send an email. It is accepted durably, and delivered in the background." },
  { name: "Emails", description: "The record of each email: its status, content and events." },
  { name: "Contacts", description: "The people you write to, with their data and their subscription." },
  { name: "Events", description: "What your contacts do, as your product reports it." },
  { name: "Activity", description: "What happened and what is scheduled, for a feed and for charts." },
  {
    name: "Campaigns",
    description: "One mail to an audience: sent at once or at a time, each recipient exactly once.",
  },
  { name: "Segments", description: "Groups of contacts, chosen by a condition or by hand." },
  { name: "Workflows", description: "Journeys of single contacts: steps that an event, a schedule or a call starts." },
  { name: "Topics", description: "Groups of marketing email that a person can leave one by one." },
  { name: "Suppressions", description: "Addresses that get no mail of any type." },
  { name: "Templates", description: "Content that you write once and send often, with its sender and its type." },
  { name: "Domains", description: "The domains you send from. Mail goes out once a domain is verified." },
  { name: "Verification", description: "Whether an email address can receive mail." },
  { name: "Webhooks", description: "URLs of yours that get the events as they happen, signed." },
  { name: "Project", description: "The project and the key that a call is of." },
  { name: "Jobs", description: "Work that a call starts and that continues in the background." },
  { name: "Outbox", description: "Mail that the embedded provider stores for you to read, instead of sending it." },
  { name: "Operator", description: "Projects and their keys. These take the operator's `ADMIN_TOKEN`." },
];

/** `/openapi.json`: OpenAPI 3.1, generated from the schemas that validate the requests of the whole app. */
export function serveOpenApi(app: OpenAPIHono<AppEnv>, wholeApp: () => Promise<OpenAPIHono<AppEnv>>): void {
  const registry = app.openAPIRegistry;
  registry.registerComponent("securitySchemes", "secretKey", {
    type: "http",
    scheme: "bearer",
    description: "A secret key of the project: `sk_` and 64 hex digits.",
  });
  registry.registerComponent("securitySchemes", "publicKey", {
    type: "http",
    scheme: "bearer",
    description: "A public key of the project: `pk_` and 64 hex digits. It may be used in browsers.",
  });
  registry.registerComponent("securitySchemes", "operatorToken", {
    type: "http",
    scheme: "bearer",
    description: "The operator's `ADMIN_TOKEN`.",
  });
  // Generating the document takes far longer than a 304 may. It depends only on its cache key. One document is cached,
  // because anyone can call under any host name.
  let cached: { key: string; text: string } | null = null;
  app.get("/openapi.json", open, keepAWhile, etag({ weak: true }), async (c) => {
    const { origin } = new URL(c.req.url);
    const { config } = c.get("platform");
    const key = `${config.maxAttachmentBytes} ${config.readsCopies} ${origin}`;
    if (cached?.key !== key) cached = { key, text: JSON.stringify(describe(await wholeApp(), { origin, config })) };
    return c.body(cached.text, 200, { "Content-Type": "application/json" });
  });
}

function describe(app: OpenAPIHono<AppEnv>, { origin, config }: { origin: string; config: Config }) {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { ...info, description: guide(origin, config) },
    servers: [{ url: origin, description: "This installation" }],
    tags,
    security: [{ secretKey: [] }],
  });
  const order = tags.map(({ name }) => name);
  const positionOf = ({ operation }: Described) => order.indexOf(operation.tags?.[0] ?? "");
  const paths: NonNullable<typeof document.paths> = {};
  for (const described of operationsOf(document).toSorted((a, b) => positionOf(a) - positionOf(b))) {
    const { path, method } = described;
    const policy = policyOf(app, described);
    const told = config.readsCopies ? withBookmark(described, policy) : described;
    const operation = withErrorExamples(told, document, policy, config);
    paths[path] = { ...paths[path], [method]: withQuietParameters(operation) };
  }
  return { ...document, paths };
}

function policyOf(app: OpenAPIHono<AppEnv>, { path, method }: Described): Policy {
  const route = path.replace(/\{([^}]+)\}/g, ":$1");
  const entries = app.routes.filter((entry) => entry.path === route && entry.method === method.toUpperCase());
  return entries.map(policySaidBy).find((said) => said !== undefined) ?? usualPolicy;
}

/** Documents the header that lets a caller read from a copy, and that every answer to a project has. */
function withBookmark(described: Described, policy: Policy): Described {
  if (!isForProject(policy)) return described;
  const { parameters = [], responses = {}, ...operation } = described.operation;
  const told = Object.entries<ResponseObject>(responses).map(([status, response]) => {
    if (Number(status) >= 300) return [status, response];
    return [status, { ...response, headers: { ...response.headers, [bookmarkHeader]: bookmarkOfAnswer } }];
  });
  const taken = policy.readsCopies ? [...parameters, bookmarkOfCall] : parameters;
  return { ...described, operation: { ...operation, parameters: taken, responses: Object.fromEntries(told) } };
}

/**
 * Gives each error response an example that this operation would really return: one of its own refusals, if it names
 * any.
 */
function withErrorExamples(described: Described, document: Document, policy: Policy, config: Config): Operation {
  const { operation } = described;
  const schemas = document.components?.schemas ?? {};
  const own = policy.refusals().map((refusal) => exampleEnvelope(refusal));
  const responses = Object.entries<ResponseObject>(operation.responses ?? {}).map(([status, response]) => {
    const media = response.content?.["application/json"];
    if (Number(status) < 400 || media === undefined || media.example !== undefined) return [status, response];
    const example =
      own.find(({ error }) => error.statusCode === Number(status)) ??
      exampleOf(Number(status), { ...described, policy, config, schemas });
    return [status, { ...response, content: { "application/json": { ...media, example } } }];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

/**
 * The reference page sends every parameter that has an example. So only required parameters have one; the others have
 * it in their description.
 */
function withQuietParameters(operation: Operation): Operation {
  if (operation.parameters === undefined) return operation;
  return { ...operation, parameters: operation.parameters.map((one) => ("$ref" in one ? one : quiet(one))) };
}

function quiet(parameter: ParameterObject): ParameterObject {
  const { example, schema, ...rest } = parameter;
  if (rest.required || schema === undefined || "$ref" in schema) return parameter;
  const { example: ofSchema, ...shape } = schema;
  const shown = example ?? ofSchema;
  if (shown === undefined) return parameter;
  const description = `${rest.description ?? shape.description ?? ""} Such as \`${shown}\`.`.trimStart();
  return { ...rest, schema: shape, description };
}
