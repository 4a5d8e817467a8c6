import { type SQL, sql } from "drizzle-orm";
import type { JsonObject } from "../json";
import { normalizeEmail } from "../mail/address";
import { dateMs } from "./dates";

/** The value of a filter. */
export type Scalar = string | number | boolean;

/** Adds a value to the single parameter of a statement, and returns the expression that reads it. */
export type Bind = (value: string | number | JsonObject) => SQL;

/**
 * A field in SQL: the few tests from which all operators are built. An expression can be NULL when the field is absent
 * or of another type; operators.ts counts NULL as false.
 */
export interface Operand {
  /** Whether the field is present and not null. */
  exists: SQL;
  /** Whether the field has the same value, of the same type. */
  equals(value: Scalar): SQL;
  /** Whether the field is a string that contains the value, or a list with the value as an element. */
  contains(value: Scalar): SQL;
  /** Whether the field is a number and `field sign value` holds. `sign` is an operator such as `<`. */
  compares(sign: SQL, value: number): SQL;
  /** The time in the field, in milliseconds since 1970. */
  time: SQL;
}

const always = sql`1`;
const never = sql`0`;
const nothing = sql`NULL`;

/** Returns the operand for a column of addresses, which are stored normalized. */
export function emailOperand(column: SQL, bind: Bind): Operand {
  return {
    exists: always,
    equals(value) {
      const email = typeof value === "string" ? normalizeEmail(value) : null;
      return email === null ? never : sql`(${column} = ${bind(email)})`;
    },
    contains: (value) =>
      typeof value === "string" ? sql`(instr(${column}, ${bind(value.toLowerCase())}) > 0)` : never,
    compares: () => never,
    time: nothing,
  };
}

/** Returns the operand for a column of words from a fixed list. */
export function wordOperand(column: SQL, bind: Bind): Operand {
  return {
    exists: always,
    equals: (value) => (typeof value === "string" ? sql`(${column} = ${bind(value)})` : never),
    contains: (value) => (typeof value === "string" ? sql`(instr(${column}, ${bind(value)}) > 0)` : never),
    compares: () => never,
    time: nothing,
  };
}

/** Returns the operand for a column that is 1 or 0. */
export function flagOperand(column: SQL): Operand {
  return {
    exists: always,
    equals: (value) => (typeof value === "boolean" ? sql`(${column} = ${value ? always : never})` : never),
    contains: () => never,
    compares: () => never,
    time: nothing,
  };
}

/** Returns the operand for a column of milliseconds since 1970. */
export function timeOperand(column: SQL, bind: Bind): Operand {
  return {
    exists: always,
    equals(value) {
      const time = typeof value === "string" ? dateMs(value) : null;
      return time === null ? never : sql`(${column} = ${bind(time)})`;
    },
    contains: () => never,
    compares: () => never,
    time: column,
  };
}

/**
 * Returns the operand for a key of a JSON object. When the object lacks the key `a.b`, the operand reads the key `b`
 * inside `a`.
 */
export function jsonOperand(object: SQL, key: string, bind: Bind): Operand {
  const path = pathTo(object, key, bind);
  const type = sql`json_type(${object}, ${path})`;
  const value = sql`(${object} ->> ${path})`;
  return {
    exists: sql`(${type} <> 'null')`,
    equals: (wanted) => isSame(type, value, wanted, bind),
    contains(wanted) {
      const hasElement = sql`EXISTS (SELECT 1 FROM json_each(${object}, ${path}) item
        WHERE ${isSame(sql`item.type`, sql`item.value`, wanted, bind)})`;
      if (typeof wanted !== "string") return sql`(${type} = 'array' AND ${hasElement})`;
      return sql`CASE ${type} WHEN 'text' THEN instr(${value}, ${bind(wanted)}) > 0 WHEN 'array' THEN ${hasElement} END`;
    },
    // SQLite sorts every text above every number, and returns booleans as 1 and 0, hence the type check.
    compares: (sign, limit) => sql`(${value} ${sign} ${bind(limit)} AND ${type} IN ('integer', 'real'))`,
    // SQLite reads many other strings as dates (`now`, `12:30`, a bare number), hence the check of the format.
    time: sql`CASE WHEN ${value} GLOB '????-??-??T*Z' OR ${value} GLOB '????-??-??' OR ${value} GLOB '????-??-??T*[+-]??:??'
      THEN round(unixepoch(${value}, 'subsec') * 1000) END`,
  };
}

function pathTo(object: SQL, key: string, bind: Bind): SQL {
  const literal = bind(pathOf([key]));
  const keys = key.split(".");
  if (keys.length === 1 || keys.includes("")) return literal;
  return sql`iif(json_type(${object}, ${literal}) IS NULL, ${bind(pathOf(keys))}, ${literal})`;
}

/** Quotes a key as in JSON, so that dots, quotes or control characters are part of the key. */
function pathOf(keys: string[]): string {
  return `$${keys.map((key) => `.${JSON.stringify(key)}`).join("")}`;
}

function isSame(type: SQL, value: SQL, wanted: Scalar, bind: Bind): SQL {
  if (typeof wanted === "boolean") return wanted ? sql`(${type} = 'true')` : sql`(${type} = 'false')`;
  if (typeof wanted === "number") return sql`(${value} = ${bind(wanted)} AND ${type} IN ('integer', 'real'))`;
  // A statement reads JSON up to a million times, so the type is only checked where needed. Apart from strings, only
  // lists and objects are read as text, and their text begins with a bracket.
  const mayBeOther = wanted.startsWith("[") || wanted.startsWith("{");
  return mayBeOther ? sql`(${value} = ${bind(wanted)} AND ${type} = 'text')` : sql`(${value} = ${bind(wanted)})`;
}
