import { describe, expect, it } from "vitest";
import { everyPage } from "../support/pages";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { emailIds } from "../support/send-and-wait";

const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 + hours * hourMs).toISOString();
const id = (n: number) => `0199a0f2-6c1e-7b3a-9d54-${String(n).padStart(12, "0")}`;

async function schedule(project: TestProject, scheduledAt: string, to = "ada@example.com") {
  const [emailId = ""] = emailIds(await project.api.send({ to, scheduledAt }));
  return emailId;
}

async function addCampaign(project: TestProject, n: number, at: string | null, status = "SCHEDULED") {
  await project.db
    .prepare(
      `INSERT INTO campaigns (project_id, id, name, status, audience_type, type, subject, from_email, scheduled_for, search_text,
        created_at, updated_at) VALUES (?, ?, 'Spring', ?, 'ALL', 'MARKETING', 'It is spring', 'hi@acme.test', ?, '', 0, 0)`,
    )
    .bind(project.id, id(n), status, at && Date.parse(at))
    .run();
  return id(n);
}

async function addExecution(project: TestProject, n: number, contactId: string, at: string, status = "WAITING") {
  await project.db.batch([
    project.db
      .prepare(
        `INSERT OR IGNORE INTO workflows (project_id, id, name, enabled, trigger_type, trigger_config, allow_reentry, search_text,
          created_at, updated_at) VALUES (?, ?, 'Welcome', 1, 'MANUAL', '{}', 0, '', 0, 0)`,
      )
      .bind(project.id, id(900)),
    project.db
      .prepare(
        `INSERT OR IGNORE INTO workflow_steps (project_id, workflow_id, id, type, name, x, y, config, created_at, updated_at)
        VALUES (?, ?, ?, 'DELAY', 'Two days', 0, 0, '{}', 0, 0)`,
      )
      .bind(project.id, id(900), id(901)),
    project.db
      .prepare(
        `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, current_step_id, wake_at,
          started_at, updated_at) VALUES (?, ?, ?, ?, 0, ?, ?, ?, 0, 0)`,
      )
      .bind(project.id, id(900), id(n), contactId, status, id(901), Date.parse(at)),
  ]);
  return id(n);
}

describe("GET /activity/upcoming", () => {
  it("is empty where nothing is scheduled", async () => {
    const { api } = await newProject();
    const { status, body } = await api.get("/activity/upcoming");
    expect([status, body]).toEqual([200, { data: [], cursor: "", hasMore: false, total: 0 }]);
  });

  it("shows scheduled mail, campaigns, and workflows that wait, soonest first", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const times = [inHours(1), inHours(2), inHours(3)];
    const [soon = "", later = "", last = ""] = times;
    const emailId = await schedule(project, later);
    const { contactId } = (await project.api.get(`/emails/${emailId}`)).body;
    await addCampaign(project, 1, soon);
    await addExecution(project, 2, contactId, last);
    // None of these is still to come, or is this project's.
    await addCampaign(project, 3, null, "DRAFT");
    await addCampaign(project, 4, soon, "CANCELLED");
    await addCampaign(project, 5, soon, "SENT");
    await addExecution(project, 6, contactId, soon, "CANCELLED");
    await addCampaign(other, 7, soon);
    await schedule(other, soon);
    const cancelled = await schedule(project, soon, "bob@example.com");
    expect((await project.api.delete(`/emails/${cancelled}`)).status).toBeLessThan(300);
    await project.api.send();

    const { status, body } = await project.api.get("/activity/upcoming");
    expect(status).toBe(200);
    const theirs = { contactId, contactEmail: "ada@example.com" };
    expect(body).toEqual({
      data: [
        {
          id: id(1),
          type: "campaign.scheduled",
          timestamp: soon,
          contactId: null,
          contactEmail: null,
          metadata: { campaignId: id(1), name: "Spring", subject: "It is spring", audienceType: "ALL" },
        },
        {
          id: emailId,
          type: "email.scheduled",
          timestamp: later,
          ...theirs,
          metadata: { emailId, subject: "Hello", templateId: null, campaignId: null, source: "TRANSACTIONAL" },
        },
        {
          id: id(2),
          type: "workflow.waiting",
          timestamp: last,
          ...theirs,
          metadata: {
            executionId: id(2),
            workflowId: id(900),
            workflowName: "Welcome",
            stepId: id(901),
            stepName: "Two days",
            stepType: "DELAY",
          },
        },
      ],
      cursor: "",
      hasMore: false,
      total: 3,
    });
  });

  it("is exact page by page, also for one time, and while more is scheduled and cancelled", async () => {
    const project = await newProject();
    const expected: string[] = [];
    for (let n = 0; n < 12; n++) expected.push(await schedule(project, inHours(n < 8 ? 1 : 2), `c${n}@example.com`));
    const { contactId } = (await project.api.get(`/emails/${expected[0]}`)).body;
    for (let n = 20; n < 24; n++) expected.push(await addCampaign(project, n, inHours(2)));
    for (let n = 30; n < 34; n++) expected.push(await addExecution(project, n, contactId, inHours(1)));
    for (const limit of [1, 3, 7, 100]) {
      const entries = await everyPage(project, "/activity/upcoming", { limit });
      expect(entries.map((entry) => entry.id).toSorted(), String(limit)).toEqual(expected.toSorted());
      const times = entries.map(({ timestamp }) => timestamp);
      expect(times).toEqual(times.toSorted());
    }
    expect((await project.api.get("/activity/upcoming?limit=1")).body.total).toBe(20);

    const cancelled = expected[11] ?? "";
    let page = 0;
    const seen = await everyPage(project, "/activity/upcoming", {
      limit: 3,
      between: async () => {
        // One before what was shown, one far behind it, and one that goes.
        await schedule(project, inHours(0.5), `early${page}@example.com`);
        if (page === 0) await project.api.delete(`/emails/${cancelled}`);
        page++;
      },
    });
    expect(seen.map((entry) => entry.id).toSorted()).toEqual(expected.filter((one) => one !== cancelled).toSorted());
  });

  it("looks past no more executions that run than one statement reads, and goes on there with the next page", async () => {
    const project = await newProject();
    const email = await schedule(project, inHours(3));
    const { contactId } = (await project.api.get(`/emails/${email}`)).body;
    const [soon, late] = [
      await addExecution(project, 1, contactId, inHours(1)),
      await addExecution(project, 2, contactId, inHours(3)),
    ];
    await project.db
      .prepare(
        `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, wake_at, started_at,
          updated_at) SELECT project_id, workflow_id, 'r' || n, contact_id, shard, 'RUNNING', ?, 0, 0
        FROM workflow_executions, (WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 25000) SELECT n FROM r)
        WHERE project_id = ? AND id = ?`,
      )
      .bind(Date.parse(inHours(2)), project.id, soon)
      .run();
    const first = (await project.api.get("/activity/upcoming?limit=2")).body;
    expect(first).toMatchObject({ data: [{ id: soon }], hasMore: true, approximate: true });
    const between = (await project.api.get(`/activity/upcoming?limit=2&cursor=${first.cursor}`)).body;
    expect(between).toMatchObject({ data: [], hasMore: true });
    const last = (await project.api.get(`/activity/upcoming?limit=2&cursor=${between.cursor}`)).body;
    expect(last.data.map(({ id }: { id: string }) => id).toSorted()).toEqual([email, late].toSorted());
    expect(last.hasMore).toBe(false);
  });

  it("keeps what comes due on the way, and does not begin with what is past", async () => {
    const project = await newProject();
    const first = await schedule(project, inHours(1), "a@example.com");
    const second = await schedule(project, inHours(2), "b@example.com");
    await addCampaign(project, 1, inHours(3));
    const { cursor, data } = (await project.api.get("/activity/upcoming?limit=1")).body;
    expect(data[0].id).toBe(first);
    // The time of the second comes, and nobody has sent it yet.
    await project.db
      .prepare("UPDATE emails SET scheduled_at = ? WHERE id = ?")
      .bind(Date.now() - 1_000, first)
      .run();
    await project.db
      .prepare("UPDATE campaigns SET scheduled_for = ? WHERE id = ?")
      .bind(Date.now() - 1_000, id(1))
      .run();
    const next = (await project.api.get(`/activity/upcoming?limit=1&cursor=${cursor}`)).body;
    expect(next.data.map((entry: { id: string }) => entry.id)).toEqual([second]);
    const anew = (await project.api.get("/activity/upcoming")).body;
    expect(anew.data.map((entry: { id: string }) => entry.id)).toEqual([second]);
  });

  it("has what waits for one contact, page by page, and none of a campaign or of others", async () => {
    const project = await newProject();
    const late = await schedule(project, inHours(3));
    await schedule(project, inHours(1), "bob@example.com");
    await addCampaign(project, 1, inHours(2));
    const ada = (await project.api.get(`/emails/${late}`)).body.contactId as string;
    const execution = await addExecution(project, 2, ada, inHours(1));
    const path = `/activity/upcoming?contactId=${ada}`;
    const { body } = await project.api.get(path);
    expect([body.total, ...body.data.map((one: { id: string }) => one.id)]).toEqual([2, execution, late]);
    const first = (await project.api.get(`${path}&limit=1`)).body;
    expect(first).toMatchObject({ hasMore: true, data: [{ id: execution }] });
    const next = await project.api.get(`${path}&limit=1&cursor=${first.cursor}`);
    expect(next.body).toMatchObject({ hasMore: false, data: [{ id: late }] });
    expectRefusal(await project.api.get(`/activity/upcoming?cursor=${first.cursor}`), 400, "BAD_REQUEST");
    expect((await (await newProject()).api.get(path)).body.data).toEqual([]);
  });

  it("has nothing of an erased contact", async () => {
    const project = await newProject();
    const emailId = await schedule(project, inHours(1));
    const { contactId } = (await project.api.get(`/emails/${emailId}`)).body;
    expect((await project.api.delete(`/contacts/${contactId}`)).status).toBe(204);
    expect((await project.api.get("/activity/upcoming")).body).toMatchObject({ data: [], total: 0 });
  });

  it("refuses what it cannot read", async () => {
    const { api } = await newProject();
    expectInvalid(await api.get("/activity/upcoming?limit=0"), "limit", "too_small");
    expectInvalid(await api.get("/activity/upcoming?types=email.sent"), "types", "custom");
    expectRefusal(await api.get("/activity/upcoming?cursor=%25"), 400, "BAD_REQUEST");
  });
});
