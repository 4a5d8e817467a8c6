import { type DataChange, readData, reservedWarnings } from "../../core/contacts/data";
import type { JsonObject } from "../../core/json";
import type { Context } from "../../platform/context";

/** Reads the `data` of a call, and adds a warning for each dropped key. `at` is the path of `data` in the call. */
export function readGivenData(ctx: Pick<Context, "warnings">, data: JsonObject = {}, at = "data"): DataChange {
  ctx.warnings.push(...reservedWarnings(data, at));
  return readData(data);
}
