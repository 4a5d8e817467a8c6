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
