import type { FieldList } from "petrel-client";
import type { Words } from "../../words/words";

export type FieldType = FieldList["fields"][number]["type"];
export type Operator = keyof Words["people"]["operators"];

/** The operators for a field of each type, the usual one first. */
export const operatorsOf: Record<FieldType, Operator[]> = {
  string: ["equals", "notEquals", "contains", "notContains", "exists", "notExists"],
  number: ["equals", "notEquals", "greaterThan", "lessThan", "exists", "notExists"],
  boolean: ["equals", "exists", "notExists"],
  date: ["within", "olderThan", "exists", "notExists"],
};

export function hasValue(operator: Operator): boolean {
  return operator !== "exists" && operator !== "notExists";
}

/** A value as the service takes it. What was typed for a number and is none goes as it is: the service says what it wants. */
export function typedValue(type: FieldType, typed: string): string | number | boolean {
  if (type === "boolean") return typed === "true";
  const isNumber = type !== "string" && typed.trim() !== "" && Number.isFinite(Number(typed));
  return isNumber ? Number(typed) : typed;
}
