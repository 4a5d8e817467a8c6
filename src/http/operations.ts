import type { OpenAPIHono } from "@hono/zod-openapi";
import { type Method, methods } from "./operation";

export type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** An operation of the OpenAPI document, with its path and method. */
export interface Described {
  path: string;
  method: Method;
  operation: OperationObject;
}

export type OperationObject = NonNullable<NonNullable<Document["paths"]>[string][Method]>;
export type ParameterObject = Exclude<NonNullable<OperationObject["parameters"]>[number], { $ref: string }>;
export type ResponseObject = Exclude<NonNullable<OperationObject["responses"]>[string], { $ref: string }>;

export function operationsOf({ paths }: Document): Described[] {
  return Object.entries(paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
}
