/** The content of a file, with names in place of ids, without default values, and always in the same order. */
export type Doc = Record<string, unknown> & { name: string };

/** Returns the fields in the given order, without empty ones. */
export function inOrder(fields: Record<string, unknown>, order: readonly string[]): Record<string, unknown> {
  const said = order.filter((name) => fields[name] !== undefined && fields[name] !== null && fields[name] !== "");
  return Object.fromEntries(said.map((name) => [name, fields[name]]));
}
