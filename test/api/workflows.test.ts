import { describe, expect, it } from "vitest";
import { newProject } from "../support/project";
import { isoTime, uuid } from "../support/refusal";
import { newWorkflow } from "../support/workflow";

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
      projectId: project.id,
      createdAt: expect.stringMatching(isoTime),
      updatedAt: body.createdAt,
      steps: [trigger],
      transitions: [],
    });
    expect((await project.api.get(`/workflows/${body.id}`)).body).toEqual(body);
    expect(await newWorkflow(project)).toMatchObject({ enabled: false });
  });
});
