import { describe, expect, it } from "vitest";
import { idSql } from "../support/counts";
import { type Answer, newProject, type TestProject } from "../support/project";
import { newSegment } from "../support/segment";
import { newTemplate } from "../support/template";
import { draw, newStep, newWorkflow, triggerOf } from "../support/workflow-graph";

/** A graph that no two calls may have made together: circles, and a branch that is drawn twice. */
function faultsOf({ steps, transitions }: Answer["body"]): string[] {
  const known = new Set(steps.map(({ id }: { id: string }) => id));
  const faults: string[] = [];
  const out = new Set<string>();
  for (const { fromStepId, toStepId, branch } of transitions) {
    if (!known.has(fromStepId) || !known.has(toStepId)) faults.push("a transition without its step");
    const way = `${fromStepId} ${branch}`;
    if (out.has(way)) faults.push("a branch drawn twice");
    out.add(way);
  }
  const left = new Set(known);
  // Steps that nothing left leads to are taken away, until only circles are left.
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    const led = new Set(
      transitions
        .filter(({ fromStepId }: { fromStepId: string }) => left.has(fromStepId))
        .map(({ toStepId }: { toStepId: string }) => toStepId),
    );
    for (const id of left) if (!led.has(id)) left.delete(id);
  }
  return left.size > 0 ? [...faults, "a circle"] : faults;
}

async function graphOf(project: TestProject, id: string): Promise<Answer["body"]> {
  return (await project.api.get(`/workflows/${id}`)).body;
}

function statuses(answers: Answer[]): number[] {
  return answers.map(({ status }) => status).toSorted();
}

const plan = { type: "CONDITION", config: { field: "data.plan", operator: "exists" } };

describe("two writers of a graph at once", () => {
  it("never draw a circle together", async () => {
    const project = await newProject();
    for (let round = 0; round < 5; round++) {
      const { id } = await newWorkflow(project);
      const [a, b, c] = [await newStep(project, id), await newStep(project, id), await newStep(project, id)];
      const drawn = await Promise.all([
        draw(project, id, [a.id, b.id]),
        draw(project, id, [b.id, c.id]),
        draw(project, id, [c.id, a.id]),
      ]);
      expect(statuses(drawn)).toEqual([201, 201, 422]);
      expect(faultsOf(await graphOf(project, id))).toEqual([]);
    }
  });

  it("draw a branch once", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project);
    const ask = await newStep(project, id, plan);
    const ends = await Promise.all(Array.from({ length: 6 }, () => newStep(project, id, { type: "EXIT", config: {} })));
    const drawn = await Promise.all(ends.map((end) => draw(project, id, [ask.id, end.id, "yes"])));
    expect(statuses(drawn)).toEqual([201, 422, 422, 422, 422, 422]);
    const whole = await graphOf(project, id);
    expect(whole.transitions).toHaveLength(1);
    expect(whole.steps).toHaveLength(8);
  });

  it("lose no step, and keep to the limit", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project);
    await project.db
      .prepare(
        `INSERT INTO workflow_steps (project_id, workflow_id, id, type, name, x, y, config, created_at, updated_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
        SELECT ?1, ?2, ${idSql("i")}, 'EXIT', 'S', 0, 0, '{}', i, i FROM n`,
      )
      .bind(project.id, id)
      .run();
    const last = await Promise.all(
      Array.from({ length: 12 }, () => project.api.post(`/workflows/${id}/steps`, { type: "EXIT" })),
    );
    expect(statuses(last)).toEqual([...Array<number>(9).fill(201), 409, 409, 409]);
    expect((await graphOf(project, id)).steps).toHaveLength(100);
    // The largest there can be is copied in one batch, too.
    const copy = await project.api.post(`/workflows/${id}/duplicate`);
    expect(copy.status).toBe(201);
    expect((await graphOf(project, copy.body.id)).steps).toHaveLength(100);
  });

  it("leave no transition to a step that is gone", async () => {
    const project = await newProject();
    for (let round = 0; round < 5; round++) {
      const workflow = await newWorkflow(project);
      const { id } = workflow;
      const [a, b] = [await newStep(project, id, { connectFrom: triggerOf(workflow) }), await newStep(project, id)];
      const [drawn, deleted] = await Promise.all([
        draw(project, id, [a.id, b.id]),
        project.api.delete(`/workflows/${id}/steps/${a.id}?splice=true`),
      ]);
      expect([201, 404]).toContain(drawn.status);
      expect(deleted.status).toBe(204);
      expect(faultsOf(await graphOf(project, id))).toEqual([]);
    }
  });

  it("keep the changes of each other", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project);
    const step = await newStep(project, id);
    const answers = await Promise.all([
      project.api.patch(`/workflows/${id}`, { name: "Hello" }),
      project.api.patch(`/workflows/${id}`, { allowReentry: true }),
      project.api.patch(`/workflows/${id}`, { enabled: true }),
      project.api.patch(`/workflows/${id}`, { eventName: "login" }),
      project.api.patch(`/workflows/${id}/steps/${step.id}`, { name: "Pause" }),
      project.api.patch(`/workflows/${id}/steps/${step.id}`, { config: { amount: 2, unit: "hours" } }),
    ]);
    expect(statuses(answers)).toEqual(Array<number>(6).fill(200));
    const whole = await graphOf(project, id);
    expect(whole).toMatchObject({ name: "Hello", allowReentry: true, enabled: true });
    expect(whole.steps[1]).toMatchObject({ name: "Pause", config: { amount: 2, unit: "hours" } });
    const { results } = await project.db
      .prepare("SELECT name FROM event_listeners WHERE project_id = ?")
      .bind(project.id)
      .all();
    expect(results).toEqual([{ name: "login" }]);
  });

  it("let the fiftieth workflow listen, and not the next", async () => {
    const project = await newProject();
    await project.db
      .prepare(
        `INSERT INTO event_listeners (project_id, name, listener_id)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 48)
        SELECT ?1, 'signup', 'workflow:start:' || i FROM n`,
      )
      .bind(project.id)
      .run();
    const made = await Promise.all(Array.from({ length: 4 }, () => newWorkflow(project)));
    const enabled = await Promise.all(made.map(({ id }) => project.api.patch(`/workflows/${id}`, { enabled: true })));
    expect(statuses(enabled)).toEqual([200, 200, 409, 409]);
  });
});

describe("a deletion beside a workflow that is about to use", () => {
  it("a template: one of the two is refused", async () => {
    const project = await newProject();
    for (let round = 0; round < 5; round++) {
      const { id } = await newWorkflow(project);
      const template = await newTemplate(project);
      const [step, deleted] = await Promise.all([
        project.api.post(`/workflows/${id}/steps`, { type: "SEND_EMAIL", templateId: template.id }),
        project.api.delete(`/templates/${template.id}`),
      ]);
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([step.status, deleted.status]);
    }
  });

  it("a segment: one of the two is refused", async () => {
    const project = await newProject();
    for (let round = 0; round < 5; round++) {
      const { id } = await newWorkflow(project);
      const segment = await newSegment(project);
      const config = { field: `segment.${segment.id}`, operator: "memberOfSegment" };
      const [step, deleted] = await Promise.all([
        project.api.post(`/workflows/${id}/steps`, { type: "CONDITION", config }),
        project.api.delete(`/segments/${segment.id}`),
      ]);
      expect([
        [201, 409],
        [422, 204],
      ]).toContainEqual([step.status, deleted.status]);
    }
  });

  it("a workflow that is deleted twice at once, or copied, leaves nothing behind", async () => {
    const project = await newProject();
    const workflow = await newWorkflow(project);
    await newStep(project, workflow.id, { connectFrom: triggerOf(workflow) });
    const [first, second, copy] = await Promise.all([
      project.api.delete(`/workflows/${workflow.id}`),
      project.api.delete(`/workflows/${workflow.id}`),
      project.api.post(`/workflows/${workflow.id}/duplicate`),
    ]);
    expect(statuses([first, second])).toEqual([204, 404]);
    expect([201, 404]).toContain(copy.status);
    const { results } = await project.db
      .prepare(
        `SELECT s.id FROM workflow_steps s
        LEFT JOIN workflows w ON w.project_id = s.project_id AND w.id = s.workflow_id
        WHERE s.project_id = ? AND w.id IS NULL`,
      )
      .bind(project.id)
      .all();
    expect(results).toEqual([]);
  });
});
