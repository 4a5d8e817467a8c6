import type { OpenAPIHono } from "@hono/zod-openapi";

export type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;
type Method = "get" | "post" | "put" | "patch" | "delete";
const methods: Method[] = ["get", "post", "put", "patch", "delete"];

/** An operation with its path and method in the document. */
export interface Described {
  path: string;
  method: Method;
  operation: Operation;
}

export type Operation = NonNullable<NonNullable<Document["paths"]>[string][Method]>;
export type ParameterObject = Exclude<NonNullable<Operation["parameters"]>[number], { $ref: string }>;
export type ResponseObject = Exclude<NonNullable<Operation["responses"]>[string], { $ref: string }>;

export function operationsOf({ paths }: Document): Described[] {
  return Object.entries(paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
}
