import { describe, expect, it } from "vitest";
import { idSql } from "../support/counts";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { newSegment } from "../support/segment";
import { draw, newStep, newWorkflow, triggerOf } from "../support/workflow-graph";

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";
const long = (length: number) => "x".repeat(length);
const notFound = { details: { resource: "workflow", id: nowhere } };

/** Workflows number 1..count, straight into the table. */
async function addWorkflows(project: TestProject, count: number): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO workflows (project_id, id, name, enabled, trigger_type, trigger_config, allow_reentry, search_text, created_at, updated_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      SELECT ?1, ${idSql("i")}, 'W', false, 'MANUAL', '{}', false, 'w', i, i FROM n`,
    )
    .bind(project.id, count)
    .run();
}

/** Listeners of an event, as enabled workflows have them. */
async function addListeners(project: TestProject, name: string, count: number): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO event_listeners (project_id, name, listener_id)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
      SELECT ?1, ?2, iif(i % 2, 'workflow:start:', 'workflow:closed:') || i FROM n`,
    )
    .bind(project.id, name, count)
    .run();
}

async function listenersOf(project: TestProject): Promise<string[]> {
  const { results } = await project.db
    .prepare("SELECT name, listener_id FROM event_listeners WHERE project_id = ? ORDER BY name, listener_id")
    .bind(project.id)
    .all<{ name: string; listener_id: string }>();
  return results.map(({ name, listener_id }) => `${name} ${listener_id.split(":", 2).join(":")}`);
}

async function nextTickOf(project: TestProject): Promise<number | null> {
  const row = await project.db
    .prepare("SELECT next_tick_at FROM workflows WHERE project_id = ?")
    .bind(project.id)
    .first<{ next_tick_at: number | null }>();
  return row?.next_tick_at ?? null;
}

/** An execution of the workflow, as the shards' mirror shows it. */
async function addExecution(project: TestProject, workflowId: string, stepId: string, status = "WAITING") {
  await project.db
    .prepare(
      `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, current_step_id, started_at, updated_at)
      VALUES (?, ?, ?, ?, 0, ?, ?, 1, 1)`,
    )
    .bind(project.id, workflowId, crypto.randomUUID(), nowhere, status, stepId)
    .run();
}

describe("POST /workflows", () => {
  it("makes a workflow with its TRIGGER step, disabled", async () => {
    const project = await newProject();
    const { status, body } = await project.api.post("/workflows", { name: "Welcome", eventName: "signup" });
    expect(status).toBe(201);
    const trigger = {
      id: expect.stringMatching(uuid),
      workflowId: body.id,
      type: "TRIGGER",
      name: "TRIGGER",
      position: { x: 0, y: 0 },
      config: {},
      templateId: null,
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    };
    expect(body).toEqual({
      id: expect.stringMatching(uuid),
      name: "Welcome",
      description: null,
      enabled: false,
      triggerType: "EVENT",
      triggerConfig: { eventName: "signup", publicEvents: true },
      allowReentry: false,
      issues: [{ stepId: body.steps[0].id, message: expect.stringContaining("Nothing comes after the trigger") }],
      version: 1,
      projectId: project.id,
      createdAt: expect.stringMatching(isoTime),
      updatedAt: body.createdAt,
      steps: [trigger],
      transitions: [],
    });
    expect((await project.api.get(`/workflows/${body.id}`)).body).toEqual(body);
    expect(await listenersOf(project)).toEqual([]);
  });

  it("takes the event in triggerConfig too, or none yet", async () => {
    const project = await newProject();
    const closed = { eventName: " Email.sent", publicEvents: false };
    expect(await newWorkflow(project, { eventName: undefined, triggerConfig: closed })).toMatchObject({
      triggerConfig: closed,
    });
    const none = await newWorkflow(project, { eventName: undefined, allowReentry: true, description: "Later" });
    expect(none).toMatchObject({
      triggerConfig: { eventName: null, publicEvents: true },
      allowReentry: true,
      description: "Later",
    });
    expect(none.issues[0]).toEqual({ message: expect.stringContaining("no event name") });
  });

  it("is never enabled, and says so when it is asked to be", async () => {
    const project = await newProject();
    const workflow = await newWorkflow(project, { enabled: true });
    expect(workflow.enabled).toBe(false);
    expect(workflow.warnings).toMatchObject([{ field: "enabled" }]);
  });

  it.each<[fields: Record<string, unknown>, field: string, code: string]>([
    [{ name: undefined }, "name", "required"],
    [{ name: "" }, "name", "too_small"],
    [{ name: long(101) }, "name", "too_big"],
    [{ description: long(501) }, "description", "too_big"],
    [{ eventName: "" }, "eventName", "too_small"],
    [{ eventName: "*" }, "eventName", "invalid_string"],
    [{ eventName: "order.*" }, "eventName", "invalid_string"],
    [{ eventName: "webhook.disabled" }, "eventName", "invalid_string"],
    [{ eventName: "email.read" }, "eventName", "invalid_string"],
    [{ eventName: "a", triggerConfig: { eventName: "b" } }, "eventName", "custom"],
    [{ triggerConfig: { publicEvents: "no" } }, "triggerConfig.publicEvents", "invalid_type"],
    [{ triggerConfig: { cron: "0 9 * * *" } }, "triggerConfig.cron", "custom"],
    [{ publicEvents: false }, "publicEvents", "custom"],
    [{ triggerType: "OTHER" }, "triggerType", "invalid_enum_value"],
    [{ triggerType: "MANUAL" }, "eventName", "custom"],
    [{ allowReentry: "yes" }, "allowReentry", "invalid_type"],
  ])("refuses %j", async (fields, field, code) => {
    const project = await newProject();
    const answer = await project.api.post("/workflows", { name: "Welcome", eventName: "signup", ...fields });
    expectInvalid(answer, field, code);
    expect((await project.api.get("/workflows")).body.total).toBe(0);
  });

  it("makes a thousand of them, and no more", async () => {
    const project = await newProject();
    await addWorkflows(project, 999);
    const last = await newWorkflow(project);
    expectInvalid(await project.api.post("/workflows", { name: "One more" }), "", "too_big");
    expectInvalid(await project.api.post(`/workflows/${last.id}/duplicate`), "", "too_big");
  });
});

describe("GET /workflows", () => {
  it("lists pages, newest first, by text and by state", async () => {
    const project = await newProject();
    const one = await newWorkflow(project, { name: "Welcome", description: "For ÄRZTE" });
    const two = await newWorkflow(project, { name: "Farewell" });
    await project.api.patch(`/workflows/${one.id}`, { enabled: true });
    const { body } = await project.api.get("/workflows");
    expect(body).toMatchObject({ total: 2, page: 1, pageSize: 20, totalPages: 1 });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([two.id, one.id]);
    const { steps: _, transitions: __, ...fields } = two;
    expect(body.data[0]).toEqual(fields);
    const names = async (query: string) =>
      (await project.api.get(`/workflows?${query}`)).body.data.map(({ name }: { name: string }) => name);
    expect(await names("search=wElCo")).toEqual(["Welcome"]);
    expect(await names("search=%C3%A4rzte")).toEqual(["Welcome"]);
    expect(await names("status=enabled")).toEqual(["Welcome"]);
    expect(await names("status=disabled")).toEqual(["Farewell"]);
    expect(await names("page=2&pageSize=1")).toEqual(["Welcome"]);
    expect(await names("search=%25")).toEqual([]);
  });

  it.each([
    ["status=on", "status", "invalid_enum_value"],
    ["page=0", "page", "too_small"],
    ["pageSize=x", "pageSize", "invalid_string"],
  ])("refuses ?%s", async (query, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.get(`/workflows?${query}`), field, code);
  });
});

describe("PATCH /workflows/{id}", () => {
  it("changes what is sent, and the rest stays", async () => {
    const project = await newProject();
    const { steps, transitions, ...before } = await newWorkflow(project, { description: "Old" });
    const { status, body } = await project.api.patch(`/workflows/${before.id}`, { name: "Hello", allowReentry: true });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, name: "Hello", allowReentry: true, version: 2, updatedAt: body.updatedAt });
    expect((await project.api.patch(`/workflows/${before.id}`, { description: null })).body.description).toBeNull();
    expect((await project.api.patch(`/workflows/${before.id}`, {})).body.name).toBe("Hello");
    const { body: whole } = await project.api.get(`/workflows/${before.id}`);
    expect(whole).toMatchObject({ name: "Hello", steps, transitions });
    expect((await project.api.get("/workflows?search=hello")).body.total).toBe(1);
  });

  it("listens for its event while it is enabled, and with it", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project);
    const patch = async (change: Record<string, unknown>) => {
      const { status, body } = await project.api.patch(`/workflows/${id}`, change);
      expect(status, JSON.stringify(body)).toBe(200);
      return listenersOf(project);
    };
    expect(await patch({ enabled: true })).toEqual(["signup workflow:start"]);
    expect(await patch({ triggerConfig: { publicEvents: false } })).toEqual(["signup workflow:closed"]);
    expect(await patch({ eventName: "login" })).toEqual(["login workflow:closed"]);
    expect(await patch({ enabled: false })).toEqual([]);
    expect(await patch({ enabled: true, triggerType: "MANUAL" })).toEqual([]);
    expect(await patch({ triggerType: "EVENT", eventName: "signup" })).toEqual(["signup workflow:start"]);
    expect(await patch({ triggerConfig: { eventName: null } })).toEqual([]);
    expect(await patch({ eventName: "signup" })).toEqual(["signup workflow:start"]);
    expect((await project.api.delete(`/workflows/${id}`)).status).toBe(204);
    expect(await listenersOf(project)).toEqual([]);
  });

  it("may be enabled with issues, and shows them", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project, { eventName: undefined });
    const mail = await newStep(project, id, { type: "SEND_EMAIL", config: {} });
    const { body } = await project.api.patch(`/workflows/${id}`, { enabled: true });
    expect(body).toMatchObject({ enabled: true });
    expect(body.issues).toContainEqual({ message: expect.stringContaining("no event name") });
    expect(body.issues).toContainEqual({ stepId: mail.id, message: expect.stringContaining("no template") });
    expect((await project.api.get("/workflows")).body.data[0].issues).toEqual(body.issues);
  });

  it("takes a schedule, with its next tick while it is enabled", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project);
    const segment = await newSegment(project);
    const schedule = { cron: "0 9 * * MON", segmentId: segment.id };
    const patch = (change: Record<string, unknown>) => project.api.patch(`/workflows/${id}`, change);
    const set = await patch({ triggerType: "SCHEDULE", triggerConfig: schedule });
    expect(set.body).toMatchObject({ triggerType: "SCHEDULE", triggerConfig: schedule });
    expect(await nextTickOf(project)).toBeNull();
    await patch({ enabled: true });
    const monday = await nextTickOf(project);
    expect(new Date(monday ?? 0).toISOString()).toMatch(/T09:00:00\.000Z$/);
    expect(new Date(monday ?? 0).getUTCDay()).toBe(1);
    expect((await patch({ triggerConfig: { cron: "30 9 * * MON" } })).body.triggerConfig.segmentId).toBe(segment.id);
    expect(new Date((await nextTickOf(project)) ?? 0).toISOString()).toMatch(/T09:30:00\.000Z$/);
    await patch({ triggerType: "MANUAL" });
    expect(await nextTickOf(project)).toBeNull();
  });

  it.each<[change: Record<string, unknown>, field: string, code: string]>([
    [{ name: "" }, "name", "too_small"],
    [{ enabled: "yes" }, "enabled", "invalid_type"],
    [{ triggerType: "SCHEDULE" }, "triggerConfig.cron", "required"],
    [{ triggerType: "SCHEDULE", triggerConfig: { cron: "0 9 * * *" } }, "triggerConfig.segmentId", "required"],
    [
      { triggerType: "SCHEDULE", triggerConfig: { cron: "* * * * *", segmentId: nowhere } },
      "triggerConfig.cron",
      "invalid_string",
    ],
    [
      { triggerType: "SCHEDULE", triggerConfig: { cron: "often", segmentId: nowhere } },
      "triggerConfig.cron",
      "invalid_string",
    ],
    [{ triggerType: "SCHEDULE", triggerConfig: { eventName: "a" } }, "triggerConfig.eventName", "custom"],
    [{ triggerConfig: { eventName: "*" } }, "triggerConfig.eventName", "invalid_string"],
    [{ triggerType: "SCHEDULE", cron: "0 9 * * *", segmentId: nowhere }, "cron", "custom"],
  ])("refuses %j, and nothing changes", async (change, field, code) => {
    const project = await newProject();
    const before = await newWorkflow(project);
    expectInvalid(await project.api.patch(`/workflows/${before.id}`, change), field, code);
    expect((await project.api.get(`/workflows/${before.id}`)).body).toEqual(before);
  });

  it("refuses a segment of another project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await newWorkflow(project);
    const segment = await newSegment(other);
    const triggerConfig = { cron: "0 9 * * *", segmentId: segment.id };
    expectRefusal(
      await project.api.patch(`/workflows/${id}`, { triggerType: "SCHEDULE", triggerConfig }),
      404,
      "SEGMENT_NOT_FOUND",
      { details: { resource: "segment", id: segment.id } },
    );
  });

  it("lets fifty workflows listen for one event, and no more", async () => {
    const project = await newProject();
    await addListeners(project, "signup", 50);
    const { id } = await newWorkflow(project);
    const full = { details: { limit: 50 } };
    expectRefusal(await project.api.patch(`/workflows/${id}`, { enabled: true }), 409, "CONFLICT", full);
    expect((await project.api.get(`/workflows/${id}`)).body.enabled).toBe(false);
    expect((await project.api.patch(`/workflows/${id}`, { enabled: true, eventName: "other" })).status).toBe(200);
  });
});

describe("DELETE /workflows/{id}", () => {
  it("takes its steps, transitions and names with it", async () => {
    const project = await newProject();
    const workflow = await newWorkflow(project);
    const { id } = workflow;
    await newStep(project, id, { connectFrom: triggerOf(workflow) });
    await project.api.patch(`/workflows/${id}`, { enabled: true });
    expect((await project.api.delete(`/workflows/${id}`)).status).toBe(204);
    expectRefusal(await project.api.get(`/workflows/${id}`), 404, "WORKFLOW_NOT_FOUND", {
      details: { resource: "workflow", id },
    });
    for (const table of [
      "workflows",
      "workflow_steps",
      "workflow_transitions",
      "audience_references",
      "event_listeners",
    ]) {
      const rows = project.db.prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`).bind(project.id);
      expect(await rows.first("n"), table).toBe(0);
    }
  });

  it("is refused while executions are active", async () => {
    const project = await newProject();
    const workflow = await newWorkflow(project);
    await addExecution(project, workflow.id, triggerOf(workflow), "COMPLETED");
    await addExecution(project, workflow.id, triggerOf(workflow), "RUNNING");
    expectRefusal(await project.api.delete(`/workflows/${workflow.id}`), 409, "CONFLICT");
    expect((await project.api.get(`/workflows/${workflow.id}`)).body).toEqual(workflow);
  });
});

describe("POST /workflows/{id}/duplicate", () => {
  it("copies steps and transitions under ids of its own, disabled", async () => {
    const project = await newProject();
    const original = await newWorkflow(project, { description: "Hi", allowReentry: true });
    const ask = await newStep(project, original.id, {
      type: "CONDITION",
      config: { field: "data.plan", operator: "exists" },
      connectFrom: triggerOf(original),
    });
    const exit = await newStep(project, original.id, { type: "EXIT", config: { reason: "Has one" } });
    await draw(project, original.id, [ask.id, exit.id, "yes"]);
    await project.api.patch(`/workflows/${original.id}`, { enabled: true });
    const { status, body } = await project.api.post(`/workflows/${original.id}/duplicate`);
    expect(status).toBe(201);
    const { body: whole } = await project.api.get(`/workflows/${original.id}`);
    expect(body).toMatchObject({ name: "Welcome (Copy)", description: "Hi", allowReentry: true, enabled: false });
    expect(body.triggerConfig).toEqual(whole.triggerConfig);
    expect((await project.api.get(`/workflows/${body.id}`)).body).toEqual(body);
    const shape = (one: typeof whole) => {
      const nameOf = new Map(one.steps.map((step: { id: string; type: string }) => [step.id, step.type]));
      return {
        steps: one.steps.map(({ type, name, config, position }: typeof ask) => ({ type, name, config, position })),
        drawn: one.transitions.map((drawn: { fromStepId: string; toStepId: string; branch: string | null }) => [
          nameOf.get(drawn.fromStepId),
          nameOf.get(drawn.toStepId),
          drawn.branch,
        ]),
      };
    };
    expect(shape(body)).toEqual(shape(whole));
    const ids = [...whole.steps, ...whole.transitions].map(({ id }: { id: string }) => id);
    for (const { id, workflowId } of [...body.steps, ...body.transitions]) {
      expect(ids).not.toContain(id);
      expect(workflowId).toBe(body.id);
    }
    expect(await listenersOf(project)).toEqual(["signup workflow:start"]);
  });
});

describe("a workflow of another project, or none", () => {
  it.each<[method: string, path: string, body?: unknown]>([
    ["GET", "/workflows/ID"],
    ["PATCH", "/workflows/ID", { name: "Mine" }],
    ["DELETE", "/workflows/ID"],
    ["POST", "/workflows/ID/duplicate"],
    ["POST", "/workflows/ID/steps", { type: "EXIT" }],
    ["PATCH", "/workflows/ID/steps/STEP", { name: "Mine" }],
    ["DELETE", "/workflows/ID/steps/STEP"],
    ["POST", "/workflows/ID/transitions", { fromStepId: nowhere, toStepId: nowhere }],
    ["DELETE", "/workflows/ID/transitions/STEP"],
  ])("is not found: %s %s", async (method, path, body) => {
    const [project, other] = [await newProject(), await newProject()];
    const workflow = await newWorkflow(other);
    const { id } = workflow;
    const at = path.replace("ID", id).replace("STEP", triggerOf(workflow));
    expectRefusal(await call(method, at, body, bearer(project.keys.secret)), 404, "WORKFLOW_NOT_FOUND", {
      details: { resource: "workflow", id },
    });
    const none = path.replace("ID", nowhere).replace("STEP", nowhere);
    expectRefusal(await call(method, none, body, bearer(project.keys.secret)), 404, "WORKFLOW_NOT_FOUND", notFound);
    expect((await other.api.get(`/workflows/${id}`)).body).toEqual(workflow);
  });
});
