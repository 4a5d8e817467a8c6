import { type SQL, sql } from "drizzle-orm";
import { type Bind, emailOperand, flagOperand, type Operand, timeOperand, wordOperand } from "../audience/operand";
import { iso } from "../time";
import type { ColumnName, ContactColumn } from "./columns";
import { columnNamed } from "./columns-with";
import type { FieldType } from "./field-type";

/** How the columns of a kind are compared and shown. */
interface ColumnKind {
  type: FieldType;
  operand(column: SQL, bind: Bind): Operand;
  /** Converts a stored value, or the value of `inJson`, to the form in which answers show it. */
  shown(stored: unknown): unknown;
  /** Returns the value for use inside JSON that a statement builds. */
  inJson(column: SQL): SQL;
}

const asStored = { shown: (stored: unknown) => stored, inJson: (column: SQL) => column };

const columnKinds: Record<ContactColumn["kind"], ColumnKind> = {
  address: { type: "string", operand: emailOperand, ...asStored },
  word: { type: "string", operand: wordOperand, ...asStored },
  flag: {
    ...asStored,
    type: "boolean",
    operand: flagOperand,
    inJson: (column) => sql`json(iif(${column}, 'true', 'false'))`,
  },
  time: {
    ...asStored,
    type: "date",
    operand: timeOperand,
    shown: (stored) => (typeof stored === "number" ? iso(stored) : stored),
  },
};

export function kindOf(name: ColumnName): ColumnKind {
  return columnKinds[columnNamed(name).kind];
}

/** Returns the operand for a column of contacts. */
export function operandOf(name: ColumnName, column: SQL, bind: Bind): Operand {
  const operand = kindOf(name).operand(column, bind);
  return columnNamed(name).isNullable ? { ...operand, exists: sql`(${column} IS NOT NULL)` } : operand;
}
