import type { Contact } from "petrel-client";

type Data = Contact["data"];

type Line = string | number | boolean;

/** The values that a field of a form holds. Others are changed by a call. */
export function linesOf(data: Data): [key: string, value: Line][] {
  return Object.entries(data).filter((entry): entry is [string, Line] => isLine(entry[1]));
}

function isLine(value: unknown): value is Line {
  return ["string", "number", "boolean"].includes(typeof value);
}

/**
 * Returns the changes of a form: each key whose field no longer shows the value of before, and null for one that was emptied.
 * A changed value stays of the type of the one before, a new one gets the type that its key has in the project. A text that
 * is not of that type is stored as text, which the service accepts.
 */
export function changedData(before: Data, typed: [key: string, text: string][], typeOf: TypeOf): Data {
  const changed = typed.flatMap(([key, text]) => {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    if (key === "" || (isLine(was) && asShown(text) === asShown(was))) return [];
    const value = changedValue(text, was, typeOf(key));
    return value === (was ?? null) ? [] : [[key, value] as const];
  });
  return Object.fromEntries(changed);
}

/** The type that a field has in the project. */
export type TypeOf = (key: string) => string | undefined;

/** A field shows every line break as the same one. */
function asShown(value: Line): string {
  return `${value}`.replaceAll(/\r\n?/g, "\n");
}

function changedValue(typed: string, was: unknown, type: string | undefined): Line | null {
  // Blanks around a text are a slip, except where there were some before.
  const text = typeof was === "string" && was !== was.trim() ? asShown(typed) : asShown(typed).trim();
  return text === "" ? null : typedAs(text, isLine(was) ? typeof was : type);
}

function typedAs(text: string, type: string | undefined): Line {
  if (type === "number" && Number.isFinite(Number(text))) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
