import { warningsMean } from "../core/warning";
import type { Document, OperationObject, ResponseObject } from "./operations";

/** The part of a schema in the document that is read and changed here. */
interface Schema {
  $ref?: string;
  type?: unknown;
  properties?: Record<string, unknown>;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

const warnings = {
  type: "array",
  items: {
    type: "object",
    properties: { field: { type: "string" }, message: { type: "string" } },
    required: ["field", "message"],
  },
  description: warningsMean,
};

/**
 * Adds `warnings` to the answers of an operation that can have them and do not declare them. Every call with a JSON body
 * can, because unknown fields are ignored with a warning, and every list whose `limit` is lowered. The field goes into
 * the named schema of the answer, which other answers may share, so that the answer keeps its name in clients.
 */
export function addWarnings(operation: OperationObject, document: Document): void {
  if (!canWarn(operation)) return;
  for (const [status, response] of Object.entries<ResponseObject>(operation.responses ?? {})) {
    // The document that was generated has only schemas of this form.
    const schema = response.content?.["application/json"]?.schema as Schema | undefined;
    if (status.startsWith("2") && schema !== undefined) addTo(schema, document);
  }
}

function canWarn({ requestBody, parameters = [] }: OperationObject): boolean {
  const takesJson = requestBody !== undefined && "content" in requestBody && "application/json" in requestBody.content;
  return takesJson || parameters.some((one) => "name" in one && ["limit", "pageSize"].includes(one.name));
}

function addTo(schema: Schema, document: Document): void {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  const found = name === undefined ? schema : (document.components?.schemas?.[name] as Schema | undefined);
  for (const one of found?.anyOf ?? found?.oneOf ?? []) addTo(one, document);
  if (found?.properties !== undefined) found.properties.warnings ??= warnings;
}
