import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { startPreflight } from "../../src/features/campaigns/preflight/start";
import { addContacts, newCampaign } from "../support/campaign";
import { endedJob } from "../support/preflight";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectRefusal, uuid } from "../support/refusal";
import { World } from "../support/world";

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";

function preflight(project: TestProject, id: string) {
  return project.api.post(`/campaigns/${id}/preflight`);
}

async function setStatus(project: TestProject, id: string, status: string): Promise<void> {
  await project.db
    .prepare("UPDATE campaigns SET status = ?, version = version + 1 WHERE project_id = ? AND id = ?")
    .bind(status, project.id, readId(id))
    .run();
}

async function countJobs(project: TestProject): Promise<number> {
  const all = project.db.prepare(
    "SELECT count(*) AS n FROM jobs WHERE project_id = ? AND type = 'campaigns.preflight'",
  );
  return (await all.bind(project.id).first("n")) ?? 0;
}

describe("POST /campaigns/{id}/preflight", () => {
  it("answers a job, whose result says what sending would do", async () => {
    const project = await newProject({ company: "Acme", postalAddress: "1 Main St" });
    await project.api.post("/contacts", { email: "ada@example.com", data: { firstName: "Ada" } });
    await project.api.post("/contacts", { email: "bob@example.com" });
    await project.api.post("/contacts", { email: "eve@example.com", subscribed: false });
    await project.api.post("/suppressions", { email: "bob@example.com" });
    const { id } = await newCampaign(project);
    const { status, body } = await preflight(project, id);
    expect([status, body]).toEqual([202, { jobId: expect.stringMatching(uuid) }]);
    expect(await endedJob(project, body.jobId)).toEqual({
      jobId: body.jobId,
      type: "campaigns.preflight",
      status: "completed",
      progress: 100,
      result: {
        recipients: 3,
        willSend: 1,
        skipped: [
          { reason: "unsubscribed", count: 1 },
          { reason: "suppressed_manual", count: 1 },
        ],
        missing: [],
        renderErrors: [],
        clipped: 0,
        warnings: [],
        estimatedSeconds: 1,
        rowsWritten: expect.any(Number),
        version: 1,
        preflightToken: expect.any(String),
      },
      errors: [],
      createdAt: expect.any(String),
      completedAt: expect.any(String),
    });
    const { body: mail } = await project.api.get("/emails");
    expect([mail.total, (await project.api.get(`/campaigns/${id}`)).body.status]).toEqual([0, "DRAFT"]);
  });

  it.each(["bounce", "complaint", "unsubscribe", "manual"])("names mail that is withheld for %s", async (reason) => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com" });
    await project.api.post("/suppressions/bulk", { suppressions: [{ email: "ada@example.com", reason }] });
    const { id } = await newCampaign(project);
    const { body } = await preflight(project, id);
    expect((await endedJob(project, body.jobId)).result).toMatchObject({
      willSend: 0,
      skipped: [{ reason: `suppressed_${reason}`, count: 1 }],
    });
  });

  it("to nobody finds nobody", async () => {
    const project = await newProject();
    const { id } = await newCampaign(project);
    const { body } = await preflight(project, id);
    expect((await endedJob(project, body.jobId)).result).toEqual({
      ...{ recipients: 0, willSend: 0, skipped: [], missing: [], renderErrors: [], clipped: 0, warnings: [] },
      ...{ estimatedSeconds: 0, rowsWritten: 0, version: 1, preflightToken: expect.any(String) },
    });
  });

  it("is for campaigns that may still be sent, or are being sent", async () => {
    const project = await newProject();
    for (const [status, expected] of [
      ["DRAFT", 202],
      ["SCHEDULED", 202],
      ["SENDING", 202],
      ["SENT", 409],
      ["CANCELLED", 409],
    ] as const) {
      const { id } = await newCampaign(project);
      await setStatus(project, id, status);
      const before = await countJobs(project);
      const answer = await preflight(project, id);
      expect([status, answer.status]).toEqual([status, expected]);
      if (expected === 409) {
        expectRefusal(answer, 409, "CONFLICT", { details: { status } });
        expect(answer.body.error.message).toBe(`A campaign that is ${status} cannot be checked. Nothing was changed.`);
        expect(await countJobs(project)).toBe(before);
      } else await endedJob(project, answer.body.jobId);
    }
  });

  it("does not find a campaign of another project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await newCampaign(other);
    for (const missing of [id, nowhere]) {
      expectRefusal(await preflight(project, missing), 404, "CAMPAIGN_NOT_FOUND", {
        details: { resource: "campaign", id: missing },
      });
    }
    expect([await countJobs(project), await countJobs(other)]).toEqual([0, 0]);
  });

  it("wants a UUID", async () => {
    const project = await newProject();
    const { status, body } = await preflight(project, "march");
    expect([status, body.error.code, body.error.errors[0].field]).toEqual([422, "VALIDATION_ERROR", "id"]);
  });

  it("shows its job to its own project alone", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { body } = await preflight(project, (await newCampaign(project)).id);
    expectRefusal(await other.api.get(`/jobs/${body.jobId}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "job", id: body.jobId },
    });
    await endedJob(project, body.jobId);
  });

  it("takes no public key", async () => {
    const project = await newProject();
    const { id } = await newCampaign(project);
    const answer = await call("POST", `/campaigns/${id}/preflight`, undefined, bearer(project.keys.public));
    expectRefusal(answer, 401, "INVALID_API_KEY");
    expect(await countJobs(project)).toBe(0);
  });

  it("works in a project that is disabled, and says so", async () => {
    const project = await newProject({ company: "Acme", postalAddress: "1 Main St" });
    await addContacts(project, 2);
    const { id } = await newCampaign(project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    const { status, body } = await preflight(project, id);
    expect(status).toBe(202);
    const { result } = await endedJob(project, body.jobId);
    expect(result).toMatchObject({ willSend: 2, warnings: [{ code: "disabled", count: 2 }] });
  });
});

describe("several at once", () => {
  async function start(world: World, project: TestProject, id: string) {
    return startPreflight((await world.context(project)).ctx, readId(id));
  }

  it("of one campaign are one", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id } = await newCampaign(project);
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => start(world, project, id)));
    expect(new Set(ids).size).toBe(1);
    expect([await countJobs(project), world.queue.length]).toEqual([1, 1]);
    await world.drain();
    expect(await start(world, project, id)).not.toBe(ids[0]);
  });

  it("of one project are three at most", async () => {
    const [world, project] = [new World(), await newProject()];
    const made = [];
    for (let n = 0; n < 4; n++) made.push((await newCampaign(project)).id);
    const tried = await Promise.allSettled(made.map((id) => start(world, project, id)));
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    const refused = made[tried.findIndex(({ status }) => status === "rejected")] ?? "";
    const answer = await preflight(project, refused);
    expectRefusal(answer, 409, "CONFLICT", { details: { limit: 3 } });
    expect(answer.body.error.suggestion).toBe("Wait until one of these jobs has ended.");
    expect(await countJobs(project)).toBe(3);
    await world.pass(3);
    await start(world, project, refused);
  });
});
