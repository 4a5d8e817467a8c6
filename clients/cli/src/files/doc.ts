/** What a file says, with names in place of ids, without what goes without saying, and always in the same order. */
export type Doc = Record<string, unknown> & { name: string };

/** Returns the fields in this order, without those that say nothing. */
export function inOrder(fields: Record<string, unknown>, order: readonly string[]): Record<string, unknown> {
  const said = order.filter((name) => fields[name] !== undefined && fields[name] !== null && fields[name] !== "");
  return Object.fromEntries(said.map((name) => [name, fields[name]]));
}
