import { describe, expect, it } from "vitest";
import { publicId } from "../../src/core/ids";
import { campaignTimeline } from "../../src/features/campaigns/timeline";
import { newCampaign as newDraft } from "../support/campaign";
import { idSql } from "../support/counts";
import { newCampaign as newLedger } from "../support/ledger";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { World } from "../support/world";

const hourMs = 3_600_000;
const nine = Date.UTC(2026, 0, 31, 9);

/** A campaign with a row of its own, whose ledger has three emails. */
async function sentCampaign(project: TestProject) {
  const { id } = await newDraft(project);
  const ledger = await newLedger(project, { recipients: 3, status: "SENT" });
  const path = `/campaigns/${publicId(ledger.id)}`;
  await project.db
    .prepare(
      "UPDATE campaigns SET id = ?1, status = 'SENT', sent_at = ?2 WHERE project_id = ?3 AND name = (SELECT name FROM campaigns WHERE project_id = ?3)",
    )
    .bind(ledger.id, nine, project.id)
    .run();
  expect((await project.api.get(`/campaigns/${id}`)).status).toBe(404);
  return { ledger, path };
}

async function setTimes({ db, id }: TestProject, emailId: unknown, times: Record<string, number>): Promise<void> {
  const sets = Object.entries(times).map(([column, at]) => `${column} = ${at}`);
  await db
    .prepare(`UPDATE emails SET ${sets.join(", ")} WHERE project_id = ? AND id = ?`)
    .bind(id, emailId)
    .run();
}

const nothing = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0, unsubscribed: 0 };

describe("GET /campaigns/{id}/timeline", () => {
  it("counts what happened in each hour, oldest first, and adds up to the statistics", async () => {
    const project = await newProject();
    const { ledger, path } = await sentCampaign(project);
    const [ada, bob, eve] = ledger.emailIds;
    await setTimes(project, ada, { sent_at: nine, delivered_at: nine + 1, opened_at: nine + 2 * hourMs - 1 });
    await setTimes(project, bob, { sent_at: nine + hourMs - 1, bounced_at: nine + hourMs });
    const later = nine + 24 * hourMs;
    await setTimes(project, eve, { sent_at: nine + 1, clicked_at: later, unsubscribed_at: later });
    const { status, body } = await project.api.get(`${path}/timeline`);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        { at: "2026-01-31T09:00:00.000Z", ...nothing, sent: 3, delivered: 1 },
        { at: "2026-01-31T10:00:00.000Z", ...nothing, opened: 1, bounced: 1 },
        { at: "2026-02-01T09:00:00.000Z", ...nothing, delivered: 1, clicked: 1, unsubscribed: 1 },
      ],
      hasMore: false,
    });
    const { sentCount, deliveredCount } = (await project.api.get(`${path}/stats`)).body;
    expect([sentCount, deliveredCount]).toEqual([3, 2]);
  });

  it("starts and ends with the dates", async () => {
    const project = await newProject();
    const { ledger, path } = await sentCampaign(project);
    for (const [index, id] of ledger.emailIds.entries())
      await setTimes(project, id, { sent_at: nine + index * hourMs });
    const hours = async (query: string) =>
      (await project.api.get(`${path}/timeline?${query}`)).body.data.map(({ at }: { at: string }) => at.slice(11, 13));
    expect(await hours("startDate=2026-01-31T10:30:00Z")).toEqual(["10", "11"]);
    expect(await hours("startDate=2026-01-31&endDate=2026-01-31T10:00:00Z")).toEqual(["09", "10"]);
    expect(await hours("endDate=2026-01-30")).toEqual([]);
    expectInvalid(await project.api.get(`${path}/timeline?startDate=soon`), "startDate", "invalid_string");
  });

  it("has at most 1,000 hours, of pages of any number", async () => {
    const project = await newProject();
    const { ledger, path } = await sentCampaign(project);
    await project.db
      .prepare(
        `INSERT INTO campaign_pages (project_id, campaign_id, first_id, last_id, part, recount_at, hours)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
          SELECT ?1, ?2, ${idSql("i")}, ${idSql("i")}, 'REST', NULL, json_object(CAST(1000 + i AS TEXT), json('[1,0,0,0,0,0,0]'), '5000', json('[1,0,0,0,0,0,0]')) FROM n`,
      )
      .bind(project.id, ledger.id)
      .run();
    const first = (await project.api.get(`${path}/timeline`)).body;
    expect(first).toMatchObject({ hasMore: true, data: { length: 1_000 } });
    const rest = (await project.api.get(`${path}/timeline?startDate=${new Date(2_001 * hourMs).toISOString()}`)).body;
    expect(rest).toMatchObject({ hasMore: false });
    const sent = [...first.data, ...rest.data].map((hour: { sent: number }) => hour.sent);
    expect(Math.max(...sent)).toBe(1_100);
  });

  it("is empty before the campaign is sent, and a 404 for other projects", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await newDraft(project);
    expect((await project.api.get(`/campaigns/${id}/timeline`)).body).toEqual({ data: [], hasMore: false });
    const details = { resource: "campaign", id };
    expectRefusal(await other.api.get(`/campaigns/${id}/timeline`), 404, "CAMPAIGN_NOT_FOUND", { details });
    expectInvalid(await project.api.get("/campaigns/nope/timeline"), "id", "invalid_string");
  });

  it("reads pages of the campaign alone, and no emails", async () => {
    const [world, project] = [new World(), await newProject()];
    const { ledger } = await sentCampaign(project);
    const { ctx } = await world.context(project);
    await campaignTimeline(ctx, ledger.id, {});
    const ours = world.statements.filter(({ sql }) => /hours/.test(sql) && sql.startsWith("SELECT"));
    await expectBounded(ours, [{ sql: /json_each\(page.hours\)/, step: /TEMP B-TREE FOR GROUP BY/ }]);
  });
});
