/** Stands in for zod's reader of JSON schemas, which hangs on the names of its module. Ours are written with zod. */
export function fromJSONSchema() {
  throw new Error("zod's reader of JSON schemas is not in the bundle");
}
