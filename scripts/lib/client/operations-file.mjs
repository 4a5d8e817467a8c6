import { operationsOf } from "./operations.mjs";

/** Returns the client's `operations.gen.ts`: a table for its runtime, and an interface for its users. */
export function operationsFile({ document, errorCodes }) {
  const groups = Object.entries(Object.groupBy(operationsOf(document), ({ group }) => group));
  return `// Generated from the OpenAPI document: do not edit.
import type { Answer, Call, FormOf, KeyedOptions, List, Options, QueryOf, Starting, VersionedOptions } from "../call.js";
import type * as api from "./types.gen.js";

export type { api };

/** Every operation: method and path, then b for a body, f for one that is a form, o for one that is bytes, q for a query, k for an \`Idempotency-Key\`, v for a version in \`If-Match\`, m for \`maySend\`, and the initials of the roles that may call it. */
export const operations = {
${groups.map(([group, list]) => `  ${group}: {\n${list.map(entry).join("")}  },\n`).join("")}};

/** Codes of errors. New ones may come. */
export type ErrorCode = ${errorCodes.map((code) => JSON.stringify(code)).join(" | ")} | (string & {});

${groups.map(([group, list]) => `export interface ${typeOf(group)} {\n${list.map(signature).join("\n")}}\n`).join("\n")}
/** All operations of the API, grouped as their paths are. */
export interface Operations {
${groups.map(([group, [{ tags }]]) => `  /** ${about(document, tags[0])} */\n  readonly ${group}: ${typeOf(group)};\n`).join("")}}
`;
}

function entry({ name, method, path, body, query, hasKey, hasVersion, roles, needsMaySend }) {
  const kind = body && ["b", body.isForm && "f", body.isBytes && "o"];
  const parts = [...(kind ?? []), query && "q", hasKey && "k", hasVersion && "v", needsMaySend && "m"];
  const flags = [...parts, ...roles.map((role) => role[0].toUpperCase())].filter(Boolean).join("");
  return `    ${name}: "${[method.toUpperCase(), path, flags].join(" ").trimEnd()}",\n`;
}

function about({ tags }, tag) {
  return tags.find(({ name }) => name === tag).description;
}

/** Returns a name for a type that no schema of the document has. */
function typeOf(group) {
  return `${group[0].toUpperCase()}${group.slice(1)}Operations`;
}

function signature(operation) {
  const { name, operationId, inPath, body, query, hasKey, hasVersion, plan } = operation;
  const id = operationId[0].toUpperCase() + operationId.slice(1);
  const isBodyOptional = body && !body.required && !query?.required;
  const bodyType = body?.schema ? `api.${body.schema}` : `api.${id}Data["body"]`;
  const queryType = `QueryOf<api.${id}Data["query"]>`;
  const bodyGiven = body && (body.isForm ? `FormOf<${bodyType}>` : bodyType);
  const first = [...inPath.map((one) => `${one}: string`), body && `body${isBodyOptional ? "?" : ""}: ${bodyGiven}`];
  const options = `options?: ${hasKey ? "KeyedOptions" : hasVersion ? "VersionedOptions" : "Options"}`;
  const method = (queryParameter, result) =>
    `${comment(operation)}  ${name}(${[...first, queryParameter, options].filter(Boolean).join(", ")}): ${result};\n`;
  const usual = query && `query${query.required ? "" : "?"}: ${queryType}`;
  if (plan === undefined) return method(usual, resultOf(operation, id));
  const dry = method(`query: ${queryType} & { dryRun: true | "true" }`, `Call<api.${plan}>`);
  // Here the query is needed, and a parameter that can be left out must not come before one that cannot.
  const ordered = dry.replace(`body?: ${bodyGiven}`, `body: ${bodyGiven} | undefined`);
  return ordered + method(usual, resultOf(operation, id));
}

/**
 * Returns the type of a call's result. Uses the name of its schema where there is one, because editors show that name.
 */
function resultOf({ schema, isWrapped, list, jobResult }, id) {
  const answer = schema ? `api.${schema}` : `api.${id}Response`;
  if (jobResult) return `Call<Starting<${answer}, api.${jobResult}>>`;
  if (list) {
    const path = list.property === "" ? "[number]" : `["${list.property}"][number]`;
    return `List<${answer}, ${list.schema ? `api.${list.schema}` : answer + path}>`;
  }
  return `Call<${isWrapped ? `Answer<${answer}>` : answer}>`;
}

function comment({ summary, description, method, path }) {
  const paragraphs = [`${summary}.`, description, `\`${method.toUpperCase()} ${path}\``].filter(Boolean);
  const lines = paragraphs.join("\n\n").replaceAll("*/", "*\\/").split("\n");
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join("\n")}\n   */\n`;
}
