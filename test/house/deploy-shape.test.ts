import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { closeCheckouts, openCheckout, startStubWorker, widest } from "../support/deploy-checkout";

vi.setConfig({ testTimeout: 30_000 });
afterEach(closeCheckouts);

/** An account with a database that was migrated by this version, and then by these statements. */
async function openMigrated(...statements: string[]) {
  const checkout = openCheckout({ address: (await startStubWorker({ projects: 1 })).base });
  await checkout.deploy(["--sandbox"]);
  const database = new DatabaseSync(checkout.databaseFile("id-of-petrel"));
  for (const statement of statements) database.exec(statement);
  database.close();
  const before = checkout.calls().length;
  return { ...checkout, callsSince: () => checkout.calls().slice(before) };
}

describe("the shape of a database", () => {
  it("is compared before anything is made: an older one is refused, with what to do", async () => {
    const checkout = await openMigrated("ALTER TABLE contacts DROP COLUMN opted_out_by", "DROP TABLE dead_letters");
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code).toBe(1);
    expect(widest(said)).toBeLessThanOrEqual(80);
    const text = said.replaceAll(/\s+/g, " ");
    expect(text).toContain("The tables of DB (petrel) are not those that its migrations make: ");
    expect(text).toContain("npx wrangler d1 export petrel --remote");
    expect(text).toContain("npx wrangler d1 delete petrel");
    expect(checkout.callsSince().filter((call) => /create|apply|^deploy/.test(call))).toEqual([]);
  });

  it("is that of tables which no migration made, as well", async () => {
    const checkout = await openMigrated("DROP TABLE d1_migrations");
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code).toBe(1);
    expect(said.replaceAll(/\s+/g, " ")).toContain("is not one of ours.");
  });

  it("is that of the migrations that were applied: a new one is applied to it", async () => {
    const checkout = await openMigrated();
    checkout.write("migrations/0001_more.sql", "ALTER TABLE `contacts` ADD `more` text;\n");
    expect((await checkout.deploy(["--sandbox"])).code).toBe(0);
    expect((await checkout.deploy(["--sandbox"])).code).toBe(0);
    checkout.write("migrations/0001_more.sql", "ALTER TABLE `contacts` ADD `more` integer;\n");
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code).toBe(1);
    expect(said.replaceAll(/\s+/g, " ")).toContain("contacts is of another shape.");
  });

  it("is not touched by a version that does not know its newest migration", async () => {
    const checkout = await openMigrated("INSERT INTO d1_migrations (name) VALUES ('0009_newer.sql')");
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code).toBe(1);
    expect(said.replaceAll(/\s+/g, " ")).toContain("the migration 0009_newer.sql, which this version does not have.");
  });

  it("is compared without the tables' quotes and blanks", async () => {
    const checkout = await openMigrated();
    const tables = checkout.read("migrations/0000_tables.sql");
    checkout.write("migrations/0000_tables.sql", tables.replaceAll("`", '"').replaceAll("\t", "    "));
    expect((await checkout.deploy(["--sandbox"])).code).toBe(0);
  });
});
