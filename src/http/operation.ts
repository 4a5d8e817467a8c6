import type { Context as HonoContext, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import type { z } from "zod";
import type { ForeignName } from "../core/foreign-names";
import type { Legacy } from "./legacy";
import type { Policy } from "./policy";
import type { RefusalStatus } from "./refusals";
import type { AppEnv } from "./router";

/** The methods of operations, in the order of the OpenAPI document. */
export const methods = ["get", "post", "put", "patch", "delete"] as const;
export type Method = (typeof methods)[number];

/**
 * The body of an answer, and its description in the OpenAPI document. The example is the schema's own, unless another
 * one is given.
 */
export type Success = z.ZodType | DescribedSuccess;

export interface DescribedSuccess {
  schema: z.ZodType;
  description?: string;
  example?: unknown;
  mediaType?: "text/plain" | "application/octet-stream";
  /** The schema of the `result` that the job has once it is completed. The schema has an id. */
  jobResult?: z.ZodType;
}

/**
 * An operation of the OpenAPI document, together with the policy of its route. Without `ok`, `created` and `accepted`,
 * it answers 204. Its errors follow from its other properties: see `errors-of.ts`.
 */
export interface Operation extends Partial<Omit<Policy, "isUpload" | "isStreamed" | "names">> {
  /** The `operationId` in the OpenAPI document. */
  id: string;
  summary: string;
  description?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** A JSON body. */
  body?: z.ZodType;
  /** Whether a missing body counts as an empty object. */
  isBodyOptional?: boolean;
  /** A body that is a form with a file. */
  form?: z.ZodType;
  /** A body of bytes of any kind, which the handler reads with `streamedBody`. */
  bytes?: z.ZodType;
  ok?: Success;
  created?: Success;
  accepted?: Success;
  /** Errors that do not follow from the operation's parts, and for which `refusals` has no example. */
  also?: readonly RefusalStatus[];
  /** Set for an endpoint of the old API: how it answers when a required field is missing. */
  legacy?: Legacy;
  /** Fields of other APIs that this operation refuses, with advice. */
  foreignNames?: readonly ForeignName[];
  /** Fields of other APIs that this operation ignores, with advice in a warning. */
  advisedNames?: readonly ForeignName[];
  /**
   * The known names in fields that are an object or a list of objects, by path, so that unknown names cause a warning
   * too. `*` stands for each item of a list.
   */
  partNames?: Record<string, readonly string[]>;
  /** The paths of fields that are a condition, in which unknown names cause a warning too. */
  conditionNames?: readonly string[];
  /** Whether fields in lists are written as `steps[3].config`. */
  hasBrackets?: boolean;
}

/** The kinds of success that have a body, in order of precedence. */
export const successes = {
  ok: { status: 200, means: "Done." },
  created: { status: 201, means: "Created." },
  accepted: { status: 202, means: "Queued." },
} as const;
export type SuccessName = keyof typeof successes;
export const successNames = ["ok", "created", "accepted"] as const satisfies SuccessName[];

type InputPart = "params" | "query" | "body" | "form";

/** The parsed parts of a request. */
export type InputOf<O> = {
  [Part in keyof O & InputPart]: O[Part] extends z.ZodType ? z.output<O[Part]> : never;
};

type BodyOf<S> = S extends z.ZodType
  ? z.output<S>
  : S extends { schema: infer T extends z.ZodType }
    ? z.output<T>
    : never;

/** The body of the first success that an operation has: `ok`, `created` or `accepted`. Void if it has none. */
type FirstBody<O> = O extends { ok: infer S }
  ? BodyOf<S>
  : O extends { created: infer S }
    ? BodyOf<S>
    : O extends { accepted: infer S }
      ? BodyOf<S>
      : // biome-ignore lint/suspicious/noConfusingVoidType: what a verb without an answer returns
        void;

type Answers<O> = {
  [Name in keyof O & SuccessName]: TypedResponse<JSONParsed<BodyOf<O[Name]>>, (typeof successes)[Name]["status"]>;
}[keyof O & SuccessName];

/**
 * Answers a request whose parts have been parsed. Returns the body of the first success that the operation has, or a
 * complete response, which all other successes and streams need.
 */
export type OperationHandler<World, O> = (
  world: World,
  input: InputOf<O>,
  c: HonoContext<AppEnv>,
) => FirstBody<O> | Answers<O> | Promise<FirstBody<O> | Answers<O>>;
