import { describe, expect, it } from "vitest";
import { listContacts } from "../../src/features/contacts/list";
import { storedId } from "../support/as-seen";
import { idSql } from "../support/counts";
import { admin, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { World } from "../support/world";

interface Seed {
  id: string;
  email: string;
  subscribed?: boolean;
  createdAt?: number;
}

/** Contacts straight into the table, with times and ids of their own. */
async function seed(project: TestProject, contacts: Seed[]): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at, updated_at)
      SELECT value->>'id', ?1, value->>'email', coalesce(value->>'subscribed', 1), '{}',
        coalesce(value->>'createdAt', 1000), 1000
      FROM json_each(?2)`,
    )
    .bind(project.id, JSON.stringify(contacts.map((contact) => ({ ...contact, id: storedId(idOf(contact)) }))))
    .run();
}

/** As the product makes an id: of the time of its contact. Those of one time are in the order of their letters. */
function idOf({ id, createdAt = 1000 }: Pick<Seed, "id" | "createdAt">): string {
  const hex = createdAt.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${id.charCodeAt(0).toString(16).padStart(12, "0")}`;
}

interface Listed {
  emails: string[];
  totals: number[];
  pages: number;
}

/** Walks a whole list. */
async function walk(project: TestProject, query: string): Promise<Listed> {
  const listed: Listed = { emails: [], totals: [], pages: 0 };
  let cursor = "";
  do {
    const { status, body } = await project.api.get(`/contacts?${query}${cursor && `&cursor=${cursor}`}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.hasMore).toBe(body.cursor !== "");
    listed.emails.push(...body.data.map(({ email }: { email: string }) => email));
    listed.totals.push(body.total);
    cursor = body.cursor;
    listed.pages++;
  } while (cursor !== "");
  return listed;
}

/** Eleven people: subscribed or not in no order, and some of them created at the very same moment. */
const people: Required<Seed>[] = [
  { id: "k", email: "kim@acme.test", subscribed: true, createdAt: 1000 },
  { id: "a", email: "ada@example.com", subscribed: false, createdAt: 1000 },
  { id: "c", email: "cyd@example.com", subscribed: true, createdAt: 1000 },
  { id: "b", email: "bob@acme.test", subscribed: true, createdAt: 2000 },
  { id: "d", email: "dan.adams@example.com", subscribed: false, createdAt: 3000 },
  { id: "e", email: "eve@example.com", subscribed: false, createdAt: 3000 },
  { id: "f", email: "fay@example.com", subscribed: true, createdAt: 4000 },
  { id: "g", email: "gus@acme.test", subscribed: false, createdAt: 5000 },
  { id: "h", email: "hal_50%@acme.test", subscribed: true, createdAt: 6000 },
  { id: "i", email: "ivy@example.com", subscribed: true, createdAt: 6000 },
  { id: "j", email: "jo+news@example.com", subscribed: false, createdAt: 7000 },
];

async function projectWithPeople(): Promise<TestProject> {
  const project = await newProject();
  await seed(project, people);
  return project;
}

/** What the list must be, worked out the simplest way. */
function expected({
  search = "",
  subscribed = "",
  sort = "createdAt",
  dir = "desc",
}: Record<string, string>): string[] {
  const ascending = people
    .filter(({ email }) => email.includes(search.toLowerCase()))
    .filter((person) => subscribed === "" || String(person.subscribed) === subscribed)
    .toSorted((one, other) =>
      sort === "email"
        ? one.email < other.email
          ? -1
          : 1
        : one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
    )
    .map(({ email }) => email);
  return dir === "asc" ? ascending : ascending.toReversed();
}

describe("GET /contacts", () => {
  it("lists whole contacts, newest first, in the shape of every cursor list", async () => {
    const project = await newProject();
    expect((await project.api.get("/contacts")).body).toEqual({ data: [], cursor: "", hasMore: false, total: 0 });
    const { _meta, ...ada } = (await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "pro" } }))
      .body;
    const { _meta: __, ...bob } = (await project.api.post("/contacts", { email: "bob@example.com", subscribed: false }))
      .body;
    const { status, body } = await project.api.get("/contacts");
    expect(status).toBe(200);
    expect(body).toEqual({ data: [bob, ada], cursor: "", hasMore: false, total: 2 });
  });

  it("goes through every order and filter page by page, each contact once, with an exact total on the first page", async () => {
    const project = await projectWithPeople();
    for (const subscribed of ["", "true", "false"]) {
      for (const search of ["", "ACME", "ada", "nobody"]) {
        for (const sort of ["createdAt", "email"]) {
          for (const dir of ["asc", "desc"]) {
            const asked = { subscribed, search, sort, dir };
            const given = Object.entries(asked).filter(([, value]) => value !== "");
            const wanted = expected(asked);
            for (const limit of [1, 4, 100]) {
              const query = new URLSearchParams([...given, ["limit", String(limit)]]).toString();
              const { emails, totals, pages } = await walk(project, query);
              expect(emails, query).toEqual(wanted);
              expect(totals, query).toEqual([wanted.length, ...Array(pages - 1).fill(0)]);
              expect(pages, query).toBe(Math.max(1, Math.ceil(wanted.length / limit)));
            }
          }
        }
      }
    }
  }, 60_000);

  it("counts by what the contacts are now: created, flipped, snoozed and deleted", async () => {
    const project = await newProject();
    const total = async (query = "") => (await project.api.get(`/contacts?${query}`)).body.total;
    const ids: string[] = [];
    for (const name of ["ada", "bob", "cyd"]) {
      ids.push((await project.api.post("/contacts", { email: `${name}@example.com` })).body.id);
    }
    await project.api.patch(`/contacts/${ids[0]}`, { subscribed: false });
    await project.api.post(`/contacts/${ids[1]}/snooze`, { duration: "1m" });
    expect(await Promise.all([total(), total("subscribed=true"), total("subscribed=false")])).toEqual([3, 1, 2]);
    await project.db.prepare("DELETE FROM contacts WHERE id = ?").bind(ids[0]).run();
    expect(await Promise.all([total(), total("subscribed=true"), total("subscribed=false")])).toEqual([2, 1, 1]);
  });

  it.each([
    ["limit=3", 3],
    ["limit=100", 100],
    ["limit=101", 100],
    ["limit=999999", 100],
    ["", 20],
  ])("shows of 120: %s", async (query, shown) => {
    const project = await newProject();
    const many = Array.from({ length: 120 }, (_, n) => ({ id: String(n), email: `p${n}@example.com`, createdAt: n }));
    await seed(project, many);
    const { body } = await project.api.get(`/contacts?${query}`);
    expect([body.data.length, body.hasMore, body.total]).toEqual([shown, true, 120]);
  });

  it.each([
    ["sort=name", "sort=createdAt"],
    ["sort=", "sort=createdAt"],
    ["dir=down", "dir=desc"],
    ["dir=ASC", "dir=desc"],
    ["search=", ""],
    ["search=%20%20", ""],
    ["search=%20AdA%20", "search=ada"],
  ])("%s is as %s", async (query, same) => {
    const project = await projectWithPeople();
    expect((await project.api.get(`/contacts?${query}`)).body).toEqual(
      (await project.api.get(`/contacts?${same}`)).body,
    );
  });

  it.each([
    ["a per cent sign", "50%25", ["hal_50%@acme.test"]],
    ["an underscore", "_", ["hal_50%@acme.test"]],
    ["a plus", "jo%2Bnews", ["jo+news@example.com"]],
    ["a quote", "%27%20OR%201=1--", []],
    ["U+0000", "ada%00x", []],
    ["more than D1 takes of a pattern", "x".repeat(2_000), []],
    ["letters beyond ASCII", "%C3%A4%F0%9F%8E%89", []],
  ])("searches for %s as it is", async (_, search, found) => {
    const project = await projectWithPeople();
    const { status, body } = await project.api.get(`/contacts?search=${search}`);
    expect([status, body.total]).toEqual([200, found.length]);
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(found);
  });

  it("finds one contact by its address, in any case", async () => {
    const project = await projectWithPeople();
    const found = async (query: string) => {
      const { body } = await project.api.get(`/contacts?${query}`);
      expect(body).toMatchObject({ cursor: "", hasMore: false, total: body.data.length });
      return body.data.map(({ email }: { email: string }) => email);
    };
    expect(await found("email=%20Ada@Example.com%20")).toEqual(["ada@example.com"]);
    expect(await found("email=ada@example.com&sort=email&dir=asc")).toEqual(["ada@example.com"]);
    expect(await found("email=ada@example.com&subscribed=false&search=ada")).toEqual(["ada@example.com"]);
    expect(await found("email=ada@example.com&subscribed=true")).toEqual([]);
    expect(await found("email=ada@example.com&search=bob")).toEqual([]);
    expect(await found("email=nobody@example.com")).toEqual([]);
  });

  it("shows nothing of another project", async () => {
    const [mine, other] = [await newProject(), await projectWithPeople()];
    for (const query of ["", "search=ada", "sort=email", "subscribed=false&sort=email", "email=ada@example.com"]) {
      expect((await mine.api.get(`/contacts?${query}`)).body).toMatchObject({ data: [], total: 0 });
    }
    // A cursor is a position and no permission.
    const { cursor } = (await other.api.get("/contacts?limit=1")).body;
    expect((await mine.api.get(`/contacts?limit=1&cursor=${cursor}`)).body).toMatchObject({ data: [], hasMore: false });
  });

  it.each([
    ["limit=0", "limit", "too_small"],
    ["limit=-1", "limit", "invalid_string"],
    ["limit=abc", "limit", "invalid_string"],
    ["limit=1.5", "limit", "invalid_string"],
    ["limit=", "limit", "invalid_string"],
    ["subscribed=yes", "subscribed", "invalid_enum_value"],
    ["subscribed=1", "subscribed", "invalid_enum_value"],
    ["subscribed=", "subscribed", "invalid_enum_value"],
    ["email=nope", "email", "invalid_string"],
    ["email=", "email", "invalid_string"],
  ])("refuses %s", async (query, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.get(`/contacts?${query}`), field, code);
  });

  it("refuses a cursor that is none, or of another list", async () => {
    const project = await projectWithPeople();
    const lists = [
      "",
      "search=ada",
      "subscribed=true",
      "subscribed=false",
      "sort=email",
      "dir=asc",
      "sort=email&dir=asc",
    ];
    const cursors = new Map<string, string>();
    for (const list of lists) cursors.set(list, (await project.api.get(`/contacts?limit=1&${list}`)).body.cursor);
    for (const list of lists) {
      for (const [other, cursor] of cursors) {
        const answer = await project.api.get(`/contacts?${list}&cursor=${cursor}`);
        if (other === list) expect(answer.status).toBe(200);
        else expectRefusal(answer, 400, "BAD_REQUEST");
      }
      for (const garbage of ["next", "2", "%25", "e30"]) {
        expectRefusal(await project.api.get(`/contacts?${list}&cursor=${garbage}`), 400, "BAD_REQUEST");
      }
    }
  });

  it("keeps its place while contacts come, go and change", async () => {
    const project = await projectWithPeople();
    const first = (await project.api.get("/contacts?limit=4")).body;
    await seed(project, [{ id: "new", email: "new@example.com", createdAt: 9000 }]);
    await project.db
      .prepare("DELETE FROM contacts WHERE project_id = ? AND id = ?")
      .bind(project.id, first.data[3].id)
      .run();
    await project.api.patch(`/contacts/${idOf({ id: "f", createdAt: 4000 })}`, { subscribed: false });
    const second = (await project.api.get(`/contacts?limit=4&cursor=${first.cursor}`)).body;
    expect(second.data.map(({ email }: { email: string }) => email)).toEqual(expected({}).slice(4, 8));
  });

  it("can be read in a disabled project", async () => {
    const project = await projectWithPeople();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await project.api.get("/contacts")).body.total).toBe(people.length);
  });

  it("takes one round trip, whatever is asked", async () => {
    const project = await projectWithPeople();
    const asked = [
      {},
      { search: "ada" },
      { sort: "email" as const },
      { sort: "email" as const, subscribed: true },
      { email: "ada@example.com" },
    ];
    for (const query of asked) {
      const { ctx, process } = await new World().context(project);
      await listContacts(ctx, { limit: 2, sort: "createdAt", dir: "desc", ...query });
      expect(process.steps).toEqual(["query"]);
    }
  });

  it("by address of one half ends a page early when it has looked at 25,000, and goes on from there", async () => {
    const project = await newProject();
    const row = `${idSql("1000")}, ?1, printf('c%06d@example.com', n.i), n.i IN (10, 26000, 52000), '{}', 1000, 1000`;
    await project.db
      .prepare(
        `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at, updated_at)
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 55000) SELECT ${row} FROM n`,
      )
      .bind(project.id)
      .run();
    for (const dir of ["asc", "desc"]) {
      const subscribed = await walk(project, `sort=email&subscribed=true&limit=2&dir=${dir}`);
      const wanted = ["c000010@example.com", "c026000@example.com", "c052000@example.com"];
      expect(subscribed.emails).toEqual(dir === "asc" ? wanted : wanted.toReversed());
      expect(subscribed.totals).toEqual([3, 0, 0]);
    }
    const first = (await project.api.get("/contacts?sort=email&subscribed=false&limit=100")).body;
    expect([first.data.length, first.total]).toEqual([100, 54_998]);
  });
});
