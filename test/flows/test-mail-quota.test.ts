import { expect, it, vi } from "vitest";
import { newCampaign } from "../support/campaign";
import { newProject } from "../support/project";

it("a test email that is not sent gives back no quota, because it took none", async () => {
  const project = await newProject();
  const { api, db, number } = project;
  await api.send({ to: "ada@example.com" });
  const usage = () =>
    db.prepare("SELECT sum(emails) AS n FROM monthly_usage WHERE project_id = ?").bind(number).first<number>("n");
  expect(await usage()).toBe(1);
  await api.post("/suppressions", { email: "left@example.com" });
  const { id } = await newCampaign(project);
  for (let time = 0; time < 3; time++) {
    expect((await api.post(`/campaigns/${id}/test`, { email: "left@example.com" })).status).toBe(200);
  }
  const tests = "SELECT status FROM emails WHERE project_id = ? AND source = 'TEST'";
  await vi.waitFor(async () => {
    const { results } = await db.prepare(tests).bind(number).all();
    expect(results).toEqual(Array.from({ length: 3 }, () => ({ status: "SUPPRESSED" })));
  }, 10_000);
  expect(await usage()).toBe(1);
});

it("a test email that is sent again takes no quota, alone or with many", async () => {
  const project = await newProject({ monthlySendLimit: 1 });
  const { api, db, number } = project;
  await api.send({ to: "ada@example.com" });
  const { id } = await newCampaign(project);
  const fail = db.prepare("UPDATE emails SET status = 'FAILED', ended_at = 1 WHERE project_id = ? AND source = 'TEST'");
  const isSent = () =>
    vi.waitFor(async () => {
      const { data } = (await api.get("/emails?limit=100")).body;
      const tests = data.filter(({ source }: { source: string }) => source === "TEST");
      expect(tests).toEqual([expect.objectContaining({ status: expect.stringMatching(/SENT|DELIVERED/) })]);
      return tests[0].id;
    }, 10_000);
  await api.post(`/campaigns/${id}/test`, { email: "bob@example.com" });
  const emailId = await isSent();
  await fail.bind(number).run();
  expect((await api.post(`/emails/${emailId}/retry`)).status).toBe(202);
  await isSent();
  await fail.bind(number).run();
  const started = await api.post("/emails/retry", { status: "FAILED" });
  await vi.waitFor(async () => {
    const job = (await api.get(`/jobs/${started.body.jobId}`)).body;
    expect(job).toMatchObject({ status: "completed", result: { retried: 1, skipped: { monthly_limit: 0 } } });
  }, 10_000);
  await isSent();
  const used = db.prepare("SELECT sum(emails) AS n FROM monthly_usage WHERE project_id = ?").bind(number);
  expect(await used.first("n")).toBe(1);
});
