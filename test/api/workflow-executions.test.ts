import { describe, expect, it, vi } from "vitest";
import { isUuid, publicId } from "../../src/core/ids";
import { call, newProject, type TestProject } from "../support/project";
import { type GivenWorkflow, newWorkflow } from "../support/workflow";

const sleeping: GivenWorkflow = {
  steps: { later: ["DELAY", { amount: 1, unit: "days" }], exit: ["EXIT", { reason: "Done" }] },
  ways: [
    ["TRIGGER", "later"],
    ["later", "exit"],
  ],
};
const ending: GivenWorkflow = { steps: { exit: ["EXIT", { reason: "Done" }] }, ways: [["TRIGGER", "exit"]] };

async function newContact({ api }: TestProject, email = "ada@example.com"): Promise<string> {
  return (await api.post("/contacts", { email })).body.id;
}

async function set(given: GivenWorkflow = sleeping) {
  const project = await newProject();
  const workflow = await newWorkflow(project, given);
  const path = `/workflows/${publicId(workflow.id)}/executions`;
  return { project, api: project.api, workflow, path, contactId: await newContact(project) };
}

/** The execution once its shard has gone as far as it goes for now. */
async function settled({ api }: TestProject, path: string, id: string) {
  return vi.waitFor(
    async () => {
      const { body } = await api.get(`${path}/${id}`);
      expect(body.status).not.toBe("RUNNING");
      return body;
    },
    { timeout: 10_000, interval: 20 },
  );
}

describe("POST /workflows/{id}/executions", () => {
  it("starts a workflow for a contact, with a context, also when it is disabled", async () => {
    const { project, api, workflow, path, contactId } = await set({ ...sleeping, enabled: false });
    const { status, body } = await api.post(path, { contactId, context: { plan: "pro" } });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      workflowId: publicId(workflow.id),
      contactId,
      status: expect.stringMatching(/RUNNING|WAITING/),
      currentStepId: body.currentStepId,
      exitReason: null,
      context: { plan: "pro" },
      error: null,
      startedAt: expect.any(String),
      completedAt: null,
      createdAt: body.startedAt,
      updatedAt: expect.any(String),
    });
    const whole = await settled(project, path, body.id);
    expect(whole).toMatchObject({ status: "WAITING", currentStepId: publicId(workflow.steps.later as never) });
    const stepIds: string[] = whole.steps.map((step: { id: string }) => step.id);
    expect(new Set(stepIds.filter(isUuid)).size).toBe(whole.steps.length);
    expect(whole.steps).toMatchObject([
      { type: "TRIGGER", status: "COMPLETED", executionId: body.id },
      { type: "DELAY", name: "later", status: "WAITING", completedAt: null, scheduledFor: expect.any(String) },
    ]);
  });

  it("refuses a contact that was there before, unless re-entry is allowed", async () => {
    const { project, api, path, contactId } = await set(ending);
    const { body } = await api.post(path, { contactId });
    expect(await settled(project, path, body.id)).toMatchObject({ status: "EXITED", exitReason: "Done" });
    const refused = await api.post(path, { contactId });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect((await api.get(path)).body.total).toBe(1);
  });

  it("with re-entry refuses only while an execution is active", async () => {
    const { api, path, contactId } = await set({ ...sleeping, allowReentry: true });
    const first = await api.post(path, { contactId });
    expect((await api.post(path, { contactId })).status).toBe(409);
    expect((await api.delete(`${path}/${first.body.id}`)).status).toBe(200);
    expect((await api.post(path, { contactId })).status).toBe(201);
  });

  it("starts once for an Idempotency-Key, also where the contact may enter again", async () => {
    const { project, path, contactId } = await set({ ...ending, allowReentry: true });
    const start = (key: string) =>
      call(
        "POST",
        path,
        { contactId },
        {
          headers: { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": key },
        },
      );
    const first = await start("start-1");
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    await settled(project, path, first.body.id);
    const again = await start("start-1");
    expect([again.status, again.body.error.code]).toEqual([409, "IDEMPOTENCY_KEY_REUSED"]);
    expect(again.body.error.details.originalResponse).toMatchObject({ id: first.body.id });
    expect((await project.api.get(path)).body.total).toBe(1);
    expect((await start("start-2")).status).toBe(201);
  });

  it("takes a context of null as none", async () => {
    const { api, path, contactId } = await set();
    expect(await api.post(path, { contactId, context: null })).toMatchObject({ status: 201, body: { context: {} } });
  });

  it.each([
    ["no contact", {}, 422, "contactId"],
    ["an empty contact", { contactId: "" }, 422, "contactId"],
    ["a context that is no object", { context: [1] }, 422, "context"],
    ["a context over 16 KB", { context: { long: "x".repeat(16_384) } }, 422, "context"],
  ])("refuses %s", async (_, fields, status, field) => {
    const { api, path, contactId } = await set();
    const answer = await api.post(path, field === "contactId" ? fields : { contactId, ...fields });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body.error)).toContain(field);
    expect((await api.get(path)).body).toMatchObject({ data: [], total: 0 });
  });

  it("is 404 for a workflow and a contact that are not there, or another project's", async () => {
    const { api, path, contactId } = await set();
    const other = await set();
    const nobody = "0199a0f2-0000-7000-8000-000000000000";
    expect(await api.post(path, { contactId: nobody })).toMatchObject({
      status: 404,
      body: { error: { code: "CONTACT_NOT_FOUND" } },
    });
    expect((await api.post(path, { contactId: other.contactId })).status).toBe(404);
    expect(await api.post(other.path, { contactId })).toMatchObject({
      status: 404,
      body: { error: { code: "WORKFLOW_NOT_FOUND" } },
    });
  });
});

describe("the executions of a workflow", () => {
  it("are listed newest first, page by page, and by status", async () => {
    const { project, api, path, contactId } = await set();
    const others = await Promise.all(["b@example.com", "c@example.com"].map((email) => newContact(project, email)));
    const ids: string[] = [];
    for (const each of [contactId, ...others])
      ids.push((await api.post(path, { contactId: each, context: { each } })).body.id);
    for (const id of ids) await settled(project, path, id);
    await api.delete(`${path}/${ids[0]}`);
    const { body } = await api.get(`${path}?pageSize=2`);
    expect(body).toMatchObject({ total: 3, page: 1, pageSize: 2, totalPages: 2 });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]]);
    expect(body.data[0]).toEqual({ ...(await api.get(`${path}/${ids[2]}`)).body, steps: undefined });
    const cancelled = await api.get(`${path}?status=CANCELLED`);
    expect(cancelled.body).toMatchObject({ total: 1, data: [{ id: ids[0], context: { each: contactId } }] });
    expect((await api.get(`${path}?status=SLEEPING`)).status).toBe(422);
  });

  it("are listed by the step that they are at, or ended at", async () => {
    const { project, api, path, workflow, contactId } = await set();
    const others = await Promise.all(["b@example.com", "c@example.com"].map((email) => newContact(project, email)));
    const ids: string[] = [];
    for (const each of [contactId, ...others])
      ids.push((await api.post(path, { contactId: each, context: { each } })).body.id);
    for (const id of ids) await settled(project, path, id);
    await api.delete(`${path}/${ids[0]}`);
    const at = (name: string) => `${path}?stepId=${publicId(workflow.steps[name] as never)}`;
    await vi.waitFor(async () => expect((await api.get(`${at("later")}&status=WAITING`)).body.total).toBe(2));
    const { body } = await api.get(`${at("later")}&pageSize=1&page=2`);
    expect(body).toMatchObject({ total: 3, page: 2, pageSize: 1, totalPages: 3, data: [{ id: ids[1] }] });
    expect(body.data[0]).toEqual({ ...(await api.get(`${path}/${ids[1]}`)).body, steps: undefined });
    expect(body).not.toHaveProperty("approximate");
    expect((await api.get(`${at("later")}&contactId=${others[1]}`)).body).toMatchObject({
      total: 1,
      data: [{ id: ids[2] }],
    });
    expect((await api.get(at("exit"))).body).toMatchObject({ total: 0, data: [], totalPages: 0 });
    const stranger = await set();
    expect((await stranger.api.get(at("later"))).status).toBe(404);
    expect(
      (await stranger.api.get(`${stranger.path}?stepId=${publicId(workflow.steps.later as never)}`)).body.data,
    ).toEqual([]);
  });

  it("are cancelled one by one, once", async () => {
    const { project, api, path, contactId } = await set();
    const { id } = (await api.post(path, { contactId })).body;
    await settled(project, path, id);
    const { status, body } = await api.delete(`${path}/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: "CANCELLED", exitReason: "Cancelled", completedAt: expect.any(String) });
    expect((await api.get(`${path}/${id}`)).body.steps[1]).toMatchObject({ type: "DELAY", status: "SKIPPED" });
    expect((await api.delete(`${path}/${id}`)).status).toBe(409);
  });

  it("are cancelled all at once", async () => {
    const { project, api, path, contactId } = await set();
    const contacts = await Promise.all(["b", "c", "d"].map((name) => newContact(project, `${name}@example.com`)));
    for (const each of [contactId, ...contacts]) await api.post(path, { contactId: each });
    expect(await api.post(`${path}/cancel-all`)).toMatchObject({ status: 200, body: { cancelled: 4 } });
    expect((await api.get(`${path}?status=CANCELLED`)).body.total).toBe(4);
    expect((await api.post(`${path}/cancel-all`)).body).toEqual({ cancelled: 0 });
  });

  it("are 404 for another project, and under another workflow", async () => {
    const { project, api, path, contactId } = await set();
    const { id } = (await api.post(path, { contactId })).body;
    const other = await set();
    const elsewhere = `/workflows/${publicId((await newWorkflow(project, ending)).id)}/executions`;
    for (const [who, at] of [
      [other.api, path],
      [other.api, other.path],
      [api, elsewhere],
    ] as const) {
      expect((await who.get(`${at}/${id}`)).status).toBe(404);
      expect((await who.delete(`${at}/${id}`)).status).toBe(404);
    }
    expect((await other.api.get(path)).status).toBe(404);
    expect((await other.api.post(`${path}/cancel-all`)).status).toBe(404);
    expect((await settled(project, path, id)).status).toBe("WAITING");
  });
});

describe("GET /contacts/{id}/export", () => {
  it("has the person's executions, with their steps", async () => {
    const { project, api, path, contactId } = await set();
    const { id } = (await api.post(path, { contactId, context: { plan: "pro" } })).body;
    const whole = await settled(project, path, id);
    expect((await api.get(`/contacts/${contactId}/export`)).body.executions).toEqual([whole]);
  });
});
