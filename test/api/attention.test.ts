import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newIdAt, publicId, readId } from "../../src/core/ids";
import { findAttention } from "../../src/features/attention/attention";
import { newCampaign } from "../support/campaign";
import { idSql } from "../support/counts";
import { expectBounded } from "../support/plan";
import { admin, call, newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { newWebhook } from "../support/webhook";
import { newWorkflow } from "../support/workflow";
import { World } from "../support/world";

const dayMs = 86_400_000;
const daysAgo = (days: number) => Date.now() - days * dayMs;

// biome-ignore lint/suspicious/noExplicitAny: as the answer has it
async function itemsOf(project: TestProject): Promise<any[]> {
  const { status, body } = await project.api.get("/attention");
  expect(status).toBe(200);
  return body.items;
}

async function codesOf(project: TestProject): Promise<string[]> {
  return (await itemsOf(project)).map(({ code }) => code);
}

/** A project that has sent, and that needs nothing. */
async function soundProject(): Promise<TestProject> {
  const project = await newProject();
  expect((await project.api.send()).status).toBe(200);
  expect(await codesOf(project)).toEqual([]);
  return project;
}

/** Follows the item's action, whose call exists and is for this project. */
async function follow(project: TestProject, { action }: { action: Record<string, string> }): Promise<void> {
  const { method = "", path = "", body } = action;
  const key = path.startsWith("/admin/") ? (env.ADMIN_TOKEN ?? "") : project.keys.secret;
  const answer = await call(method, path, body, { headers: { Authorization: `Bearer ${key}` } });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

const run = ({ db, id }: TestProject, statement: string, ...values: unknown[]) =>
  db
    .prepare(statement)
    .bind(id, ...values)
    .run();

describe("GET /attention shows", () => {
  it("a disabled project until it is enabled", async () => {
    const project = await soundProject();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    const [item] = await itemsOf(project);
    expect(item).toMatchObject({
      code: "project_disabled",
      severity: "act",
      target: { type: "project", id: project.id },
    });
    await follow(project, item);
    expect(await codesOf(project)).toEqual([]);
  });

  it("paused marketing mail until the pause is lifted", async () => {
    const project = await soundProject();
    const reason = "90 of the last 1000 emails bounced, more than 8 %.";
    await env.DB.prepare("UPDATE projects SET sending_paused_reason = ?, sending_paused_at = 1000 WHERE number = ?")
      .bind(reason, project.number)
      .run();
    await admin.patch(`/admin/projects/${project.id}`, { name: "Known anew" });
    const [item] = await itemsOf(project);
    expect(item).toMatchObject({
      ...{ code: "marketing_paused", severity: "act", since: "1970-01-01T00:00:01.000Z" },
      message: `Marketing email is paused. ${reason}`,
    });
    await follow(project, item);
    expect(await codesOf(project)).toEqual([]);
  });

  it("bounces and complaints that come near their limits, and no longer when more mail goes well", async () => {
    const project = await soundProject();
    const count = (mails: number) =>
      run(project, "UPDATE event_names SET mails = ?2 WHERE project_id = ?1 AND name = 'email.sent'", mails);
    await run(project, "INSERT INTO event_names VALUES (?1, 'email.sent', 1, 1, 1, 1, 1, 0, 0) ON CONFLICT DO NOTHING");
    await count(1_000);
    await run(project, "DELETE FROM sending_blocks WHERE project_id = ?");
    await run(project, "INSERT INTO sending_blocks VALUES (?, 1, 0, 1, 50, 2)");
    expect(await itemsOf(project)).toMatchObject([
      { code: "bounces_near_limit", severity: "warn", count: 50, action: { path: "/emails?status=BOUNCED" } },
      { code: "complaints_near_limit", severity: "warn", count: 2 },
    ]);
    await count(10_000);
    expect(await codesOf(project)).toEqual([]);
  });

  it("a monthly limit that is near or reached, until it is raised", async () => {
    const project = await soundProject();
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: 1 });
    const [reached] = await itemsOf(project);
    expect(reached).toMatchObject({ code: "month_limit_reached", severity: "act", count: 1 });
    await run(project, "UPDATE monthly_usage SET emails = 9 WHERE project_id = ?");
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: 10 });
    const [near] = await itemsOf(project);
    expect(near).toMatchObject({ code: "month_limit_near", severity: "warn", count: 9 });
    await follow(project, near);
    expect(await codesOf(project)).toEqual([]);
  });

  it("the first steps, one after the other", async () => {
    const project = await newProject();
    expect(await codesOf(project)).toEqual(["no_mail_yet"]);
    await run(project, "UPDATE domains SET status = 'PENDING' WHERE project_id = ?");
    expect(await itemsOf(project)).toMatchObject([
      { code: "no_verified_domain", severity: "act", target: null },
      { code: "domain_unverified", severity: "warn", target: { type: "domain", name: project.domain } },
    ]);
    await run(project, "UPDATE domains SET status = 'VERIFIED' WHERE project_id = ?");
    await project.api.send();
    expect(await codesOf(project)).toEqual([]);
  });

  it("a sender domain whose checks fail, until one passes", async () => {
    const project = await soundProject();
    await run(project, "UPDATE domains SET failing_since = 1000 WHERE project_id = ?");
    const [item] = await itemsOf(project);
    expect(item).toMatchObject({ code: "domain_failing", severity: "act", since: "1970-01-01T00:00:01.000Z" });
    await follow(project, item);
    expect(await codesOf(project)).toEqual([]);
  });

  it("a campaign that is held while it is SENDING, until it goes on", async () => {
    const project = await soundProject();
    const { id } = await newCampaign(project);
    const hold = "UPDATE campaigns SET status = 'SENDING', held_reason = ?3 WHERE project_id = ?1 AND id = ?2";
    await run(project, hold, readId(id), "paused");
    const [item] = await itemsOf(project);
    expect(item).toMatchObject({
      ...{ code: "campaign_held", severity: "act", message: "The campaign is held: paused." },
      target: { type: "campaign", id },
      action: { method: "POST", path: `/campaigns/${id}/resume` },
    });
    await run(project, hold, readId(id), null);
    expect(await codesOf(project)).toEqual([]);
  });

  it("emails that failed or are unknown, until they are old or settled", async () => {
    const project = await soundProject();
    const setStatus = (status: string) => run(project, "UPDATE emails SET status = ?2 WHERE project_id = ?1", status);
    await setStatus("FAILED");
    const [failed] = await itemsOf(project);
    expect(failed).toMatchObject({ code: "emails_failed", severity: "warn", count: 1, target: null });
    await follow(project, failed);
    await setStatus("UNKNOWN");
    expect(await codesOf(project)).toEqual(["emails_unknown"]);
    await run(project, "UPDATE emails SET id = ?2 WHERE project_id = ?1", newIdAt(daysAgo(8)));
    expect(await codesOf(project)).toEqual([]);
    await run(project, "UPDATE emails SET id = ?2 WHERE project_id = ?1", newIdAt(daysAgo(6)));
    await setStatus("DELIVERED");
    expect(await codesOf(project)).toEqual([]);
  });

  it("a webhook that fails or is disabled, until it is enabled", async () => {
    const [world, project] = [new World(), await soundProject()];
    const { id } = await newWebhook(world, project);
    await run(project, "UPDATE webhooks SET failing_since = 1000 WHERE project_id = ?");
    const [failing] = await itemsOf(project);
    expect(failing).toMatchObject({ code: "webhook_failing", severity: "warn", target: { type: "webhook", id } });
    await follow(project, failing);
    await run(
      project,
      "UPDATE webhooks SET disabled_at = 2000, disabled_reason = 'It failed for days' WHERE project_id = ?",
    );
    const [disabled] = await itemsOf(project);
    expect(disabled).toMatchObject({ code: "webhook_disabled", severity: "act", since: "1970-01-01T00:00:02.000Z" });
    await follow(project, disabled);
    expect(await codesOf(project)).not.toContain("webhook_disabled");
  });

  it("jobs that failed, by type, for a week", async () => {
    const project = await soundProject();
    await run(
      project,
      `INSERT INTO jobs (project_id, id, type, status, errors, created_at, completed_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)
        SELECT ?1, ${idSql("i")}, 'contacts.import', 'failed', '[]', ?2, ?2 FROM n`,
      daysAgo(6),
    );
    const [item] = await itemsOf(project);
    expect(item).toMatchObject({ code: "jobs_failed", severity: "warn", count: 3 });
    await follow(project, item);
    await run(project, "UPDATE jobs SET completed_at = ?2 WHERE project_id = ?1", daysAgo(8));
    expect(await codesOf(project)).toEqual([]);
  });

  it("an enabled workflow with issues, and one whose executions failed", async () => {
    const project = await soundProject();
    const workflow = await newWorkflow(project);
    const id = publicId(workflow.id);
    await run(
      project,
      'UPDATE workflows SET enabled = true, issues = \'[{"message":"It has no event name."}]\' WHERE project_id = ?',
    );
    const [item] = await itemsOf(project);
    expect(item).toMatchObject({
      ...{ code: "workflow_issues", severity: "warn", count: 1, target: { type: "workflow", id } },
      message: "The workflow is enabled, and has an issue: It has no event name.",
    });
    await follow(project, item);
    await run(project, "UPDATE workflows SET enabled = false WHERE project_id = ?");
    expect(await codesOf(project)).toEqual([]);
    await run(
      project,
      `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, started_at, updated_at)
        VALUES (?, ?, ?, 'c', 0, 'FAILED', 1, 1)`,
      ...[workflow.id, newIdAt(daysAgo(1))],
    );
    expect(await itemsOf(project)).toMatchObject([{ code: "workflow_failing", count: 1, target: { id } }]);
    await run(project, "UPDATE workflow_executions SET id = ?2 WHERE project_id = ?1", newIdAt(daysAgo(8)));
    expect(await codesOf(project)).toEqual([]);
  });

  it("a key that was never used, until it is revoked", async () => {
    const project = await soundProject();
    await env.DB.prepare("UPDATE api_keys SET created_at = ? WHERE project_id = ? AND kind = 'public'")
      .bind(daysAgo(31), project.number)
      .run();
    const [item] = await itemsOf(project);
    expect(item).toMatchObject({ code: "key_unused", severity: "info", target: { type: "key" } });
    await follow(project, item);
    expect(await codesOf(project)).toEqual([]);
  });
});

describe("GET /attention", () => {
  it("shows nothing of another project, and the most urgent first", async () => {
    const [project, other] = [await soundProject(), await soundProject()];
    await run(project, "UPDATE emails SET status = 'FAILED' WHERE project_id = ?");
    await run(project, "UPDATE domains SET failing_since = 1000 WHERE project_id = ?");
    await env.DB.prepare("UPDATE api_keys SET created_at = 1 WHERE project_id = ? AND kind = 'public'")
      .bind(project.number)
      .run();
    expect(await codesOf(project)).toEqual(["domain_failing", "emails_failed", "key_unused"]);
    expect(await codesOf(other)).toEqual([]);
    expectRefusal(await call("GET", "/attention"), 401, "INVALID_API_KEY");
  });

  it("reads no more because a project has more", async () => {
    const [world, project] = [new World(), await soundProject()];
    await newWorkflow(project);
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: 1_000 });
    const { ctx } = await world.context(project);
    await findAttention(ctx);
    expect(world.statements.length).toBeLessThan(15);
    await expectBounded(world.statements, [
      // A project has 1,000 workflows and 20 webhooks at most, and others are cut by a LIMIT.
      { sql: /FROM workflows w WHERE/, step: /\(project_id=\?\)$/ },
      { sql: /FROM workflows INDEXED BY ix_workflows_issues .* LIMIT/, step: /\(project_id=\?\)$/ },
      { sql: /FROM (webhooks|domains|api_keys|monthly_usage|sending_blocks|jobs|emails)/, step: /SEARCH|GROUP BY/ },
    ]);
  });
});
