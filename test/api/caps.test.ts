import { describe, expect, it } from "vitest";
import { type Answer, newProject, type TestProject } from "../support/project";
import { newTemplate, soundTemplate } from "../support/template";

function expectFull({ status, body }: Answer, what: string): void {
  expect(status).toBe(422);
  expect(body.error.code).toBe("VALIDATION_ERROR");
  expect(body.error.message).toContain(what);
}

const insertMany = (project: TestProject, columns: string, values: string) =>
  project.db
    .prepare(
      `INSERT INTO ${columns} SELECT ${project.number}, ${values} FROM (
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) SELECT i FROM n)`,
    )
    .run();

describe("a project takes", () => {
  it("1,000 templates, also when many come at once, and no copy beyond", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    await insertMany(
      project,
      "templates (project_id, id, name, version_id, search_text, created_at, updated_at)",
      "'x' || i, 'Filler', 'none', 'filler', 0, 0",
    );
    await project.db.prepare("DELETE FROM templates WHERE project_id = ? AND id = 'x1'").bind(project.number).run();
    const calls = Array.from({ length: 4 }, () => project.api.post("/templates", soundTemplate(project)));
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectFull(answer, "1000 templates");
    expectFull(await project.api.post(`/templates/${id}/duplicate`), "1000 templates");
    expect((await project.api.patch(`/templates/${id}`, { name: "Renamed" })).status).toBe(200);
  });

  it("1,000 workflows, also when many come at once: one by one, as documents, and as copies", async () => {
    const project = await newProject();
    const { id } = (await project.api.post("/workflows", { name: "First" })).body;
    await insertMany(
      project,
      "workflows (project_id, id, name, enabled, trigger_type, trigger_config, allow_reentry, search_text, created_at, updated_at)",
      "'x' || i, 'Filler', 0, 'MANUAL', '{}', 0, 'filler', 0, 0",
    );
    await project.db.prepare("DELETE FROM workflows WHERE project_id = ? AND id = 'x1'").bind(project.number).run();
    const whole = {
      name: "Whole",
      steps: [{ key: "end", type: "EXIT" }],
      transitions: [{ from: "trigger", to: "end" }],
    };
    const answers = await Promise.all([
      ...Array.from({ length: 3 }, (_, n) => project.api.post("/workflows", { name: `W${n}` })),
      project.api.post("/workflows", whole),
      project.api.post(`/workflows/${id}/duplicate`),
    ]);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectFull(answer, "1000 workflows");
    const counted = await project.db
      .prepare("SELECT count(*) AS n FROM workflows WHERE project_id = ?")
      .bind(project.number)
      .first<number>("n");
    expect(counted).toBe(1_000);
    expect((await project.api.patch(`/workflows/${id}`, { name: "Renamed" })).status).toBe(200);
  });

  it("1,000,000 suppressions, and counts them as they come and go", async () => {
    const project = await newProject();
    const add = (email: string) => project.api.post("/suppressions", { email });
    const counted = () =>
      project.db
        .prepare("SELECT suppressions FROM project_counts WHERE project_id = ?")
        .bind(project.number)
        .first<number>("suppressions");
    await add("a@example.com");
    await add("a@example.com");
    await add("b@example.com");
    expect(await counted()).toBe(2);
    await project.api.delete("/suppressions/b@example.com");
    await project.api.delete("/suppressions/b@example.com");
    expect(await counted()).toBe(1);
    await project.db
      .prepare("UPDATE project_counts SET suppressions = 999999 WHERE project_id = ?")
      .bind(project.number)
      .run();
    const answers = await Promise.all(Array.from({ length: 4 }, (_, n) => add(`${n}@example.com`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectFull(answer, "1000000 addresses");
    expect((await add("a@example.com")).status).toBe(201);
    const suppressions = [{ email: "a@example.com" }, { email: "late@example.com" }];
    expectFull(await project.api.post("/suppressions/bulk", { suppressions }), "1000000 addresses");
    expect((await project.api.post("/suppressions/bulk", { suppressions: suppressions.slice(0, 1) })).status).toBe(200);
    expect((await project.api.get("/suppressions")).body.data).toHaveLength(2);
  });

  it("the address of an erased contact off the count, and on it again when the contact is back", async () => {
    const project = await newProject();
    const { id } = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    await project.api.post("/suppressions", { email: "ada@example.com" });
    const counted = () =>
      project.db
        .prepare("SELECT suppressions FROM project_counts WHERE project_id = ?")
        .bind(project.number)
        .first<number>("suppressions");
    await project.api.delete(`/contacts/${id}`);
    expect(await counted()).toBe(0);
    await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "pro" } });
    expect(await counted()).toBe(1);
  });
});
