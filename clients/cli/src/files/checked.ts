import { Refusal } from "../command";

/** Returns the fields if all of them are known and there is a name. Throws Refusal. */
export function checked(
  fields: Record<string, unknown>,
  known: readonly string[],
  file: string,
): Record<string, unknown> & { name: string } {
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Refusal(`${file}: there is no field ${unknown.join(", ")} here. There are: ${known.join(", ")}`);
  const { name } = fields;
  if (typeof name !== "string" || name.trim() === "") throw new Refusal(`${file}: needs a name`);
  return { ...fields, name: name.trim() };
}
