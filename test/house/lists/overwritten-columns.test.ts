import { toSnakeCase } from "drizzle-orm/casing";
import { expect, it } from "vitest";
import { contactColumns } from "../../../src/core/contacts/columns";
import { overwrittenColumns } from "../../../src/db/overwritten-columns";

it("an undo of an import restores each column that an import may set in a stored contact", () => {
  const imported = Object.entries(contactColumns).flatMap(([name, column]) =>
    "imported" in column && column.imported !== "new" ? [toSnakeCase(name)] : [],
  );
  expect(imported).toEqual(["opted_out_at", "confirmed_at"]);
  expect(imported.filter((name) => !overwrittenColumns.includes(name))).toEqual([]);
});
