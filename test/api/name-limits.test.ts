import { describe, expect, it } from "vitest";
import { maxFields } from "../../src/engine/contacts/field-types";
import { maxEventNames } from "../../src/engine/events/name-limit";
import { effects } from "../support/effects";
import { importCsv } from "../support/import";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid } from "../support/refusal";

type Kind = "secret" | "public";

/** Event names and fields of the project, as one kind of key brought them. */
async function fill(project: TestProject, kind: Kind, { left = 0 } = {}): Promise<void> {
  const many = (count: number) => JSON.stringify(Array.from({ length: count - left }, (_, n) => `${kind}-${n}`));
  const isPublic = kind === "public" ? 1 : 0;
  await project.db.batch([
    project.db
      .prepare(
        `INSERT INTO event_names (project_id, name, count, contacts, last_at, day, day_count, is_public)
          SELECT ?, value, 0, 0, 0, 0, 0, ? FROM json_each(?)`,
      )
      .bind(project.number, isPublic, many(maxEventNames[kind])),
    project.db
      .prepare(
        `INSERT INTO contact_fields (project_id, key, type, is_public, created_at)
          SELECT ?, value, 'string', ?, 0 FROM json_each(?)`,
      )
      .bind(project.number, isPublic, many(maxFields[kind])),
  ]);
}

const track = (project: TestProject, kind: Kind, fields: Record<string, unknown>) =>
  call(
    "POST",
    kind === "public" ? "/v1/track" : "/events/track",
    { email: "ada@example.com", event: "purchase", ...fields },
    bearer(project.keys[kind]),
  );

describe.each(["public", "secret"] as const)("names that a project takes from its %s keys", (kind) => {
  const other = kind === "public" ? "secret" : "public";

  it("are limited, those of events", async () => {
    const project = await newProject();
    await fill(project, kind, { left: 1 });
    expect((await track(project, kind, { event: "the last one" })).status).toBe(200);
    const before = await effects(project);
    expectInvalid(await track(project, kind, { event: "one more" }), "event", "too_big");
    expect(await effects(project)).toEqual(before);
    expect((await track(project, kind, { event: `${kind}-0` })).status).toBe(200);
    expect((await track(project, other, { event: "one more" })).status).toBe(200);
    expect((await track(project, kind, { event: "one more" })).status).toBe(200);
  });

  it("are limited, those of fields", async () => {
    const project = await newProject();
    await fill(project, kind, { left: 1 });
    const known = { event: `${kind}-0` };
    expect((await track(project, kind, { ...known, data: { last: 1 } })).status).toBe(200);
    const before = await effects(project);
    expectInvalid(await track(project, kind, { ...known, data: { more: 1 } }), "data", "too_big");
    expect(await effects(project)).toEqual(before);
    const own = { more: { value: 1, persistent: false }, [`${kind}-0`]: "known", last: null };
    expect((await track(project, kind, { ...known, data: own })).status).toBe(200);
    expect((await track(project, other, { event: "purchase", data: { more: 1 } })).status).toBe(200);
    expect((await track(project, kind, { ...known, data: { more: 2 } })).status).toBe(200);
  });
});

describe("a project that has all the fields it may have", () => {
  it("takes no new one on any way, and everything else", async () => {
    const project = await newProject();
    const { api } = project;
    const { id } = (await api.post("/contacts", { email: "ada@example.com" })).body;
    await fill(project, "secret");
    const before = await effects(project);
    const data = { more: 1 };
    expectInvalid(await api.post("/contacts", { email: "grace@example.com", data }), "data", "too_big");
    expectInvalid(await api.patch(`/contacts/${id}`, { data }), "data", "too_big");
    expectInvalid(await api.send({ data }), "data", "too_big");
    expect(await effects(project)).toEqual(before);
    expect((await api.patch(`/contacts/${id}`, { data: { "secret-1": "known" } })).status).toBe(200);
    expect((await api.send({ data: { more: { value: 1, persistent: false } } })).status).toBe(200);

    const job = await importCsv(project, "email,secret-1,more\nada@example.com,x,y\n");
    expect(job).toMatchObject({ status: "failed", imported: 0, updated: 0 });
    expect(job.reason).toContain("different keys of data");
    expect(await importCsv(project, "email,secret-1\nada@example.com,x\n")).toMatchObject({ status: "completed" });
  });
});
