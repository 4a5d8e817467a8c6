import { expect, it } from "vitest";
import { call } from "../support/project";

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: unknown;
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

const { body: document } = await call("GET", "/openapi.json");
const schemas: Record<string, Schema> = document.components.schemas;
const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((methods) =>
  Object.values(methods),
);

/** The objects that an answer can be. */
function objectsOf(schema: Schema): Schema[] {
  if (schema.$ref !== undefined) return objectsOf(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.flatMap(objectsOf);
  if (schema.allOf) return [{ properties: Object.assign({}, ...schema.allOf.map((part) => propertiesOf(part))) }];
  return schema.type === "object" ? [schema] : [];
}

function propertiesOf(schema: Schema): object {
  return Object.assign({}, ...objectsOf(schema).map(({ properties }) => properties));
}

/** Whether a call can have a part that is ignored: a field of its body, or a `limit` that is too large. */
function canWarn({ requestBody, parameters = [] }: Operation): boolean {
  const takesJson = requestBody?.content["application/json"] !== undefined;
  return takesJson || parameters.some(({ name }) => ["limit", "pageSize"].includes(name));
}

const answers = operations.filter(canWarn).flatMap(({ operationId, responses }) =>
  Object.entries(responses).flatMap(([status, { content }]) => {
    const schema = status.startsWith("2") ? content?.["application/json"]?.schema : undefined;
    return schema ? [[`${operationId} ${status}`, schema] as const] : [];
  }),
);

it("every answer of a call that can have warnings documents them", () => {
  expect(answers.length).toBeGreaterThan(80);
  const silent = answers.filter(([, schema]) =>
    objectsOf(schema).some(({ properties = {} }) => properties.warnings === undefined),
  );
  expect(silent.map(([name]) => name)).toEqual([]);
});

it("a contact to explain can be named by an address that is null", () => {
  const { properties } = schemas.ExplainSegment ?? {};
  expect([properties?.email?.type, properties?.contactId?.type]).toEqual([
    ["string", "null"],
    ["string", "null"],
  ]);
});
