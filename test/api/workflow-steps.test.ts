import { describe, expect, it } from "vitest";
import { idSql } from "../support/counts";
import { type Answer, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { newContact, newSegment, only } from "../support/segment";
import { newTemplate } from "../support/template";
import { newTopic } from "../support/topic";
import { draw, newStep, newWorkflow, triggerOf } from "../support/workflow-graph";

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";
const day = { amount: 1, unit: "days" };
const plan = { field: "data.plan", operator: "equals", value: "pro" };
const noStep = (id: string) => ({ details: { resource: "step", id } });

/** A project with one workflow. */
async function begin() {
  const project = await newProject();
  const workflow = await newWorkflow(project);
  const steps = `/workflows/${workflow.id}/steps`;
  return { project, workflow, steps, id: workflow.id, trigger: triggerOf(workflow) };
}

async function graphOf(project: TestProject, id: string) {
  const { body } = await project.api.get(`/workflows/${id}`);
  const nameOf = new Map(body.steps.map((step: { id: string; name: string }) => [step.id, step.name]));
  const drawn = body.transitions.map(
    ({ fromStepId, toStepId, branch }: { fromStepId: string; toStepId: string; branch: string | null }) =>
      `${nameOf.get(fromStepId)}${branch === null ? "" : ` ${branch}`} > ${nameOf.get(toStepId)}`,
  );
  return { names: body.steps.map(({ name }: { name: string }) => name), drawn, issues: body.issues };
}

/** An execution that stands on a step, as the shards' mirror shows it. */
async function stand(project: TestProject, workflowId: string, stepId: string): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, current_step_id, started_at, updated_at)
      VALUES (?, ?, ?, ?, 0, 'WAITING', ?, 1, 1)`,
    )
    .bind(project.id, workflowId, crypto.randomUUID(), nowhere, stepId)
    .run();
}

/** Steps number 1..count, straight into the table. */
async function addSteps(project: TestProject, workflowId: string, count: number): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO workflow_steps (project_id, workflow_id, id, type, name, x, y, config, created_at, updated_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
      SELECT ?1, ?2, ${idSql("i")}, 'EXIT', 'S', 0, 0, '{}', i, i FROM n`,
    )
    .bind(project.id, workflowId, count)
    .run();
}

describe("POST /workflows/{id}/steps", () => {
  it("adds a step, and leads to it", async () => {
    const { project, steps, id, trigger } = await begin();
    const { status, body } = await project.api.post(steps, { type: "DELAY", config: day, connectFrom: trigger });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(uuid),
      workflowId: id,
      type: "DELAY",
      name: "DELAY",
      position: { x: 0, y: 150 },
      config: day,
      templateId: null,
      createdAt: expect.stringMatching(isoTime),
      updatedAt: body.createdAt,
    });
    const whole = await project.api.get(`/workflows/${id}`);
    expect(whole.body.steps[1]).toEqual(body);
    expect(whole.body.transitions).toEqual([
      {
        id: expect.stringMatching(uuid),
        workflowId: id,
        fromStepId: trigger,
        toStepId: body.id,
        branch: null,
        priority: 0,
        createdAt: expect.stringMatching(isoTime),
      },
    ]);
    expect(whole.body.issues).toEqual([]);
  });

  it("takes a name, a position and a template", async () => {
    const { project, steps } = await begin();
    const template = await newTemplate(project);
    const fields = { name: "Say hello", position: { x: -3.5, y: 7 }, templateId: template.id };
    expect((await project.api.post(steps, { type: "SEND_EMAIL", ...fields })).body).toMatchObject(fields);
    const inConfig = await project.api.post(steps, { type: "SEND_EMAIL", config: { templateId: template.id } });
    expect(inConfig.body).toMatchObject({ config: { templateId: template.id }, templateId: template.id });
  });

  it("leads to it by a branch", async () => {
    const { project, steps, id } = await begin();
    const ask = await newStep(project, id, { type: "CONDITION", name: "Ask", config: plan });
    const fields = { type: "EXIT", name: "End", connectFrom: ask.id };
    expectInvalid(await project.api.post(steps, fields), "branch", "required");
    expectInvalid(await project.api.post(steps, { ...fields, branch: "maybe" }), "branch", "invalid_enum_value");
    expect((await project.api.post(steps, { ...fields, branch: "no" })).status).toBe(201);
    expect((await graphOf(project, id)).drawn).toEqual(["Ask no > End"]);
    expectInvalid(await project.api.post(steps, { ...fields, branch: "no" }), "branch", "custom");
    expectInvalid(await project.api.post(steps, { type: "EXIT", branch: "no" }), "branch", "custom");
  });

  it("names what a config has and no step reads", async () => {
    const { project, id } = await begin();
    const step = await newStep(project, id, { config: { ...day, amuont: 2 } });
    expect(step.warnings).toMatchObject([{ field: "config.amuont", message: expect.stringContaining("amount") }]);
  });

  it.each<[type: string, config: object, warned: string[]]>([
    ["SEND_EMAIL", { recipient: { type: "CONTACT", email: "ada@example.com" } }, ["config.recipient.email"]],
    [
      "CONDITION",
      {
        condition: {
          logic: "AND",
          groups: [{ logic: "OR", filters: [{ field: "data.plan", operator: "exists", units: "days" }] }],
        },
      },
      ["config.condition.groups.0.logic", "config.condition.groups.0.filters.0.units"],
    ],
    [
      "CONDITION",
      { mode: "multi", field: "data.plan", branches: [{ id: "any", operator: "exists", label: "Any" }] },
      ["config.branches.0.label"],
    ],
  ])("names what a part of a config has and nobody reads: %s %j", async (type, config, warned) => {
    const { project, steps, id } = await begin();
    const step = await newStep(project, id, { type, config });
    expect(step.warnings.map(({ field }: { field: string }) => field)).toEqual(warned);
    const { body } = await project.api.patch(`${steps}/${step.id}`, { config });
    expect(body.warnings).toEqual(step.warnings);
  });

  it("names what a config has that only steps of other types read, when it is made and when it is changed", async () => {
    const { project, steps, id } = await begin();
    const config = { amount: 2, unit: "days", recipient: { type: "CONTACT" } };
    const mail = await newStep(project, id, { type: "SEND_EMAIL", config });
    const warnings = [
      {
        field: "config.amount",
        message: "Not in the config of a SEND_EMAIL step, and ignored. It belongs to DELAY.",
      },
      {
        field: "config.unit",
        message: "Not in the config of a SEND_EMAIL step, and ignored. It belongs to DELAY and CONDITION.",
      },
    ];
    expect(mail).toMatchObject({ config: { recipient: { type: "CONTACT" } }, warnings });
    const changed = await project.api.patch(`${steps}/${mail.id}`, { config });
    expect(changed).toMatchObject({ status: 200, body: { warnings } });
    const sound = await project.api.patch(`${steps}/${mail.id}`, { config: { recipient: config.recipient } });
    expect(sound.body).not.toHaveProperty("warnings");
  });

  it.each<[fields: Record<string, unknown>, field: string, code: string]>([
    [{}, "type", "required"],
    [{ type: "TRIGGER" }, "type", "invalid_enum_value"],
    [{ type: "WAIT" }, "type", "invalid_enum_value"],
    [{ type: "DELAY" }, "config.amount", "required"],
    [{ type: "DELAY", config: [] }, "config", "invalid_type"],
    [{ type: "DELAY", config: { amount: 366, unit: "days" } }, "config.amount", "too_big"],
    [{ type: "WAIT_FOR_EVENT", config: { eventName: "email.*" } }, "config.eventName", "invalid_string"],
    [{ type: "WAIT_FOR_EVENT", config: { eventName: "a", timeout: 31_536_001 } }, "config.timeout", "too_big"],
    [{ type: "CONDITION", config: {} }, "config.field", "required"],
    [{ type: "CONDITION", config: { field: "nope", operator: "exists" } }, "config.field", "custom"],
    [{ type: "CONDITION", config: { field: "topic.nope", operator: "equals", value: true } }, "config.field", "custom"],
    [
      { type: "CONDITION", config: { field: `segment.${nowhere}`, operator: "memberOfSegment" } },
      "config.field",
      "custom",
    ],
    [
      { type: "CONDITION", config: { condition: only("segment", "memberOfSegment", nowhere) } },
      "config.condition.groups.0.filters.0.value",
      "custom",
    ],
    [
      {
        type: "CONDITION",
        config: {
          mode: "multi",
          field: "segment",
          branches: [
            { id: "a", operator: "triggered" },
            { id: "b", operator: "memberOfSegment", value: nowhere },
          ],
        },
      },
      "config.branches.1.value",
      "custom",
    ],
    [{ type: "WEBHOOK", config: { url: "http://127.0.0.1/a" } }, "config.url", "invalid_string"],
    [{ type: "WEBHOOK", config: { url: "http://[::1]:80/{{ a }}" } }, "config.url", "invalid_string"],
    [{ type: "WEBHOOK", config: { url: "https://169.254.169.254/" } }, "config.url", "invalid_string"],
    [{ type: "WEBHOOK", config: { url: "https://localhost/" } }, "config.url", "invalid_string"],
    [{ type: "WEBHOOK", config: { url: "https://me:secret@example.com/" } }, "config.url", "invalid_string"],
    [{ type: "WEBHOOK", config: { url: "https://{{ event.host }}/" } }, "config.url", "invalid_string"],
    [
      { type: "WEBHOOK", config: { url: "https://example.com/", body: "{{ a | nope }}" } },
      "config.body",
      "invalid_string",
    ],
    [{ type: "WEBHOOK", config: { url: "https://example.com/", body: "x".repeat(33_000) } }, "config", "too_big"],
    [
      { type: "SEND_EMAIL", config: { recipient: { type: "CUSTOM", customEmail: "{{ event.to }}" } } },
      "config.recipient.customEmail",
      "invalid_string",
    ],
    [{ type: "UPDATE_CONTACT", config: { data: { a: "{% if %}" } } }, "config.data.a", "invalid_string"],
    [{ type: "EXIT", templateId: nowhere }, "templateId", "custom"],
    [{ type: "EXIT", name: "" }, "name", "too_small"],
    [{ type: "EXIT", name: "x".repeat(101) }, "name", "too_big"],
    [{ type: "EXIT", position: { x: 1 } }, "position.y", "required"],
  ])("refuses %j", async (fields, field, code) => {
    const { project, steps, id } = await begin();
    expectInvalid(await project.api.post(steps, fields), field, code);
    expect((await graphOf(project, id)).names).toEqual(["TRIGGER"]);
  });

  const call = (rest: object) => ({ type: "WEBHOOK", config: { url: "https://example.com/", ...rest } });
  it.each<[fields: object, field: string, liquid: string]>([
    [call({ url: "https://example.com/?p={{#if plan}}1{{/if}}" }), "config.url", "{% if plan %}…{% endif %}"],
    [call({ headers: { "X-Plan": "{{#if plan}}pro{{/if}}" } }), "config.headers.X-Plan", "{% if plan %}…{% endif %}"],
    [call({ body: { items: ["{{#each items}}x{{/each}}"] } }), "config.body.items.0", "{% for item in items %}"],
    [call({ body: "{{range .items}}x{{end}}" }), "config.body", "{% for item in items %}"],
    [
      { type: "UPDATE_CONTACT", config: { data: { a: "{{#unless b}}x{{/unless}}" } } },
      "config.data.a",
      "{% unless b %}…{% endunless %}",
    ],
  ])("names the Liquid for what is of another template language: %j", async (fields, field, liquid) => {
    const { project, steps, id } = await begin();
    const answer = await project.api.post(steps, fields);
    expectInvalid(answer, field, "invalid_string");
    expect(answer.body.error.errors[0].message).toContain(liquid);
    expect((await graphOf(project, id)).names).toEqual(["TRIGGER"]);
  });

  it("warns of a merge tag that goes out as it is written, at its place in a document too", async () => {
    const { project, steps } = await begin();
    const step = call({ headers: { "X-Name": "{{ .name }}" }, body: { name: "*|FNAME|*" } });
    const fields = ({ body }: Answer) => body.warnings.map(({ field }: { field: string }) => field);
    const made = await project.api.post(steps, step);
    expect([made.status, fields(made)]).toEqual([201, ["config.headers.X-Name", "config.body.name"]]);
    expect(made.body.warnings[1].message).toContain("The equivalent Liquid is {{ firstName }}.");
    const whole = await project.api.post("/workflows", { name: "Calls", steps: [{ key: "call", ...step }] });
    expect([whole.status, fields(whole)]).toEqual([
      201,
      ["steps[0].config.headers.X-Name", "steps[0].config.body.name"],
    ]);
  });

  it("refuses what is another project's, and a step of another workflow", async () => {
    const { project, steps, id } = await begin();
    const other = await newProject();
    const template = await newTemplate(other);
    const missing = { details: { resource: "template", id: template.id } };
    for (const fields of [{ templateId: template.id }, { config: { templateId: template.id } }]) {
      const answer = await project.api.post(steps, { type: "SEND_EMAIL", ...fields });
      expectRefusal(answer, 404, "TEMPLATE_NOT_FOUND", missing);
    }
    const segment = await newSegment(other);
    const config = { field: `segment.${segment.id}`, operator: "memberOfSegment" };
    expectInvalid(await project.api.post(steps, { type: "CONDITION", config }), "config.field", "custom");
    const stranger = triggerOf(await newWorkflow(project));
    for (const connectFrom of [stranger, nowhere]) {
      const answer = await project.api.post(steps, { type: "EXIT", connectFrom });
      expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", noStep(connectFrom));
    }
    expect((await graphOf(project, id)).names).toEqual(["TRIGGER"]);
  });

  it("adds up to a hundred steps and 512 KB of configs", async () => {
    const { project, steps, id } = await begin();
    await addSteps(project, id, 98);
    await newStep(project, id);
    expectRefusal(await project.api.post(steps, { type: "EXIT" }), 409, "CONFLICT", { details: { limit: 100 } });
    const { project: another, steps: large } = await begin();
    const config = { url: "https://example.com/", body: "x".repeat(32_000) };
    for (let made = 0; made < 16; made++) {
      expect((await another.api.post(large, { type: "WEBHOOK", config })).status).toBe(201);
    }
    expectInvalid(await another.api.post(large, { type: "WEBHOOK", config }), "config", "too_big");
  });
});

describe("PATCH /workflows/{id}/steps/{stepId}", () => {
  it("changes what is sent", async () => {
    const { project, steps, id } = await begin();
    const step = await newStep(project, id, { name: "Wait" });
    const at = `${steps}/${step.id}`;
    const change = { name: "Pause", position: { x: 1, y: 2 }, config: { amount: 2, unit: "hours" }, type: "DELAY" };
    const { status, body } = await project.api.patch(at, change);
    expect(status).toBe(200);
    expect(body).toEqual({ ...step, ...change, updatedAt: body.updatedAt });
    expect((await project.api.get(`/workflows/${id}`)).body.steps[1]).toEqual(body);
    expect((await project.api.patch(at, {})).body).toEqual(body);
  });

  it("keeps its type, and what the type asks", async () => {
    const { project, steps, id, trigger } = await begin();
    const step = await newStep(project, id);
    expectInvalid(await project.api.patch(`${steps}/${step.id}`, { type: "EXIT" }), "type", "custom");
    expectInvalid(await project.api.patch(`${steps}/${step.id}`, { config: {} }), "config.amount", "required");
    expectInvalid(await project.api.patch(`${steps}/${step.id}`, { templateId: nowhere }), "templateId", "custom");
    expectInvalid(await project.api.patch(`${steps}/${trigger}`, { type: "EXIT" }), "type", "custom");
    expect((await project.api.patch(`${steps}/${trigger}`, { name: "Start" })).body.name).toBe("Start");
    expect((await project.api.get(`/workflows/${id}`)).body.steps[1]).toEqual(step);
  });

  it("keeps a template of its own, and lets one of the config follow it", async () => {
    const { project, steps, id } = await begin();
    const [one, two] = [await newTemplate(project), await newTemplate(project)];
    const mail = await newStep(project, id, { type: "SEND_EMAIL", config: { templateId: one.id } });
    const patch = async (change: Record<string, unknown>) =>
      (await project.api.patch(`${steps}/${mail.id}`, change)).body.templateId;
    expect(await patch({ config: { templateId: two.id } })).toBe(two.id);
    expect(await patch({ templateId: one.id })).toBe(one.id);
    expect(await patch({ config: {} })).toBe(one.id);
    expect(await patch({ templateId: null })).toBeNull();
    expectRefusal(await project.api.patch(`${steps}/${mail.id}`, { templateId: nowhere }), 404, "TEMPLATE_NOT_FOUND", {
      details: { resource: "template", id: nowhere },
    });
  });

  it("keeps the branches that are drawn, and those on which somebody stands", async () => {
    const { project, steps, id } = await begin();
    const ask = await newStep(project, id, { type: "CONDITION", config: plan });
    const exit = await newStep(project, id, { type: "EXIT" });
    const { body: drawn } = await draw(project, id, [ask.id, exit.id, "yes"]);
    const at = `${steps}/${ask.id}`;
    const several = { mode: "multi", field: "data.plan", branches: [{ id: "a", operator: "exists" }] };
    expectInvalid(await project.api.patch(at, { config: several }), "config", "custom");
    await project.api.delete(`/workflows/${id}/transitions/${drawn.id}`);
    await stand(project, id, ask.id);
    expectRefusal(await project.api.patch(at, { config: several }), 409, "CONFLICT");
    expect((await project.api.patch(at, { name: "Ask", config: { ...plan, value: "free" } })).status).toBe(200);
  });

  it("knows no step of another workflow", async () => {
    const { project, steps } = await begin();
    for (const id of [triggerOf(await newWorkflow(project)), nowhere]) {
      expectRefusal(await project.api.patch(`${steps}/${id}`, { name: "x" }), 404, "RESOURCE_NOT_FOUND", noStep(id));
      expectRefusal(await project.api.delete(`${steps}/${id}`), 404, "RESOURCE_NOT_FOUND", noStep(id));
    }
  });
});

describe("DELETE /workflows/{id}/steps/{stepId}", () => {
  /** Ask yes > A > B, Ask no > A. */
  async function chain() {
    const begun = await begin();
    const { project, id, trigger } = begun;
    const ask = await newStep(project, id, { type: "CONDITION", name: "Ask", config: plan, connectFrom: trigger });
    const a = await newStep(project, id, { name: "A", connectFrom: ask.id, branch: "yes" });
    await draw(project, id, [ask.id, a.id, "no"]);
    const b = await newStep(project, id, { name: "B", type: "EXIT", connectFrom: a.id });
    return { ...begun, ask, a, b };
  }

  it("takes its transitions with it, and leaves the steps after it", async () => {
    const { project, steps, id, a, b } = await chain();
    expect((await project.api.delete(`${steps}/${a.id}`)).status).toBe(204);
    const { names, drawn, issues } = await graphOf(project, id);
    expect(names).toEqual(["TRIGGER", "Ask", "B"]);
    expect(drawn).toEqual(["TRIGGER > Ask"]);
    expect(issues).toContainEqual({ stepId: b.id, message: expect.stringContaining("No step leads to this one") });
  });

  it("joins what was before it to what was after it", async () => {
    const { project, steps, id, a } = await chain();
    expect((await project.api.delete(`${steps}/${a.id}?splice=true`)).status).toBe(204);
    expect((await graphOf(project, id)).drawn).toEqual(["TRIGGER > Ask", "Ask yes > B", "Ask no > B"]);
  });

  it("joins around a WAIT_FOR_EVENT whose branches meet, and is refused where they part", async () => {
    const { project, steps, id, trigger } = await begin();
    const config = { eventName: "purchase", timeout: 60 };
    const wait = await newStep(project, id, { type: "WAIT_FOR_EVENT", name: "Wait", config, connectFrom: trigger });
    const a = await newStep(project, id, { name: "A", type: "EXIT", connectFrom: wait.id, branch: "event" });
    const b = await newStep(project, id, { name: "B", type: "EXIT", connectFrom: wait.id, branch: "timeout" });
    const parted = (await graphOf(project, id)).drawn;
    expectRefusal(await project.api.delete(`${steps}/${wait.id}?splice=true`), 409, "CONFLICT");
    expect((await graphOf(project, id)).drawn).toEqual(parted);
    expect((await project.api.delete(`${steps}/${b.id}`)).status).toBe(204);
    await draw(project, id, [wait.id, a.id, "timeout"]);
    expect((await project.api.delete(`${steps}/${wait.id}?splice=true`)).status).toBe(204);
    expect((await graphOf(project, id)).drawn).toEqual(["TRIGGER > A"]);
  });

  it("is refused for a TRIGGER, for a splice of a CONDITION, and where somebody stands", async () => {
    const { project, steps, id, trigger, ask, a } = await chain();
    const before = (await project.api.get(`/workflows/${id}`)).body;
    expectRefusal(await project.api.delete(`${steps}/${trigger}`), 409, "CONFLICT");
    expectRefusal(await project.api.delete(`${steps}/${trigger}?splice=true`), 409, "CONFLICT");
    expectRefusal(await project.api.delete(`${steps}/${ask.id}?splice=true`), 409, "CONFLICT");
    await stand(project, id, a.id);
    expectRefusal(await project.api.delete(`${steps}/${a.id}`), 409, "CONFLICT");
    expectRefusal(await project.api.delete(`${steps}/${a.id}?splice=true`), 409, "CONFLICT");
    expectInvalid(await project.api.delete(`${steps}/${a.id}?splice=maybe`), "splice", "invalid_enum_value");
    expect((await project.api.get(`/workflows/${id}`)).body).toEqual(before);
    expect((await project.api.delete(`${steps}/${ask.id}?splice=false`)).status).toBe(204);
  });
});

describe("POST /workflows/{id}/transitions", () => {
  it("leads from one step to another, also by condition.branch", async () => {
    const { project, id, trigger } = await begin();
    const ask = await newStep(project, id, { type: "CONDITION", config: plan });
    const exit = await newStep(project, id, { type: "EXIT" });
    const first = await draw(project, id, [trigger, ask.id]);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      id: expect.stringMatching(uuid),
      workflowId: id,
      fromStepId: trigger,
      toStepId: ask.id,
      branch: null,
      priority: 0,
      createdAt: expect.stringMatching(isoTime),
    });
    const between = { fromStepId: ask.id, toStepId: exit.id };
    const second = await project.api.post(`/workflows/${id}/transitions`, {
      ...between,
      condition: { branch: "yes" },
      priority: 2,
    });
    expect(second.body).toMatchObject({ ...between, branch: "yes", priority: 2 });
    expect((await project.api.get(`/workflows/${id}`)).body.transitions).toEqual([first.body, second.body]);
    expect((await project.api.delete(`/workflows/${id}/transitions/${first.body.id}`)).status).toBe(204);
    expect((await project.api.get(`/workflows/${id}`)).body.transitions).toEqual([second.body]);
    expectRefusal(
      await project.api.delete(`/workflows/${id}/transitions/${first.body.id}`),
      404,
      "RESOURCE_NOT_FOUND",
      { details: { resource: "transition", id: first.body.id } },
    );
  });

  it("refuses what makes no graph, and draws nothing", async () => {
    const { project, id, trigger } = await begin();
    const a = await newStep(project, id, { name: "A", connectFrom: trigger });
    const ask = await newStep(project, id, { name: "Ask", type: "CONDITION", config: plan, connectFrom: a.id });
    const exit = await newStep(project, id, { name: "End", type: "EXIT", connectFrom: ask.id, branch: "yes" });
    const before = await graphOf(project, id);
    const refused: [from: string, to: string, branch: string | undefined, field: string, code: string][] = [
      [a.id, a.id, undefined, "toStepId", "custom"],
      [ask.id, a.id, "no", "toStepId", "custom"],
      [exit.id, a.id, undefined, "fromStepId", "custom"],
      [ask.id, trigger, "no", "toStepId", "custom"],
      [a.id, exit.id, undefined, "fromStepId", "custom"],
      [ask.id, exit.id, "yes", "branch", "custom"],
      [ask.id, exit.id, undefined, "branch", "required"],
      [ask.id, exit.id, "maybe", "branch", "invalid_enum_value"],
    ];
    for (const [from, to, branch, field, code] of refused) {
      expectInvalid(await draw(project, id, [from, to, branch]), field, code);
    }
    const transitions = `/workflows/${id}/transitions`;
    const fields = { fromStepId: ask.id, toStepId: exit.id };
    expectInvalid(await project.api.post(transitions, { toStepId: exit.id }), "fromStepId", "required");
    expectInvalid(
      await project.api.post(transitions, { ...fields, branch: "no", condition: { branch: "yes" } }),
      "branch",
      "custom",
    );
    expectInvalid(
      await project.api.post(transitions, { ...fields, branch: "no", priority: 0.5 }),
      "priority",
      "invalid_type",
    );
    const stranger = triggerOf(await newWorkflow(project));
    expectRefusal(await draw(project, id, [stranger, exit.id]), 404, "RESOURCE_NOT_FOUND", noStep(stranger));
    expectRefusal(await draw(project, id, [a.id, nowhere]), 404, "RESOURCE_NOT_FOUND", noStep(nowhere));
    expect(await graphOf(project, id)).toEqual(before);
  });

  it("draws up to two hundred", async () => {
    const { project, id, trigger } = await begin();
    const exit = await newStep(project, id, { type: "EXIT" });
    await project.db
      .prepare(
        `INSERT INTO workflow_transitions (project_id, workflow_id, id, from_step_id, to_step_id, branch, created_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        SELECT ?1, ?2, ${idSql("i")}, ?3, ?3, 'b' || i, 1 FROM n`,
      )
      .bind(project.id, id, nowhere)
      .run();
    const answer = await draw(project, id, [trigger, exit.id]);
    expectRefusal(answer, 409, "CONFLICT", { details: { limit: 200 } });
  });
});

describe("what a workflow names", () => {
  it("is shown as used, and not deleted while it is", async () => {
    const { project, id } = await begin();
    const template = await newTemplate(project);
    const segment = await newSegment(project, { condition: only("email", "exists") });
    const topic = await newTopic(project, { name: "News" });
    await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    await project.api.post("/events/track", { email: "ada@example.com", event: "signup" });
    await project.api.post("/events/track", { email: "ada@example.com", event: "purchase" });
    const mail = await newStep(project, id, { name: "Mail", type: "SEND_EMAIL", templateId: template.id });
    const condition = {
      logic: "AND",
      groups: [
        {
          filters: [
            { field: "contact.data.plan", operator: "exists" },
            { field: `segment.${segment.id}`, operator: "memberOfSegment" },
            { field: `topic.${topic.slug}`, operator: "equals", value: true },
          ],
        },
      ],
    };
    const ask = await newStep(project, id, { type: "CONDITION", config: { condition } });
    const wait = await newStep(project, id, { type: "WAIT_FOR_EVENT", config: { eventName: "purchase" } });
    const note = await newStep(project, id, { type: "UPDATE_CONTACT", config: { data: { tier: "gold" } } });
    const used = [{ id, name: "Welcome" }];
    const usedInWorkflows = async (path: string) => (await project.api.get(path)).body.usedInWorkflows;
    expect(await usedInWorkflows("/contacts/fields/data.plan/usage")).toEqual(used);
    expect(await usedInWorkflows("/contacts/fields/data.tier/usage")).toEqual(used);
    expect(await usedInWorkflows("/events/signup/usage")).toEqual(used);
    expect(await usedInWorkflows("/events/purchase/usage")).toEqual(used);
    expect((await project.api.get(`/templates/${template.id}/usage`)).body.workflowSteps).toEqual([
      { id: mail.id, workflowId: id, workflowName: "Welcome", name: "Mail" },
    ]);
    const workflows = { details: expect.objectContaining({ workflows: used }) };
    expectRefusal(await project.api.delete(`/templates/${template.id}`), 409, "CONFLICT", workflows);
    expectRefusal(await project.api.delete(`/segments/${segment.id}`), 409, "CONFLICT", workflows);
    expectRefusal(await project.api.delete(`/topics/${topic.id}`), 409, "CONFLICT", workflows);
    for (const name of ["signup", "purchase"]) {
      const details = expect.objectContaining({ usedInWorkflows: used });
      expectRefusal(await project.api.delete(`/events/${name}`), 409, "CONFLICT", { details });
    }
    await project.api.patch(`/workflows/${id}`, { name: "Hello", eventName: "login" });
    expect(await usedInWorkflows("/events/purchase/usage")).toEqual([{ id, name: "Hello" }]);
    for (const step of [mail, ask, wait, note]) await project.api.delete(`/workflows/${id}/steps/${step.id}`);
    expect((await project.api.delete(`/templates/${template.id}`)).status).toBe(204);
    expect((await project.api.delete(`/segments/${segment.id}`)).status).toBe(204);
    expect((await project.api.delete(`/topics/${topic.id}`)).status).toBe(204);
    expect((await project.api.delete("/events/signup")).body).toEqual({ deletedCount: 1 });
    expect((await project.api.delete("/events/purchase")).body).toEqual({ deletedCount: 1 });
  });

  it("includes the segment of a schedule, until the trigger is another", async () => {
    const { project, id } = await begin();
    const segment = await newSegment(project);
    const triggerConfig = { cron: "0 9 * * *", segmentId: segment.id };
    await project.api.patch(`/workflows/${id}`, { triggerType: "SCHEDULE", triggerConfig });
    expect((await project.api.delete(`/segments/${segment.id}`)).status).toBe(409);
    await project.api.patch(`/workflows/${id}`, { triggerType: "MANUAL" });
    expect((await project.api.delete(`/segments/${segment.id}`)).status).toBe(204);
  });

  it("shows a circle through another workflow, as long as that is enabled", async () => {
    const project = await newProject();
    const template = await newTemplate(project);
    const mails = await newWorkflow(project, { name: "Farewell", eventName: "contact.unsubscribed" });
    const mail = { type: "SEND_EMAIL", config: {}, templateId: template.id, connectFrom: triggerOf(mails) };
    const { id: stepId } = await newStep(project, mails.id, mail);
    const leaves = await newWorkflow(project, { name: "Bounced", eventName: "email.bounced" });
    const config = { subscribed: false };
    await newStep(project, leaves.id, { type: "UPDATE_CONTACT", config, connectFrom: triggerOf(leaves) });
    const issuesOf = async (id: string) => (await project.api.get(`/workflows/${id}`)).body.issues;
    expect(await issuesOf(mails.id)).toEqual([]);
    await project.api.patch(`/workflows/${leaves.id}`, { enabled: true });
    const message = expect.stringContaining('Through "Bounced", which it may start, it causes contact.unsubscribed');
    expect(await issuesOf(mails.id)).toEqual([{ stepId, message }]);
    // The other one has nobody behind it that is enabled, and says so when it is asked.
    expect(await issuesOf(leaves.id)).toEqual([]);
    const enabled = await project.api.patch(`/workflows/${mails.id}`, { enabled: true });
    expect(enabled.body.issues).toEqual([{ stepId, message }]);
    expect(await issuesOf(leaves.id)).toMatchObject([{ message: expect.stringContaining('Through "Farewell"') }]);
    const elsewhere = await newProject();
    const alike = await newWorkflow(elsewhere, { eventName: "contact.unsubscribed" });
    const other = await newTemplate(elsewhere);
    await newStep(elsewhere, alike.id, { ...mail, templateId: other.id, connectFrom: triggerOf(alike) });
    expect((await elsewhere.api.get(`/workflows/${alike.id}`)).body.issues).toEqual([]);
    await project.api.patch(`/workflows/${leaves.id}`, { enabled: false });
    expect(await issuesOf(mails.id)).toEqual([]);
  });

  it("shows a circle through the segment that starts it, also when that changes later", async () => {
    const { project, id, trigger } = await begin();
    const inner = await newSegment(project, { name: "Inner", condition: only("email", "exists") });
    const outer = await newSegment(project, {
      name: "VIP",
      condition: only("segment", "memberOfSegment", inner.id),
      trackMembership: true,
    });
    await project.api.patch(`/workflows/${id}`, { eventName: `segment.${outer.slug}.entry` });
    await newStep(project, id, { type: "UPDATE_CONTACT", config: { data: { plan: "pro" } }, connectFrom: trigger });
    expect((await graphOf(project, id)).issues).toEqual([]);
    await project.api.patch(`/segments/${inner.id}`, { condition: only("data.plan", "equals", "pro") });
    expect((await graphOf(project, id)).issues).toMatchObject([{ message: expect.stringContaining("segment VIP") }]);
  });
});

describe("GET /workflows/fields", () => {
  it("lists the fields of contacts, and of an event's data", async () => {
    const project = await newProject();
    await newContact(project, "ada@example.com", { data: { plan: "pro", age: 36 } });
    await newTopic(project, { name: "News" });
    const data = { amount: 9.5, gift: true, at: "2026-01-31", items: ["a"], source: "web" };
    await project.api.post("/events/track", {
      email: "ada@example.com",
      event: "purchase",
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, { value, persistent: false }])),
    });
    const fields = async (query: string) => (await project.api.get(`/workflows/fields${query}`)).body.fields;
    const contact = (field: string, type: string) => ({ field, type, category: "contact" });
    const event = (field: string, type: string) => ({ field, type, category: "event" });
    const all = [
      ...[contact("createdAt", "date"), contact("data.age", "number"), contact("data.plan", "string")],
      ...[contact("email", "string"), contact("source", "string"), contact("subscribed", "boolean")],
      ...[contact("topic.news", "boolean"), contact("updatedAt", "date")],
      ...[event("event.amount", "number"), event("event.at", "date"), event("event.data.source", "string")],
      ...[event("event.gift", "boolean"), event("event.items", "string"), event("event.name", "string")],
      event("event.source", "string"),
    ];
    expect(await fields("?eventName=purchase")).toEqual(all);
    expect(await fields("")).toEqual(all);
    const others = await fields("?eventName=other");
    expect(others.filter(({ category }: { category: string }) => category === "event")).toEqual([
      event("event.name", "string"),
      event("event.source", "string"),
    ]);
    expect(await fields("?eventName=email.clicked")).toContainEqual(event("event.link", "string"));
    const stranger = await newProject();
    expect(JSON.stringify((await stranger.api.get("/workflows/fields")).body)).not.toContain("plan");
  });

  it("refuses a name that no event has", async () => {
    const project = await newProject();
    expectInvalid(await project.api.get("/workflows/fields?eventName=*"), "eventName", "invalid_string");
  });
});
