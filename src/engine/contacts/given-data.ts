import { type DataChange, readData, reservedWarnings } from "../../core/contacts/data";
import type { JsonObject } from "../../core/json";
import type { Context } from "../../platform/context";

/** Reads the `data` of a call, and warns its caller of the keys that are dropped. `at` is where the call has it. */
export function readGivenData(ctx: Pick<Context, "warnings">, data: JsonObject = {}, at = "data"): DataChange {
  ctx.warnings.push(...reservedWarnings(data, at));
  return readData(data);
}
