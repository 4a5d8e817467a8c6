import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { databaseBindings, readWranglerToml } from "../../scripts/lib/wrangler-toml.mjs";
import { shardsOf } from "../../src/db/client";

const database = {} as D1Database;

function bindingsOf(...names: string[]): string[] {
  return databaseBindings({ d1_databases: names.map((binding) => ({ binding })) });
}

describe("the databases of wrangler.toml", () => {
  it("is one by default, and petrel.example.toml has a second that is ready to be uncommented", () => {
    expect(databaseBindings(readWranglerToml())).toEqual(["DB"]);
    const text = readFileSync(fileURLToPath(new URL("../../petrel.example.toml", import.meta.url).href), "utf8");
    expect(text).toContain('# [[d1_databases]]\n# binding = "DB_01"');
  });

  it.each(["DB_01", "DB_09", "DB_10", "DB_99"])("migrates %s, and the Worker puts projects there", (name) => {
    expect(bindingsOf("DB", name)).toEqual(["DB", name]);
    expect(shardsOf({ [name]: database, DB: database })).toEqual(["DB", name]);
  });

  it.each(["DB_1", "DB_00", "DB_100", "DB01", "db_01", "DATABASE"])(
    "refuses a database that is bound as %s",
    (name) => {
      expect(() => bindingsOf("DB", name)).toThrow(`binds a database as ${name}`);
      expect(shardsOf({ DB: database, [name]: database })).toEqual(["DB"]);
    },
  );

  it("refuses an installation without DB", () => {
    expect(() => bindingsOf("DB_01")).toThrow("no database as DB");
  });
});
