import { describe, expect, it } from "vitest";
import { effects, expectEffects, noEffects } from "../support/effects";
import { admin, newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { emailIds, sendAndWait } from "../support/send-and-wait";

const to = (count: number) => Array.from({ length: count }, (_, index) => `r${index}@example.com`);

describe("a project's monthlySendLimit", () => {
  it("can be used up exactly; one mail more is 402, says what to do and writes nothing", async () => {
    const project = await newProject({ monthlySendLimit: 3 });
    emailIds(await project.api.send({ to: to(2) }));
    emailIds(await project.api.send({ to: "last@example.com" }));
    const before = await effects(project);
    const answer = await project.api.send({ to: "more@example.com", subscribed: true, data: { a: 1 } });
    expectRefusal(answer, 402, "BILLING_LIMIT_EXCEEDED", { details: { monthlySendLimit: 3 } });
    expect(answer.body.error.suggestion).toBeTruthy();
    // The first mails may be delivered meanwhile, which only adds to the events.
    await expectEffects(project, { ...before, events: expect.any(Number) });
  });

  it("refuses a call that would pass it whole, and takes one that fits afterwards", async () => {
    const project = await newProject({ monthlySendLimit: 3 });
    expectRefusal(await project.api.send({ to: to(4), body: "b".repeat(100_000) }), 402, "BILLING_LIMIT_EXCEEDED", {
      details: { monthlySendLimit: 3 },
    });
    await expectEffects(project, noEffects);
    emailIds(await project.api.send({ to: to(3) }));
  });

  it("counts an address that is named twice as two", async () => {
    const project = await newProject({ monthlySendLimit: 1 });
    const twice = await project.api.send({ to: ["ada@example.com", "ADA@example.com"] });
    expect(twice.status).toBe(402);
    await expectEffects(project, noEffects);
  });

  it("does not count suppressed recipients", async () => {
    const project = await newProject({ monthlySendLimit: 2 });
    await sendAndWait(project, { to: "bounce@simulator.test" }, "BOUNCED");
    const sent = await project.api.send({ to: ["bounce@simulator.test", "ada@example.com", "bounce@simulator.test"] });
    expect(sent.body.data.emails.map((item: { status: string }) => item.status)).toEqual([
      "SUPPRESSED",
      "QUEUED",
      "SUPPRESSED",
    ]);
    expect((await project.api.send({ to: "bob@example.com" })).status).toBe(402);
    expect((await project.api.send({ to: "bounce@simulator.test" })).status).toBe(200);
    expect((await effects(project))["emails of the month"]).toBe(2);
  });

  it("gets the place of a failed mail back", async () => {
    const project = await newProject({ monthlySendLimit: 1 });
    await sendAndWait(project, { to: "reject@simulator.test" }, "FAILED");
    expect((await effects(project))["emails of the month"]).toBe(0);
    await sendAndWait(project, { body: "{% for i in (1..100000000) %}x{% endfor %}" }, "FAILED");
    emailIds(await project.api.send());
    expect((await project.api.send()).status).toBe(402);
  });

  it("holds when many calls come at once", async () => {
    const project = await newProject({ monthlySendLimit: 5 });
    const answers = await Promise.all(to(16).map((email) => project.api.send({ to: email })));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(11).fill(402)]);
    expect(await effects(project)).toMatchObject({ contacts: 5, emails: 5, "emails of the month": 5 });
  });

  it("counts by the calendar month, in UTC", async () => {
    const project = await newProject({ monthlySendLimit: 1 });
    await project.db
      .prepare("INSERT INTO monthly_usage (project_id, month, template_id, emails) VALUES (?, '2020-01', '', 1)")
      .bind(project.id)
      .run();
    emailIds(await project.api.send());
    const month = new Date().toISOString().slice(0, 7);
    expect(await usage(project)).toEqual({ "2020-01": 1, [month]: 1 });
  });

  it("can be raised and lifted by the operator", async () => {
    const project = await newProject({ monthlySendLimit: 1 });
    emailIds(await project.api.send());
    expect((await project.api.send()).status).toBe(402);
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: 2 });
    emailIds(await project.api.send());
    expect((await project.api.send()).status).toBe(402);
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: null });
    emailIds(await project.api.send({ to: to(20) }));
  });

  it("is not what an unverified sender is told of", async () => {
    const project = await newProject({ monthlySendLimit: 1 });
    emailIds(await project.api.send());
    expect((await project.api.send({ from: "hello@unregistered.test" })).status).toBe(403);
  });
});

async function usage(project: TestProject): Promise<Record<string, number>> {
  const { results } = await project.db
    .prepare("SELECT month, emails FROM monthly_usage WHERE project_id = ?")
    .bind(project.id)
    .all<{ month: string; emails: number }>();
  return Object.fromEntries(results.map(({ month, emails }) => [month, emails]));
}
