/**
 * Replaces zod's reader of JSON schemas, which the bundler would keep only because zod exports its names. Our schemas
 * are written with zod.
 */
export function fromJSONSchema() {
  throw new Error("zod's reader of JSON schemas is not in the bundle");
}
