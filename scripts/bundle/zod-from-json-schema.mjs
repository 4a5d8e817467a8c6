/**
 * Replaces zod's reader of JSON schemas, which is only kept by the export of its module's names. Our schemas are
 * written with zod.
 */
export function fromJSONSchema() {
  throw new Error("zod's reader of JSON schemas is not in the bundle");
}
