import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { publicId } from "../../src/core/ids";
import { ticks } from "../../src/cron";
import { readNoted } from "../../src/db/moving-rows";
import { movedTables } from "../../src/db/project-tables";
import { lookUpUnknown } from "../../src/engine/mail/deliver/look-up-unknown";
import { forgetProjects as forgetKeys } from "../../src/engine/projects/cache";
import { handleMessage } from "../../src/queue";
import { newCampaign } from "../support/campaign";
import { moves } from "../support/move";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { newSegment } from "../support/segment";
import { newTemplate } from "../support/template";
import { statementsDuring } from "../support/tenant-check";
import { newTopic } from "../support/topic";
import { postFile } from "../support/upload";
import { ourOrigin, signedIn } from "../support/visitor";
import { newWebhook } from "../support/webhook";
import { newWorkflow } from "../support/workflow";
import { World } from "../support/world";

type Ask = (project: TestProject, world: World) => Promise<unknown>;

const sweeps = Object.assign({}, ...Object.values(ticks)) as (typeof ticks)[string];

const sweep =
  (name: string): Ask =>
  async (_, world) =>
    sweeps[name]?.(world.process().platform);

const newContact = async ({ api }: TestProject): Promise<string> =>
  (await api.post("/contacts", { email: "ada@example.com" })).body.id;

const deleteNewFile = async (project: TestProject) => project.api.delete(`/files/${(await postFile(project)).body.id}`);

const askForLink: Ask = () =>
  call("POST", "/console/session/link", { email: "ada@example.com" }, { headers: { Origin: ourOrigin } });

/** What the product does that asks for each index. A row of an index costs as much as one of a table. */
const asks: Record<string, Ask> = {
  ix_audit_entries_actor: ({ api }) => api.get("/audit?actor=operator"),
  ix_audit_entries_expiry: sweep("forgetAuditEntries"),
  ix_audit_entries_target: ({ id, api }) => api.get(`/audit?target=${id}`),
  ix_audience_references_referrer: async (project) => project.api.delete(`/segments/${(await newSegment(project)).id}`),
  ix_campaign_runs_due: sweep("queueDueCampaigns"),
  ix_campaigns_body: sweep("forgetVersions"),
  ix_campaigns_scheduled: ({ api }) => api.get("/activity/upcoming"),
  ix_campaign_pages_uncounted: sweep("queueDueCounts"),
  ix_campaigns_search: ({ api }) => api.get("/search?q=welcome"),
  ix_campaigns_status: ({ api }) => api.get("/campaigns?status=SENT"),
  ix_campaigns_template: async (project) => project.api.get(`/templates/${(await newTemplate(project)).id}/usage`),
  ix_campaigns_files: deleteNewFile,
  ix_campaigns_topic: async (project) => project.api.delete(`/topics/${(await newTopic(project)).id}`),
  ix_contacts_list: ({ api }) => api.get("/contacts?subscribed=true"),
  ix_contacts_snoozed: sweep("endSnoozes"),
  ix_domains_due: sweep("checkDueDomains"),
  ix_domains_name: async ({ id, api, db }) => {
    await db.prepare("UPDATE domains SET created_with = 'outbox' WHERE project_id = ?").bind(id).run();
    await api.delete(`/domains/${(await api.get(`/domains/project/${id}`)).body[0].id}`);
  },
  ix_email_contents_body: sweep("forgetVersions"),
  ix_email_contents_version: sweep("forgetVersions"),
  ix_emails_due: sweep("requeueStuck"),
  ix_emails_held: sweep("releaseHeld"),
  ix_emails_step: async (project) => {
    const { id } = await newWorkflow(project, { steps: { mail: ["SEND_EMAIL", {}] }, ways: [["TRIGGER", "mail"]] });
    return project.api.get(`/workflows/${publicId(id)}/stats`);
  },
  ix_emails_look_up: (_, world) => {
    world.lookUp = () => ({});
    return lookUpUnknown(world.process().platform);
  },
  ix_emails_unsent: ({ api }) => api.get("/attention"),
  ix_emails_failed_at: () => admin.get("/admin/metrics"),
  ix_domains_failing: () => admin.get("/admin/health"),
  ix_database_sizes_noted: sweep("forgetDatabaseSizes"),
  ux_monitor_keys_hash: () => call("GET", "/admin/metrics", undefined, bearer(`mk_${"0".repeat(64)}`)),
  ix_emails_scheduled: async ({ id, api }) =>
    api.delete(`/domains/${(await api.get(`/domains/project/${id}`)).body[0].id}`),
  ix_events_person: async (project) => project.api.get(`/events/contact/${await newContact(project)}`),
  ix_events_name: async (project) => project.api.get(`/events?name=purchase&contactId=${await newContact(project)}`),
  ix_events_waiting: sweep("dispatchStranded"),
  ix_idempotency_effects_expiry: sweep("forgetExpiredEffects"),
  ix_backups_project: ({ id }) => admin.get(`/admin/projects/${id}/backups`),
  ix_backups_expiry: sweep("forgetBackups"),
  ix_jobs_copies: ({ id }) => admin.get(`/admin/projects/${id}/backups`),
  ix_jobs_operator: async ({ id }) =>
    admin.get(`/admin/jobs/${(await admin.post(`/admin/projects/${id}/backup`, {})).body.jobId}`),
  ix_moved_keys_order: async (project, world) => moves(world, project),
  ux_moved_keys: async (project, world) => {
    const [topics] = movedTables("DB").filter(({ name }) => name === "topics");
    if (topics) await readNoted((await world.context(project)).ctx, topics, ['["none"]']);
  },
  ix_projects_move: sweep("emptyLeft"),
  ix_jobs_ended: sweep("forgetEndedJobs"),
  ix_jobs_failed: ({ api }) => api.get("/attention"),
  ix_jobs_list: ({ api }) => api.get("/jobs"),
  ix_jobs_errors: async (project) => project.api.delete(`/contacts/${await newContact(project)}`),
  ix_jobs_erasures: async ({ id }) =>
    admin.get(`/admin/jobs/${(await admin.delete(`/admin/projects/${id}`)).body.jobId}`),
  ix_jobs_preflights: async (project) => project.api.post(`/campaigns/${(await newCampaign(project)).id}/preflight`),
  ix_jobs_open: sweep("requeueLostJobs"),
  ix_outbox_messages_id: () => call("GET", "/outbox/messages"),
  ix_outbox_messages_to: () => call("GET", "/outbox/messages?to=ada@example.com"),
  ix_passkeys_person: async () => {
    const { body } = await admin.post("/admin/people", { email: "eve@example.com" });
    return admin.delete(`/admin/people/${body.id}`);
  },
  ix_people_owners: async (project) => {
    const editor = await signedIn({ project, as: { role: "editor", maySend: false } });
    return editor.call("POST", "/v1/send", {}, project);
  },
  ix_rounds_handed: sweep("forgetRounds"),
  ix_sessions_expiry: sweep("forgetEndedSessions"),
  ix_sessions_person: async () => (await signedIn("owner")).call("GET", "/console/sessions"),
  ix_sign_in_links_browser: () => {
    const headers = { Origin: ourOrigin, Cookie: `__Host-petrel-asked=${"0".repeat(64)}` };
    return call("POST", "/console/session/code", { code: "AAAA-AAAA" }, { headers });
  },
  ix_sign_in_links_due: sweep("mailDueLinks"),
  ix_sign_in_links_email: askForLink,
  ix_sign_in_links_expiry: sweep("forgetSignInLinks"),
  ix_sign_in_links_invitations: () => admin.post("/admin/people", { email: "ada@example.com" }),
  ix_sign_in_links_network: askForLink,
  ix_segment_members_contact: async (project) => project.api.get(`/contacts/${await newContact(project)}/export`),
  ix_execution_counts_due: sweep("countExecutions"),
  ix_projects_storage: sweep("countStorage"),
  ix_segments_uncomputed: sweep("computeDueSegments"),
  ix_segments_uncounted: sweep("countDueSegments"),
  ix_template_versions_body: sweep("forgetVersions"),
  ix_template_versions_check: sweep("forgetVersions"),
  ix_templates_search: ({ api }) => api.get("/templates?search=welcome"),
  ix_import_changes_contact: async (project) => project.api.delete(`/contacts/${await newContact(project)}`),
  ix_import_changes_expiry: sweep("forgetImportChanges"),
  ix_template_versions_files: deleteNewFile,
  ix_templates_topic: async (project) => project.api.delete(`/topics/${(await newTopic(project)).id}`),
  ix_templates_updated: ({ api }) => api.get("/templates"),
  ix_trash_body: sweep("forgetVersions"),
  ix_trash_list: ({ api }) => api.get("/trash"),
  ix_trash_purge: sweep("purgeTrash"),
  ix_trash_type: ({ api }) => api.get("/trash?type=template"),
  ix_verified_domains_project: async ({ id }, world) => {
    await admin.delete(`/admin/projects/${id}`);
    await world.pass(6);
  },
  ix_used_challenges_expiry: sweep("forgetUsedChallenges"),
  ix_webhook_deliveries_due: async (project, world) => {
    const { id } = await newWebhook(world, project);
    await project.db.prepare("UPDATE webhooks SET due_at = 1 WHERE id = ?").bind(id).run();
    await handleMessage(world.process().platform, { type: "webhooks.drain" });
  },
  ix_webhook_deliveries_expiry: sweep("forgetOldDeliveries"),
  ix_webhooks_due: sweep("queueDueDeliveries"),
  ix_workflow_executions_awaits: async (project, world) => {
    await project.db.prepare("INSERT INTO event_listeners VALUES (?, 'old', 'workflow:wait:')").bind(project.id).run();
    await sweep("forgetWaitListeners")(project, world);
  },
  ix_workflow_executions_contact: async (project) => project.api.delete(`/contacts/${await newContact(project)}`),
  ix_workflow_executions_wake: ({ api }) => api.get("/activity/upcoming"),
  ix_workflows_issues: ({ api }) => api.get("/attention"),
  ix_workflows_search: ({ api }) => api.get("/search?q=welcome"),
  ix_workflow_executions_status: async (project) => {
    const { id } = await newWorkflow(project);
    await project.api.get(`/workflows/${publicId(id)}/executions?status=WAITING`);
  },
  ix_workflow_calls_due: async ({ db, id, number }, world) => {
    await db
      .prepare("INSERT INTO workflow_hosts (project_id, host, due_at) VALUES (?, 'a.test', 1)")
      .bind(number)
      .run();
    await handleMessage(world.process().platform, { type: "workflows.call" });
    await db.prepare("DELETE FROM workflow_hosts WHERE project_id = ?").bind(id).run();
  },
  ix_workflow_calls_ended: sweep("forgetOldCalls"),
  ix_workflow_hosts_due: sweep("queueDueCalls"),
  ix_workflow_steps_template: async (project) => project.api.delete(`/templates/${(await newTemplate(project)).id}`),
  ix_workflows_tick: sweep("queueDueTicks"),
  ux_api_keys_hash: async ({ api }) => {
    forgetKeys();
    await api.get("/contacts");
  },
  ux_contacts_email: ({ api }) => api.post("/contacts/lookup", { emails: ["ada@example.com"] }),
  ux_domains_domain: ({ api }) => api.send(),
  ux_emails_contact: async (project) => project.api.get(`/emails?contactId=${await newContact(project)}`),
  ux_memberships_project: async (project) => {
    const editor = await signedIn({ project, as: { role: "editor", maySend: false } });
    return editor.call("POST", "/v1/send", {}, project);
  },
  ux_people_email: askForLink,
  ux_sessions_hash: async () => (await signedIn("owner")).call("GET", "/console/me"),
  ux_sign_in_links_hash: () => call("GET", `/console/session/link/${"0".repeat(64)}`),
  ux_projects_id: ({ id }) => admin.get(`/admin/projects/${id}`),
  ux_segments_slug: (project) => newSegment(project),
  ux_topics_slug: (project) => newTopic(project),
};

/** Of features that are to come: docs/decisions/0001-tables.md says what asks for them. */
const ofFeaturesToCome = /^(ux_emails_effect)$/;
/** No statement looks a session up by what opened it: the index refuses a second one. */
const onlyRefuses = "ux_sessions_opened_by";

async function indexes(): Promise<string[]> {
  const query = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL";
  const { results } = await env.DB.prepare(query).all<{ name: string }>();
  return results.map(({ name }) => name).filter((name) => name !== onlyRefuses && !ofFeaturesToCome.test(name));
}

async function plan(statement: string): Promise<string> {
  const numbers = [...statement.matchAll(/\?(\d*)/g)].map(([, number], index) => Number(number || index + 1));
  const values = Array(Math.max(0, ...numbers)).fill(null);
  const explain = env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`).bind(...values);
  return JSON.stringify((await explain.all()).results);
}

describe("an index", () => {
  it("is in the list below", async () => {
    expect((await indexes()).sort()).toEqual(Object.keys(asks).sort());
  });

  it.each(Object.entries(asks))("is asked for by the product: %s", async (index, ask) => {
    const [project, world] = [await newProject(), new World()];
    const statements = await statementsDuring(() => ask(project, world));
    const plans = await Promise.all(statements.map(plan));
    expect(
      plans.some((each) => each.includes(index)),
      statements.join("\n"),
    ).toBe(true);
  });
});
