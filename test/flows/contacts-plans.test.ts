import { beforeAll, describe, expect, it } from "vitest";
import { endSnoozes } from "../../src/engine/contacts/end-snoozes";
import { snoozeContact } from "../../src/engine/contacts/snooze";
import { unsnoozeContact } from "../../src/engine/contacts/unsnooze";
import { listContacts } from "../../src/features/contacts/list";
import { lookUpContacts } from "../../src/features/contacts/lookup";
import { LookupContacts, UpdateContact } from "../../src/features/contacts/schema";
import { updateContact } from "../../src/features/contacts/update";
import { upsertContact } from "../../src/features/contacts/upsert";
import { addSuppression } from "../../src/features/suppressions/add";
import { addSuppressions } from "../../src/features/suppressions/add-many";
import { idSql } from "../support/counts";
import { expectBounded, planOf } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { World } from "../support/world";

const size = 6_000;
const chunk = 1_000;
let project: TestProject;

/** Thousands of contacts, a third of them unsubscribed, some snoozed, and an event of each. */
beforeAll(async () => {
  project = await newProject();
  for (let start = 0; start < size; start += chunk) {
    const rows = Array.from({ length: chunk }, (_, index) => start + index);
    await project.db.batch([
      project.db
        .prepare(
          `INSERT INTO contacts (id, project_id, email, subscribed, snoozed_until, source, data, created_at, updated_at)
          SELECT ${idSql("value")}, ?1, printf('p%05d@example.com', value), value % 3 > 0, iif(value % 30 = 0, value, NULL),
            'API', '{"plan":"pro"}', value, value FROM json_each(?2)`,
        )
        .bind(project.id, JSON.stringify(rows)),
      project.db
        .prepare(
          `INSERT INTO events (id, project_id, name, contact_id, data)
          SELECT ${idSql("value")}, ?1, 'x', (SELECT id FROM contacts c WHERE c.project_id = ?1
            AND c.email = printf('p%05d@example.com', value)), '{}' FROM json_each(?2)`,
        )
        .bind(project.id, JSON.stringify(rows)),
    ]);
  }
});

describe("a list of contacts", () => {
  const list = { limit: 20, sort: "createdAt" as const, dir: "desc" as const };
  const byAddress = { ...list, sort: "email" as const, dir: "asc" as const };
  const half = /^SEARCH contacts USING COVERING INDEX ix_contacts_list \(project_id=\? AND subscribed=\?/;
  const addresses = /^SEARCH contacts USING COVERING INDEX ux_contacts_email \(project_id=\?/;
  const rowsByAddress = /^SEARCH contacts USING INDEX ux_contacts_email \(project_id=\?/;
  const countedSearch = /^SEARCH contacts USING COVERING INDEX ix_contacts_list \(project_id=\?/;

  /** How each list walks through contacts, on its first page and on the next. */
  it.each<[what: string, query: Parameters<typeof listContacts>[1], first: RegExp[], next: RegExp[]]>([
    ["everyone", list, [half, half], [half, half]],
    ["everyone, oldest first", { ...list, dir: "asc" }, [half, half], [half, half]],
    ["the subscribed", { ...list, subscribed: true }, [half], [half]],
    ["a search", { ...list, search: "p0" }, [countedSearch, half, half], [half, half]],
    ["a search of a half", { ...list, search: "p0", subscribed: false }, [countedSearch, half], [half]],
    ["by address", byAddress, [addresses], [addresses]],
    ["a search by address", { ...byAddress, search: "p0" }, [countedSearch, addresses], [addresses]],
    // Sorts what matches, of which it holds a page.
    ["a search of a half by address", { ...byAddress, search: "p0", subscribed: true }, [countedSearch, half], [half]],
    // The edge of the window, and what is in it.
    ["a half by address", { ...byAddress, subscribed: true }, [addresses, rowsByAddress], [addresses, rowsByAddress]],
  ])("%s walks an index in its order", async (what, query, first, next) => {
    const world = new World();
    const { ctx } = await world.context(project);
    const page = await listContacts(ctx, query);
    await listContacts(ctx, { ...query, cursor: page.cursor });
    const statements = world.statements.filter(({ sql }) => sql.includes("facts"));
    expect(statements).toHaveLength(2);
    for (const [index, walks] of [first, next].entries()) {
      const plan = await planOf(statements[index] ?? { sql: "", values: [] });
      const found = plan.filter((step) => /\bcontacts\b/.test(step));
      expect(found, plan.join("\n")).toEqual(walks.map((walk) => expect.stringMatching(walk)));
      expect(plan).toContainEqual(expect.stringMatching(/^SEARCH c USING INTEGER PRIMARY KEY/));
      const isSorted = what === "a search of a half by address";
      expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toHaveLength(isSorted ? 1 : 0);
    }
  });

  it.each<[what: string, query: Parameters<typeof listContacts>[1]]>([
    ["everyone", list],
    ["the unsubscribed", { ...list, subscribed: false }],
    ["by address", byAddress],
  ])("%s reads no more than its page, however deep", async (_, query) => {
    let cursor: string | undefined;
    for (let page = 0; page < 20; page++) {
      const world = new World();
      const { ctx } = await world.context(project);
      cursor = (await listContacts(ctx, { ...query, limit: 100, cursor })).cursor;
      const { sql = "", values = [] } = world.statements.at(-1) ?? {};
      const { meta } = await project.db
        .prepare(sql)
        .bind(...values)
        .all();
      // An entry of the index and a row for each, one more of either, and what holds the page meanwhile.
      expect(meta.rows_read).toBeLessThan(500);
    }
  });
});

it.each([
  ["scans", "SELECT 1 FROM contacts c WHERE c.data = 'x'", "SCAN c"],
  [
    "enters an index by the project alone",
    "SELECT 1 FROM events WHERE project_id = 'p' AND data = 'x'",
    "SEARCH events",
  ],
  ["sorts", "SELECT value FROM json_each('[]') ORDER BY value", "USE TEMP B-TREE FOR ORDER BY"],
])("a statement that %s is not taken for bounded", async (_, sql, step) => {
  await expect(expectBounded([{ sql, values: [] }])).rejects.toThrow();
  await expectBounded([{ sql, values: [] }], [{ sql: /^SELECT/, step: new RegExp(`^${step}`) }]);
  await expect(expectBounded([], [{ sql: /^SELECT/, step: /^SCAN/ }])).rejects.toThrow("not met");
});

it("creates, changes, looks up, snoozes and ends snoozes without walking through what is there", async () => {
  const world = new World();
  const { ctx } = await world.context(project);
  const data = { plan: "free", seats: null };
  const { id } = (await upsertContact(ctx, { email: "p00001@example.com", subscribed: true, data })).contact;
  await updateContact(ctx, id, UpdateContact.parse({ email: "new@example.com", subscribed: true, data }));
  await lookUpContacts(ctx, LookupContacts.parse({ emails: ["new@example.com"] }), { isExpanded: true });
  await listContacts(ctx, { limit: 20, sort: "createdAt", dir: "desc", email: "new@example.com", subscribed: true });
  await snoozeContact(ctx, id, { duration: "1m" });
  await unsnoozeContact(ctx, id);
  await addSuppression(ctx, { email: "new@example.com", reason: null });
  await addSuppressions(ctx, { suppressions: [{ email: "new@example.com" }, { email: "p00002@example.com" }] });
  await endSnoozes(world.process().platform);
  const left = await project.db
    .prepare("SELECT count(snoozed_until) AS n FROM contacts WHERE project_id = ?")
    .bind(project.id)
    .first();
  expect(left).toEqual({ n: 0 });

  expect(world.statements.length).toBeGreaterThan(18);
  await expectBounded(world.statements);
});
