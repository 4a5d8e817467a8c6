import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Notice } from "../../src/core/mail/notices/notice";
import { writeTag } from "../../src/core/mail/tag";
import { ticks } from "../../src/cron";
import { maxLive } from "../../src/features/contacts/fields/live";
import { addDomain } from "../../src/features/domains/add";
import { removeDomain } from "../../src/features/domains/remove";
import { takeReport } from "../../src/features/hooks/take-report";
import { createProject } from "../../src/features/projects/create";
import { control, databaseOf, shards } from "../support/database";
import { newCampaign } from "../support/ledger";
import { sendAs } from "../support/person";
import { admin, newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { newSegment } from "../support/segment";
import { emailIds, emailIn } from "../support/send-and-wait";
import { newWebhook } from "../support/webhook";
import { newWorkflow } from "../support/workflow";
import { World } from "../support/world";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The shard on which a project is put when D1 says these sizes. */
async function chosen(sizes: Record<string, number | "out">, projects: Record<string, number> = {}): Promise<string> {
  const { platform } = new World().process();
  await env.DB.prepare("DELETE FROM projects WHERE name = 'Weight'").run();
  for (const [shard, count] of Object.entries(projects)) {
    const ids = JSON.stringify(Array.from({ length: count }, () => crypto.randomUUID()));
    await env.DB.prepare(
      `INSERT INTO projects (id, name, locale, tracking, shard, address_key, deleted_at, created_at, updated_at)
        SELECT value, 'Weight', 'en', 'ENABLED', ?, '', 1, 0, 0 FROM json_each(?)`,
    )
      .bind(shard, ids)
      .run();
  }
  const all = async (shard: string) => {
    const size = sizes[shard];
    if (size === "out") throw new Error("The database does not answer");
    return { meta: { size_after: size } };
  };
  const sized = (shard: string) => ({ $client: { prepare: () => ({ all: () => all(shard) }) } });
  const databases = { databaseOf: sized as unknown as typeof platform.databaseOf };
  return (await createProject({ ...platform, ...databases }, { name: "New" })).project.shard;
}

describe("a new project", () => {
  it.each([
    [{ DB: 4_096, DB_01: 8_192 }, "DB"],
    [{ DB: 8_192, DB_01: 4_096 }, "DB_01"],
    [{ DB: 8_192, DB_01: "out" }, "DB"],
    [{ DB: "out", DB_01: 8_192 }, "DB_01"],
    [{ DB: 9_499_999_999, DB_01: "out" }, "DB"],
  ] as const)("is created on the smallest database that answers: %o", async (sizes, shard) => {
    expect(await chosen(sizes)).toBe(shard);
  });

  it("is refused where every database is 95 % full", async () => {
    await expect(chosen({ DB: 9_500_000_000, DB_01: 9_900_000_000 })).rejects.toThrow(
      "All databases are more than 95 % full",
    );
    await expect(chosen({ DB: 9_500_000_000, DB_01: "out" })).rejects.toThrow("there is no room for a new project");
  });

  it("is created on the one with fewer projects where both are of one size", async () => {
    const sizes = { DB: 4_096, DB_01: 4_096 };
    expect(await chosen(sizes, { DB: 1_000 })).toBe("DB_01");
    expect(await chosen(sizes, { DB_01: 1_000 })).toBe("DB");
  });

  it("goes by what D1 says of itself", async () => {
    // Rows are added until D1 says that the database is the larger one: a file may have room from what was deleted.
    const sizeOf = async (shard: string) => (await databaseOf(shard).prepare("SELECT 1").all()).meta.size_after;
    const letOutgrow = async (full: string, empty: string) => {
      const megabyte = JSON.stringify(Array.from({ length: 1_000 }, (_, n) => n));
      for (let project = 1; (await sizeOf(full)) <= (await sizeOf(empty)) + 1_000_000; project++)
        await databaseOf(full)
          .prepare("INSERT INTO suppressions SELECT ?1, value || hex(zeroblob(500)), 'manual', 0 FROM json_each(?2)")
          .bind(-project, megabyte)
          .run();
    };
    for (const [full, empty] of [
      ["DB", "DB_01"],
      ["DB_01", "DB"],
    ] as const) {
      await letOutgrow(full, empty);
      const { body } = await admin.post("/admin/projects", { name: "New" });
      const row = env.DB.prepare("SELECT shard FROM projects WHERE id = ?").bind(body.project.id);
      expect(await row.first("shard")).toBe(empty);
    }
  });

  it("has only its own database to itself: nothing of it is in another", async () => {
    const project = await newProject({}, "DB_01");
    await emailIn(project, emailIds(await project.api.send())[0] ?? "", "DELIVERED");
    const holds = async (table: string, shard: string) =>
      databaseOf(shard)
        .prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`)
        .bind(project.number)
        .first("n");
    for (const table of ["contacts", "emails", "email_contents", "events", "domains", "contact_fields"]) {
      expect([table, await holds(table, "DB")]).toEqual([table, 0]);
    }
    for (const table of ["api_keys", "verified_domains", "outbox_messages"]) {
      expect([table, await holds(table, "DB_01")]).toEqual([table, 0]);
      expect([table, await holds(table, "DB")]).not.toEqual([table, 0]);
    }
  });
});

/** Brings about that a sweep has something to do for a project. */
interface Due {
  given(project: TestProject): Promise<unknown>;
  /** Without it: a message of the project has been sent. */
  isDone?(project: TestProject, world: World): Promise<boolean>;
  /** It cannot do without the control database. */
  asksControl?: true;
  /** It asks no other one. */
  asksControlOnly?: true;
  settings?: World["settings"];
  lookUp?: World["lookUp"];
}

const run = (project: TestProject, statement: string) => project.db.prepare(statement).bind(project.id).run();
const none = async (project: TestProject, query: string) => (await run(project, query)).results.length === 0;
const orphanOf = (project: TestProject) => `content/${project.id}/orphan`;

const dueOf: Record<string, Due> = {
  dispatchStranded: {
    given: (project) =>
      run(
        project,
        `INSERT INTO events (id, project_id, name, contact_id, data, next_announce_at)
          VALUES ('${"e".repeat(22)}', ?, 'purchase', 'c', '{}', 1)`,
      ),
  },
  requeueStuck: {
    given: async (project) => {
      const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
      await sendAs(new World(), project, call);
      await run(project, "UPDATE emails SET due_at = 1 WHERE project_id = ?");
    },
    isDone: async (project, { account }) => account.ring.projects.has(project.number),
  },
  releaseHeld: {
    given: async (project) => {
      const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
      await sendAs(new World(), project, call);
      await run(project, "UPDATE emails SET next_attempt_at = NULL, due_at = NULL WHERE project_id = ?");
    },
    isDone: (project) => none(project, "SELECT 1 FROM emails WHERE project_id = ? AND due_at IS NULL"),
    asksControl: true,
  },
  lookUpUnknown: {
    given: async (project) => {
      const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
      await sendAs(new World(), project, call);
      await run(
        project,
        `UPDATE emails SET status = 'UNKNOWN', provider = 'double', round = 'call', uncertain_since = 1, look_up_at = 1,
          due_at = NULL WHERE project_id = ?`,
      );
    },
    isDone: (project) => none(project, "SELECT 1 FROM emails WHERE project_id = ? AND look_ups = 0"),
    lookUp: () => ({}),
    asksControl: true,
  },
  requeueLostJobs: {
    given: (project) =>
      run(
        project,
        `INSERT INTO jobs (id, project_id, type, status, errors, created_at, next_announce_at)
          VALUES ('${"j".repeat(22)}', ?, 'contacts.import', 'queued', '[]', 1, 1)`,
      ),
  },
  endSnoozes: {
    given: async (project) => {
      await project.api.post("/contacts", { email: "ada@example.com" });
      await run(project, "UPDATE contacts SET subscribed = 0, snoozed_until = 1 WHERE project_id = ?");
    },
    isDone: (project) => none(project, "SELECT 1 FROM contacts WHERE project_id = ? AND snoozed_until IS NOT NULL"),
  },
  checkDueDomains: { given: (project) => run(project, "UPDATE domains SET next_check_at = 1 WHERE project_id = ?") },
  repairDomainNames: {
    given: (project) =>
      control
        .prepare("INSERT INTO verified_domains VALUES ('idle.' || ?, ?, '')")
        .bind(project.domain, project.id)
        .run(),
    isDone: async ({ domain }) => {
      const name = env.DB.prepare("SELECT 1 FROM verified_domains WHERE domain = 'idle.' || ?").bind(domain);
      return (await name.first()) === null;
    },
    asksControl: true,
  },
  computeDueSegments: {
    given: async (project) => {
      await newSegment(project, { trackMembership: true });
      await run(project, "UPDATE segments SET next_compute_at = 1, computed_of = NULL WHERE project_id = ?");
    },
  },
  countDueSegments: {
    given: async (project) => {
      await newSegment(project);
      await run(project, "UPDATE segments SET next_count_at = 1, counted_of = NULL WHERE project_id = ?");
    },
  },
  forgetExpiredEffects: {
    given: (project) =>
      run(
        project,
        `INSERT INTO idempotency_effects (project_id, kind, key, request, hash, response, created_at, expires_at)
          VALUES (?, 'secret', 'k', 'r', 'h', '{}', 1, 1)`,
      ),
    isDone: (project) => none(project, "SELECT 1 FROM idempotency_effects WHERE project_id = ?"),
  },
  forgetOrphans: {
    given: (project) => env.BLOBS.put(orphanOf(project), "garbage"),
    isDone: async (project) => (await env.BLOBS.head(orphanOf(project))) === null,
    asksControl: true,
  },
  forgetEndedJobs: {
    given: (project) =>
      run(
        project,
        `INSERT INTO jobs (id, project_id, type, status, errors, created_at, completed_at)
          VALUES ('${"k".repeat(22)}', ?, 'contacts.import', 'completed', '[]', 1, 1)`,
      ),
    isDone: (project) => none(project, "SELECT 1 FROM jobs WHERE project_id = ?"),
  },
  forgetContents: {
    given: async (project) => {
      const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
      await sendAs(new World(), project, call);
      const long = `${"-".repeat(21)}1`;
      await run(project, `UPDATE emails SET id = '${long}', status = 'SENT', created_at = 1 WHERE project_id = ?`);
    },
    isDone: (project) => none(project, "SELECT 1 FROM emails WHERE project_id = ? AND NOT is_forgotten"),
  },
  forgetOldEvents: {
    settings: { EVENT_RETENTION_DAYS: "30" },
    given: async (project) => {
      await project.api.post("/events/track", { email: "ada@example.com", event: "purchase" });
      await run(project, `UPDATE events SET id = '${"-".repeat(21)}1' WHERE project_id = ?`);
    },
    isDone: (project) => none(project, "SELECT 1 FROM events WHERE project_id = ?"),
  },
  mailDueLinks: {
    given: () =>
      control
        .prepare(
          `INSERT INTO sign_in_links (id, kind, email, due_at, created_at, expires_at)
            VALUES (hex(randomblob(8)), 'mail', 'ada@example.com', 1, 1, 9e15)`,
        )
        .run(),
    asksControl: true,
    asksControlOnly: true,
  },
  forgetEndedSessions: {
    given: () =>
      control
        .prepare(
          `INSERT INTO sessions (id, hash, person_id, method, opened_by, created_at, seen_at, expires_at)
            SELECT v, v, 'p', 'link', v, 1, 1, 1 FROM (SELECT hex(randomblob(8)) AS v)`,
        )
        .run(),
    asksControl: true,
    asksControlOnly: true,
  },
  forgetSignInLinks: {
    given: () =>
      control
        .prepare(
          `INSERT INTO sign_in_links (id, kind, created_at, expires_at) VALUES (hex(randomblob(8)), 'console', 1, 1)`,
        )
        .run(),
    asksControl: true,
    asksControlOnly: true,
  },
  forgetUsedChallenges: {
    given: () => control.prepare("INSERT INTO used_challenges VALUES (hex(randomblob(8)), 1)").run(),
    asksControl: true,
    asksControlOnly: true,
  },
  forgetDeadLetters: {
    given: () => control.prepare("INSERT INTO dead_letters VALUES ('old', 'mail', '{}', 1)").run(),
    asksControl: true,
    asksControlOnly: true,
  },
  forgetDatabaseSizes: {
    given: () => control.prepare("INSERT INTO database_sizes VALUES ('DB', 1, 1) ON CONFLICT DO NOTHING").run(),
    asksControl: true,
    asksControlOnly: true,
  },
  forgetImportChanges: {
    given: (project) =>
      run(
        project,
        `INSERT INTO import_changes (project_id, job_id, contact_id, version, is_new, subscribed, source)
          VALUES (?, '${"-".repeat(21)}1', '${"c".repeat(22)}', 1, 1, 1, 'IMPORT')`,
      ),
    isDone: (project) => none(project, "SELECT 1 FROM import_changes WHERE project_id = ?"),
  },
  forgetAuditEntries: {
    given: (project) =>
      run(
        project,
        `INSERT INTO audit_entries (project_id, id, actor_kind, action, target_type, request_id, changes)
          VALUES (?, '${"-".repeat(21)}1', 'operator', 'updateWebhook', 'webhook', 'r', '[]')`,
      ),
    isDone: (project) =>
      none(project, `SELECT 1 FROM audit_entries WHERE project_id = ? AND id = '${"-".repeat(21)}1'`),
  },
  forgetBackups: {
    given: (project) =>
      control
        .prepare("INSERT INTO backups (id, project, rows, bytes, created_at) VALUES (hex(randomblob(11)), ?, 0, 0, 1)")
        .bind(project.id)
        .run(),
    asksControl: true,
    asksControlOnly: true,
  },
  startNightlyBackups: {
    settings: { NIGHTLY_BACKUPS: "true" },
    given: (project) => control.prepare("DELETE FROM backups WHERE project = ?").bind(project.id).run(),
    asksControl: true,
    asksControlOnly: true,
  },
  watchHealth: {
    given: () => control.prepare("DELETE FROM health_states").run(),
    asksControl: true,
    // A database that does not answer is what it tells of.
    asksControlOnly: true,
  },
  noteSizes: {
    given: () => control.prepare("DELETE FROM database_sizes").run(),
    isDone: async ({ number }) => {
      const noted = "SELECT 1 FROM database_sizes WHERE shard = (SELECT shard FROM projects WHERE number = ?)";
      return (await control.prepare(noted).bind(number).first()) !== null;
    },
    asksControl: true,
  },
  forgetOldMessages: {
    given: (project) =>
      control
        .prepare("INSERT INTO outbox_messages VALUES (?, '-', '-', 'a@b.test', NULL, 1)")
        .bind(project.number)
        .run(),
    asksControl: true,
    asksControlOnly: true,
  },
  forgetRounds: {
    given: (project) => run(project, `INSERT INTO rounds VALUES (?, '${"r".repeat(22)}', 'resend', '[]', 1)`),
    isDone: (project) => none(project, "SELECT 1 FROM rounds WHERE project_id = ?"),
  },
  queueDueCampaigns: {
    given: (project) =>
      run(project, `INSERT INTO campaign_runs (project_id, id, due_at) VALUES (?, '${"c".repeat(22)}', 1)`),
    isDone: async (project, { queue }) =>
      queue.some(({ queued: { message } }) => message.type === "campaigns.run" && message.projectId === project.number),
  },
  wakeAll: {
    given: (project) => project.api.post("/workflows", { name: "Any", eventName: "signup" }),
    isDone: async (project, { queue }) =>
      queue.some(
        ({ queued: { message } }) => message.type === "workflows.wake" && message.projectId === project.number,
      ),
  },
  queueDueCounts: {
    given: (project) => newCampaign(project, { recipients: 1 }),
    isDone: async (project, { queue }) =>
      queue.some(
        ({ queued: { message } }) => message.type === "campaigns.count" && message.projectId === project.number,
      ),
  },
  wakeOverdue: {
    given: (project) =>
      run(
        project,
        `INSERT INTO workflow_executions (project_id, workflow_id, id, contact_id, shard, status, wake_at, started_at,
          updated_at) VALUES (?, 'w', '${"x".repeat(22)}', 'c', 3, 'WAITING', 1, 1, 1)`,
      ),
  },
  queueDueTicks: {
    given: async (project) => {
      await newWorkflow(project, { eventName: null });
      await run(
        project,
        `UPDATE workflows SET trigger_type = 'SCHEDULE', trigger_config = '{"cron":"0 * * * *"}', next_tick_at = 1
          WHERE project_id = ?`,
      );
    },
  },
  queueDueDeliveries: {
    given: async (project) => {
      const { id } = await newWebhook(new World(), project);
      await run(
        project,
        `INSERT INTO webhook_deliveries (project_id, webhook_id, event_id, type, status, next_attempt_at, tries_until)
          SELECT project_id, id, '${"w".repeat(22)}', 'purchase', 'PENDING', 1, 1 FROM webhooks WHERE project_id = ?`,
      );
      await project.db.prepare("UPDATE webhooks SET due_at = 1 WHERE id = ?").bind(id).run();
    },
    // Its message is about all databases: one that does not answer keeps it from none of the others.
    isDone: async (project, world) => {
      const consumer = new World();
      consumer.now = world.now;
      consumer.outShard = world.outShard;
      consumer.queue = world.queue.filter(({ queued }) => queued.message.type === "webhooks.drain");
      await consumer.drain().catch(() => {});
      return none(project, "SELECT 1 FROM webhook_deliveries WHERE project_id = ? AND attempts = 0");
    },
    // The consumer does, to find the project.
    asksControl: true,
  },
  queueDueCalls: {
    given: (project) => run(project, "INSERT INTO workflow_hosts (project_id, host, due_at) VALUES (?, 'a.test', 1)"),
    isDone: async (project, world) => {
      const consumer = new World();
      consumer.now = world.now;
      consumer.outShard = world.outShard;
      consumer.queue = world.queue.filter(({ queued }) => queued.message.type === "workflows.call");
      await consumer.drain().catch(() => {});
      return none(project, "SELECT 1 FROM workflow_hosts WHERE project_id = ? AND due_at IS NOT NULL");
    },
    asksControl: true,
  },
  forgetOldCalls: {
    given: (project) =>
      run(
        project,
        `INSERT INTO workflow_calls (project_id, contact_id, effect_id, host, created_at, ended_at)
          VALUES (?, 'c', 'e', 'a.test', 0, 1)`,
      ),
    isDone: (project) => none(project, "SELECT 1 FROM workflow_calls WHERE project_id = ?"),
  },
  forgetIdleHosts: {
    given: (project) => run(project, "INSERT INTO workflow_hosts (project_id, host) VALUES (?, 'a.test')"),
    isDone: (project) => none(project, "SELECT 1 FROM workflow_hosts WHERE project_id = ?"),
  },
  forgetVersions: {
    given: (project) =>
      run(
        project,
        `INSERT INTO template_versions (project_id, id, template_id, number, subject, from_email, type, created_at, check_at)
          VALUES (?, 'v', 't', 1, '', '', 'MARKETING', 1, 1)`,
      ),
    isDone: (project) => none(project, "SELECT 1 FROM template_versions WHERE project_id = ?"),
  },
  purgeTrash: {
    given: (project) =>
      run(
        project,
        `INSERT INTO trash (project_id, type, id, name, content, deleted_at, purge_at)
          VALUES (?, 'segment', 's', 'Old', '{"segments":[{}]}', 1, 1)`,
      ),
    isDone: (project) => none(project, "SELECT 1 FROM trash WHERE project_id = ?"),
  },
  forgetWaitListeners: {
    given: (project) => run(project, "INSERT INTO event_listeners VALUES (?, 'old', 'workflow:wait:')"),
    isDone: (project) => none(project, "SELECT 1 FROM event_listeners WHERE project_id = ?"),
  },
  forgetOldDeliveries: {
    given: (project) =>
      run(
        project,
        `INSERT INTO webhook_deliveries (project_id, webhook_id, event_id, type, status, tries_until)
          VALUES (?, 'w', '${"-".repeat(21)}1', 'purchase', 'FAILED', 1)`,
      ),
    isDone: (project) => none(project, "SELECT 1 FROM webhook_deliveries WHERE project_id = ?"),
  },
  countStorage: {
    given: (project) =>
      control.prepare("UPDATE projects SET storage_due_at = 0 WHERE number = ?").bind(project.number).run(),
    isDone: async ({ number }) => {
      const storage = await control
        .prepare("SELECT storage FROM projects WHERE number = ?")
        .bind(number)
        .first("storage");
      return storage !== null;
    },
    asksControl: true,
  },
  emptyLeft: {
    given: async (project) => {
      await run(project, "INSERT INTO moves (project_id, job_id, stage) VALUES (?, 'job', 'fenced')");
      // The old rows are in this database.
      await control
        .prepare(
          `UPDATE projects SET move = json_object('jobId', 'job', 'from', shard, 'to', shard, 'stage', 'leaving', 'leavesAt', 1)
            WHERE number = ?`,
        )
        .bind(project.number)
        .run();
    },
    isDone: async ({ number }) =>
      (await control.prepare("SELECT move FROM projects WHERE number = ?").bind(number).first("move")) === null,
    asksControl: true,
  },
  countExecutions: {
    given: (project) => run(project, "INSERT INTO execution_counts (project_id, workflow_id) VALUES (?, 'w')"),
    isDone: (project) => none(project, "SELECT 1 FROM execution_counts WHERE project_id = ? AND counted_to < '~'"),
  },
  queueFieldCounts: {
    given: async (project) => {
      await project.api.post("/contacts", { email: "ada@example.com" });
      await project.db
        .prepare("UPDATE project_counts SET contacts = ? WHERE project_id = ?")
        .bind(maxLive + 1, project.id)
        .run();
    },
  },
};

describe("a database that fails", () => {
  const sweeps = Object.values(ticks).flatMap((tick) => Object.entries(tick));

  it("is tried with every sweep there is", () => {
    expect(Object.keys(dueOf).sort()).toEqual(sweeps.map(([name]) => name).sort());
  });

  it.each(
    sweeps.flatMap(([name, sweep]) =>
      shards
        .filter((out) => !dueOf[name]?.asksControlOnly && (out !== "DB" || !dueOf[name]?.asksControl))
        .map((out) => [name, out, sweep] as const),
    ),
  )("stops no sweep of the others, and has its own when it is back: %s without %s", async (name, out, sweep) => {
    const due = dueOf[name];
    const world = new World();
    world.now += 25 * hourMs;
    world.settings = due?.settings ?? {};
    world.lookUp = due?.lookUp ?? null;
    const there = await newProject(
      {},
      shards.find((shard) => shard !== out),
    );
    const away = await newProject({}, out);
    for (const project of [there, away]) await due?.given(project);
    const isDone = (project: TestProject) =>
      due?.isDone?.(project, world) ??
      world.queue.some(({ queued }) => JSON.stringify(queued).includes(`"projectId":${project.number},`));

    world.outShard = out;
    await expect(sweep(world.process().platform)).rejects.toThrow("does not answer");
    expect([await isDone(there), await isDone(away)]).toEqual([true, false]);

    world.outShard = null;
    await sweep(world.process().platform);
    expect(await isDone(away)).toBe(true);
    // Ids, and what it decides by: a row may hold what a call asked for, or a thousand errors.
    expect(world.statements.filter(({ sql }) => /(^\s*SELECT|\bRETURNING)\s+(\w+\.)?\*/.test(sql))).toEqual([]);
  });
});

describe("what is asked of all databases", () => {
  it("a report of a mail on the database that fails is refused, so that it comes again", async () => {
    const [project, world] = [await newProject({}, "DB_01"), new World()];
    const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
    await sendAs(world, project, call);
    await world.drain();
    const tag = writeTag({ projectId: project.id, emailId: world.taken[0]?.emailId ?? "" });
    const report: Notice = { tag, providerMessageId: null, report: { kind: "delivered" } };
    const statuses = async () => (await emailRows(project)).map(({ status }) => status);

    world.outShard = "DB_01";
    await expect(takeReport(world.process().platform, "double", report)).rejects.toThrow("does not answer");
    expect(await statuses()).toEqual(["SENT"]);
    world.outShard = null;
    await takeReport(world.process().platform, "double", report);
    expect(await statuses()).toEqual(["DELIVERED"]);
  });

  it("a domain stays at the provider while a database cannot be asked whether another project has it", async () => {
    const [mine, theirs] = [await newProject({}, "DB"), await newProject({}, "DB_01")];
    const world = new World();
    const { ctx } = await world.context(mine);
    const { id } = await addDomain(ctx, { domain: `d-${crypto.randomUUID().slice(0, 8)}.com` });
    world.outShard = "DB_01";
    await removeDomain(ctx, id);
    expect(world.removedDomains).toEqual([]);
    expect(world.logged).toEqual(["A removed domain is still known to the mail provider"]);
    expect((await theirs.api.get(`/domains/project/${theirs.id}`)).body).toHaveLength(1);
  });
});
