import { OpenAPIHono } from "@hono/zod-openapi";
import type { RouterRoute } from "hono/types";
import { productVersion } from "../core/product-version";
import type { Config } from "../platform/env";
import { bookmarkHeader, bookmarkOfAnswer, bookmarkOfCall } from "./bookmark";
import { describeOperation } from "./describe";
import { addWarnings } from "./document-warnings";
import { exampleEnvelope } from "./example-envelope";
import { guide } from "./guide";
import { jobResultsOf, withJobResults } from "./job-results";
import {
  type Described,
  type Document,
  type OperationObject,
  operationsOf,
  type ParameterObject,
  type ResponseObject,
} from "./operations";
import { isForProject, type Policy, usualPolicy } from "./policy";
import { exampleOf } from "./refusal-examples";
import { operationAt, type PlacedOperation } from "./routes";

const info = {
  title: "Petrel",
  version: productVersion,
  license: { name: "MIT", identifier: "MIT" },
};

/** The tags in the order of the reference, with the most used ones first. */
const tags = [
  { name: "Sending", description: "Send email. Petrel stores each accepted email, and delivers it in the background." },
  { name: "Emails", description: "The record of each email: its status, content and events." },
  { name: "Contacts", description: "The people you write to, with their data and their subscription." },
  { name: "Events", description: "What your contacts do, as your product reports it." },
  { name: "Activity", description: "What happened and what is scheduled, for a feed and for charts." },
  {
    name: "Campaigns",
    description: "One email to an audience: sent at once or at a given time, to each recipient exactly once.",
  },
  { name: "Segments", description: "Groups of contacts, chosen by a condition or by hand." },
  { name: "Workflows", description: "Journeys of single contacts. An event, a schedule or a call starts the steps." },
  { name: "Topics", description: "Groups of marketing email that a person can leave one by one." },
  { name: "Suppressions", description: "Addresses that get no mail of any type." },
  { name: "Templates", description: "Content that you write once and send often, with its sender and its type." },
  { name: "Files", description: "Images for your mail, at URLs that anybody may read." },
  { name: "Trash", description: "What was deleted within the last 30 days, and can be restored." },
  { name: "Domains", description: "The domains you send from. Mail is sent once a domain is verified." },
  { name: "Verification", description: "Whether an email address can receive mail." },
  { name: "Webhooks", description: "Your own URLs, which receive signed events as they happen." },
  {
    name: "Project",
    description: "The project and the key of a call, and a search through everything in the project.",
  },
  { name: "Jobs", description: "Work that a call starts and that continues in the background." },
  { name: "Console", description: "Signing in to the console, and the places where a person is signed in." },
  { name: "Audit log", description: "What was changed, and by whom." },
  { name: "People", description: "People who use the console, and their rights in each project." },
  { name: "Outbox", description: "Mail that the embedded provider stores for you to read, instead of sending it." },
  { name: "Operator", description: "Projects and their keys. These calls need the operator's `ADMIN_TOKEN`." },
];

const bearer = (description: string) => ({ type: "http" as const, scheme: "bearer", description });

const securitySchemes = {
  secretKey: bearer("A secret key of the project: `sk_` and 64 hex digits."),
  publicKey: bearer("A public key of the project: `pk_` and 64 hex digits. It may be used in browsers."),
  operatorToken: bearer("The operator's `ADMIN_TOKEN`."),
  session: {
    type: "apiKey" as const,
    in: "cookie" as const,
    name: "__Host-petrel",
    description:
      "The session of a person who signed in. Together with the header `Petrel-Project`, which has the id " +
      "of one of the person's projects, it replaces a secret key, within the rights of the person's role. " +
      "A call that changes something must come from a page of this installation.",
  },
};

/** Builds the OpenAPI document of all routes. */
export function documentOf(routes: RouterRoute[], { origin, config }: { origin: string; config: Config }) {
  const operations = routes.flatMap((route) => operationAt(route) ?? []);
  const document = generate(operations, {
    openapi: "3.1.0",
    info: { ...info, description: guide(origin, config) },
    servers: [{ url: origin, description: "This installation" }],
    tags,
    security: [{ secretKey: [] }],
  });
  const order = tags.map(({ name }) => name);
  const positionOf = ({ operation }: Described) => order.indexOf(operation.tags?.[0] ?? "");
  const policies = new Map(operations.map((operation) => [operation.id, operation]));
  const paths: NonNullable<typeof document.paths> = {};
  for (const described of operationsOf(document).toSorted((a, b) => positionOf(a) - positionOf(b))) {
    const { path, method } = described;
    const policy = policies.get(described.operation.operationId ?? "") ?? usualPolicy;
    const complete = config.readsCopies ? withBookmark(described, policy) : described;
    const operation = withErrorExamples(complete, document, policy, config);
    addWarnings(operation, document);
    paths[path] = { ...paths[path], [method]: withQuietParameters(operation) };
  }
  return { ...withJobResults(document, jobResultsOf(operations).keys()), paths };
}

function generate(operations: PlacedOperation[], head: Parameters<OpenAPIHono["getOpenAPI31Document"]>[0]): Document {
  const generator = new OpenAPIHono();
  const registry = generator.openAPIRegistry;
  for (const [name, scheme] of Object.entries(securitySchemes)) {
    registry.registerComponent("securitySchemes", name, scheme);
  }
  const schemas = new Map(operations.flatMap((operation) => [...(operation.schemas ?? [])]));
  for (const [name, schema] of [...schemas, ...jobResultsOf(operations)]) registry.register(name, schema.clone());
  for (const operation of operations) registry.registerPath(describeOperation(operation));
  return generator.getOpenAPI31Document(head);
}

/**
 * Documents the bookmark header. A call can send the header to read from a copy, and every answer to a project contains
 * it.
 */
function withBookmark(described: Described, policy: Policy): Described {
  if (!isForProject(policy)) return described;
  const { parameters = [], responses = {}, ...operation } = described.operation;
  const answers = Object.entries<ResponseObject>(responses).map(([status, response]) => {
    if (Number(status) >= 300) return [status, response];
    return [status, { ...response, headers: { ...response.headers, [bookmarkHeader]: bookmarkOfAnswer } }];
  });
  const taken = policy.readsCopies ? [...parameters, bookmarkOfCall] : parameters;
  return { ...described, operation: { ...operation, parameters: taken, responses: Object.fromEntries(answers) } };
}

/**
 * Gives each error response an example that this operation would really return: one of its own refusals, if it lists
 * any.
 */
function withErrorExamples(described: Described, document: Document, policy: Policy, config: Config): OperationObject {
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
 * Removes the examples of optional parameters, because the reference page sends every parameter that has one. Their
 * descriptions contain the examples instead.
 */
function withQuietParameters(operation: OperationObject): OperationObject {
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
