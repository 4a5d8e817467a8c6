import type { Context as HonoContext } from "hono";
import type { z } from "zod";
import { Invalid } from "../core/errors";
import { faultsOf } from "../core/faults";
import { nameMisspelt } from "../core/misspelt";
import { takeAbsentAsEmpty } from "./body";
import { findUnknown, nothingUnknown, type UnknownNames, writtenField } from "./names";
import type { Operation } from "./operation";
import { clampWarnings } from "./params";
import type { AppEnv } from "./router";

type InputSchemas = Pick<Operation, "query" | "params" | "body" | "form" | "isBodyOptional">;

/** Parses the parts of a request that an operation reads. Throws Invalid for the first part that its schema refuses. */
export async function readInput(c: HonoContext<AppEnv>, operation: InputSchemas): Promise<Record<string, unknown>> {
  const { query, params, body, form, isBodyOptional } = operation;
  const input: Record<string, unknown> = {};
  if (query) input.query = await readQuery(c, query);
  if (params) input.params = await parse(c, params, c.req.param());
  if (form) input.form = await parse(c, form, await c.req.parseBody({ all: true }));
  if (body) {
    if (isBodyOptional) await takeAbsentAsEmpty(c);
    const sent = await sentJson(c);
    input.body = await parse(c, body, sent, findUnknown(c.get("policy").names(), sent));
  }
  return input;
}

async function readQuery(c: HonoContext<AppEnv>, schema: z.ZodObject): Promise<unknown> {
  const sent = Object.entries(c.req.queries()).map(([name, values]) => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  const query = await parse(c, schema, Object.fromEntries(sent));
  if (c.req.url.includes("?")) c.get("warnings").push(...clampWarnings(c.req.query(), query));
  return query;
}

/** Returns the JSON of the body, which has been read by now. A missing body of a DELETE counts as an empty object. */
function sentJson(c: HonoContext<AppEnv>): Promise<unknown> {
  const isMissing = c.req.raw.body === null && !("text" in c.req.bodyCache);
  return isMissing ? Promise.resolve({}) : c.req.json();
}

/**
 * Validates a part of a request. Warns of unknown names that are ignored. Throws Invalid for unknown names that are
 * refused, and for values that the schema refuses.
 */
async function parse<S extends z.ZodType>(
  c: HonoContext<AppEnv>,
  schema: S,
  sent: unknown,
  { faults, ignored }: UnknownNames = nothingUnknown,
): Promise<z.output<S>> {
  const names = c.get("policy").names();
  const written = <T extends { field: string }>(one: T): T => ({ ...one, field: writtenField(names, one.field) });
  if (ignored.length > 0) c.get("warnings").push(...ignored.map(written));
  const result = await schema.safeParseAsync(sent);
  if (result.success && faults.length === 0) return result.data;
  // `faultsOf` needs the input, because zod's issues do not contain it.
  const own = result.success ? [] : faultsOf(result.error, sent);
  const misspelt = ignored.map(({ field }) => field);
  throw new Invalid([...faults, ...nameMisspelt(own, misspelt)].map(written));
}
