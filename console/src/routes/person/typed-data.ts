import type { Contact } from "petrel-client";

type Data = Contact["data"];

/** The values that one line of a form holds. Others are changed by a call. */
export function linesOf(data: Data): [key: string, value: string | number | boolean][] {
  return Object.entries(data).filter((entry): entry is [string, string | number | boolean] =>
    ["string", "number", "boolean"].includes(typeof entry[1]),
  );
}

/**
 * Returns the changes of a form: each key whose value is another one than before, and null for one that was emptied. A value
 * stays of its type where it can; if not, the service says what it wants.
 */
export function changedData(before: Data, typed: [key: string, text: string][], typeOf: TypeOf): Data {
  const changed = typed.flatMap(([key, text]) => {
    const value = text === "" ? null : typedAs(text, typeOf(key));
    return key === "" || value === (before[key] ?? null) ? [] : [[key, value] as const];
  });
  return Object.fromEntries(changed);
}

/** The type that a field has in the project. */
export type TypeOf = (key: string) => string | undefined;

function typedAs(text: string, type: string | undefined): string | number | boolean {
  if (type === "number" && Number.isFinite(Number(text))) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
