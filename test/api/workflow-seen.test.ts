import { describe, expect, it, vi } from "vitest";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { newStep, newWorkflow, triggerOf } from "../support/workflow-graph";

/** TRIGGER → Pro? → yes: Sleep; no: Out. */
async function set(project: TestProject) {
  const workflow = await newWorkflow(project);
  const add = (fields: Record<string, unknown>) => newStep(project, workflow.id, fields);
  const isPro = await add({
    ...{ type: "CONDITION", name: "Pro?", config: { field: "data.plan", operator: "equals", value: "pro" } },
    connectFrom: triggerOf(workflow),
  });
  const sleep = await add({
    ...{ type: "DELAY", name: 'Sleep "well" <b>', config: { amount: 1, unit: "days" } },
    ...{ connectFrom: isPro.id, branch: "yes" },
  });
  const out = await add({ type: "EXIT", name: "Out", config: { reason: "Free" }, connectFrom: isPro.id, branch: "no" });
  const path = `/workflows/${workflow.id}`;
  return { path, isPro, sleep, out, trigger: triggerOf(workflow) };
}

/** Starts an execution by hand, and waits until it rests. */
async function start({ api }: TestProject, path: string, email: string, plan: string): Promise<string> {
  const contactId = (await api.post("/contacts", { email, data: { plan } })).body.id;
  const { body } = await api.post(`${path}/executions`, { contactId });
  await vi.waitFor(
    async () => expect((await api.get(`${path}/executions/${body.id}`)).body.status).not.toBe("RUNNING"),
    { timeout: 10_000, interval: 20 },
  );
  return body.id;
}

describe("GET /workflows/{id}/executions/{executionId}/explain", () => {
  it("tells each step: what it is set up with, what came of it, why, and when it goes on", async () => {
    const project = await newProject();
    const { path, isPro, sleep, out } = await set(project);
    const id = await start(project, path, "ada@example.com", "pro");
    const { status, body } = await project.api.get(`${path}/executions/${id}/explain`);
    expect(status).toBe(200);
    expect(body.path).toHaveLength(3);
    expect(body.path[1]).toEqual({
      ...{ stepId: isPro.id, name: "Pro?", type: "CONDITION", outcome: "COMPLETED", branch: "yes" },
      ...{ input: { field: "data.plan", operator: "equals", value: "pro" }, reason: 'data.plan is "pro"' },
      ...{ at: expect.any(String), nextAt: expect.any(String) },
    });
    const [, , asleep] = body.path;
    expect(asleep).toMatchObject({ stepId: sleep.id, outcome: "WAITING", branch: null, reason: null });
    expect(Date.parse(asleep.nextAt) - Date.parse(asleep.at)).toBe(86_400_000);
    const other = await start(project, path, "bob@example.com", "free");
    const { body: left } = await project.api.get(`${path}/executions/${other}/explain`);
    expect(left.path.at(-1)).toMatchObject({ stepId: out.id, outcome: "COMPLETED", reason: "Free" });
    await project.api.delete(`${path}/executions/${id}`);
    const { body: over } = await project.api.get(`${path}/executions/${id}/explain`);
    expect(over.path.at(-1)).toMatchObject({ stepId: sleep.id, outcome: "SKIPPED", reason: "Cancelled" });
  });

  it("is 404 for another project's, for one that is not there, and under another workflow", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { path } = await set(project);
    const id = await start(project, path, "ada@example.com", "pro");
    const elsewhere = (await newWorkflow(project, { name: "Other" })).id;
    for (const [{ api }, at] of [
      [other, `${path}/executions/${id}`],
      [project, `/workflows/${elsewhere}/executions/${id}`],
      [project, `${path}/executions/0199a0f2-0000-7000-8000-000000000000`],
    ] as const) {
      expect((await api.get(`${at}/explain`)).status).toBe(404);
    }
  });
});

describe("GET /workflows/{id}/stats and /diagram", () => {
  it("count who came to each step, and what became of them", async () => {
    const project = await newProject();
    const { path, trigger, isPro, sleep, out } = await set(project);
    const none = { entered: 0, waiting: 0, completed: 0, failed: 0, skipped: 0, branches: [] };
    const branches = (yes: number, no: number) => [
      { branch: "yes", count: yes },
      { branch: "no", count: no },
    ];
    const counts = async () => {
      const { status, body } = await project.api.get(`${path}/stats`);
      expect(status).toBe(200);
      return body.steps;
    };
    expect(await counts()).toEqual([
      { stepId: trigger, name: "TRIGGER", type: "TRIGGER", ...none },
      { stepId: isPro.id, name: "Pro?", type: "CONDITION", ...none, branches: branches(0, 0) },
      { stepId: sleep.id, name: sleep.name, type: "DELAY", ...none },
      { stepId: out.id, name: "Out", type: "EXIT", ...none },
    ]);
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.push(await start(project, path, `${name}@example.com`, "pro"));
    await start(project, path, "d@example.com", "free");
    await project.api.delete(`${path}/executions/${ids[0]}`);
    expect(await counts()).toMatchObject([
      { ...none, entered: 4, completed: 4 },
      { ...none, entered: 4, completed: 4, branches: branches(3, 1) },
      { ...none, entered: 3, waiting: 2, skipped: 1 },
      { ...none, entered: 1, completed: 1 },
    ]);
    const drawn = await call("GET", `${path}/diagram`, undefined, bearer(project.keys.secret));
    expect(drawn.headers.get("Content-Type")).toContain("text/plain");
    expect(drawn.body).toBe(
      [
        "flowchart TD",
        '  s0(["TRIGGER<br>on signup<br>4 entered"])',
        '  s1{"Pro?<br>CONDITION<br>data.plan equals #34;pro#34;<br>4 entered"}',
        '  s2{{"Sleep #34;well#34; #60;b#62;<br>DELAY<br>1 day<br>3 entered, 2 waiting"}}',
        '  s3(["Out<br>EXIT<br>Free<br>1 entered"])',
        "  s0 --> s1",
        '  s1 -->|"yes: 3"| s2',
        '  s1 -->|"no: 1"| s3\n',
      ].join("\n"),
    );
  });

  it("are 404 for another project's workflow", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { path } = await set(project);
    expect((await other.api.get(`${path}/stats`)).status).toBe(404);
    expect((await other.api.get(`${path}/diagram`)).status).toBe(404);
  });
});
