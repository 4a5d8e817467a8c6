import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { closeCheckouts, openCheckout, startStubWorker, widest } from "../support/deploy-checkout";

afterEach(closeCheckouts);

const folder = fileURLToPath(new URL("../../migrations/", import.meta.url).href);
const released = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .toSorted();
/** A migration of a later version, which the deploy brings. */
const later = { name: "9999_later.sql", sql: "ALTER TABLE projects ADD COLUMN later TEXT;\n" };
const info = (binding: string) => `d1 time-travel info ${binding} --json`;

/** A checkout with one more migration than the databases have had that are behind. */
async function openOlder(databases: Record<string, "behind" | "up to date">) {
  const names = Object.keys(databases);
  const checkout = openCheckout({
    address: (await startStubWorker({ projects: 1 })).base,
    databases: names.map((name) => ({ name, uuid: `id-of-${name}` })),
  });
  checkout.write(`migrations/${later.name}`, later.sql);
  for (const [name, state] of Object.entries(databases)) {
    const database = new DatabaseSync(checkout.databaseFile(`id-of-${name}`));
    database.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)");
    const had = released.map((migration) => ({ name: migration, sql: readFileSync(join(folder, migration), "utf8") }));
    for (const migration of state === "behind" ? had : [...had, later]) {
      database.exec(migration.sql);
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(migration.name);
    }
    database.close();
  }
  return checkout;
}

describe("a deploy that migrates a database", { timeout: 30_000 }, () => {
  it("notes its bookmark first, and says the way back and what that undoes", async () => {
    const checkout = await openOlder({ petrel: "behind" });
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code, said).toBe(0);
    const calls = checkout.calls();
    expect(calls.indexOf(info("DB"))).toBeGreaterThan(0);
    expect(calls.indexOf(info("DB"))).toBeLessThan(calls.indexOf("d1 migrations apply DB --remote"));
    expect(said).toMatch(new RegExp(`Time Travel +DB, before ${later.name} +noted`));
    const text = said.replaceAll(/\s+/g, " ");
    expect(text).toContain("npx wrangler rollback --config .petrel.deploy.json");
    expect(text).toContain(
      "npx wrangler d1 time-travel restore petrel \\ --config .petrel.deploy.json \\ --bookmark=bookmark-of-DB",
    );
    expect(text).toContain("undoes the migrations and all that was written since they began");
    expect(widest(said)).toBeLessThanOrEqual(80);
    expect(checkout.read("petrel.toml")).toContain('before_DB = "--bookmark=bookmark-of-DB"');
  });

  it("names each database that it migrates, and no other", async () => {
    const checkout = await openOlder({ petrel: "up to date", "petrel-01": "behind" });
    checkout.write("petrel.toml", '[[d1_databases]]\nbinding = "DB_01"\ndatabase_name = "petrel-01"\n');
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code, said).toBe(0);
    expect(checkout.calls().filter((call) => call.startsWith("d1 time-travel"))).toEqual([info("DB_01")]);
    expect(said).toContain("npx wrangler d1 time-travel restore petrel-01 \\");
    expect(said).not.toContain("restore petrel \\");
  });

  it("gives the time where Cloudflare does not tell the bookmark", async () => {
    const checkout = await openOlder({ petrel: "behind" });
    checkout.change({ answers: { [info("DB")]: { stderr: "The connection was lost.", code: 1 } } });
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code, said).toBe(0);
    expect(said).toMatch(/--timestamp=\d{4}-\d\d-\d\dT[\d:.]+Z/);
  });

  it("says the way back before a migration fails, and keeps that point until a deploy has finished", async () => {
    const checkout = await openOlder({ petrel: "behind" });
    const answers = (bookmark: string) => ({ [info("DB")]: { stdout: JSON.stringify({ bookmark }) } });
    checkout.change({ fault: { call: "d1 migrations apply DB --remote", when: "before" }, answers: answers("first") });
    const broken = await checkout.deploy(["--sandbox"]);
    expect(broken.code).toBe(1);
    expect(broken.said).toContain("--bookmark=first");
    checkout.change({ fault: { call: "deploy --secrets-file FILE", when: "before" }, answers: answers("second") });
    const half = await checkout.deploy(["--sandbox"]);
    expect(half.code).toBe(1);
    expect(half.said).toMatch(/Time Travel +DB, before the deploy that failed +kept/);
    expect(half.said).toContain("--bookmark=first");
    const today = checkout.read("petrel.toml");
    checkout.write(
      "petrel.toml",
      today.replace(/unfinished_since = ".*"/, 'unfinished_since = "2026-01-01T00:00:00.000Z"'),
    );
    const much = await checkout.deploy(["--sandbox"]);
    expect(much.said).not.toContain("kept");
    checkout.write("petrel.toml", today);
    checkout.change({ fault: null });
    const whole = await checkout.deploy(["--sandbox"]);
    expect(whole.code, whole.said).toBe(0);
    expect(whole.said).toContain("--bookmark=first");
    expect(checkout.read("petrel.toml")).toContain('before_DB = "--bookmark=first"');
    expect(checkout.read("petrel.toml")).toContain("unfinished = []");
  });
});
