import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { wholeApp } from "../../src/app";
import { asId, newId, publicId } from "../../src/core/ids";
import { listAudit } from "../../src/features/audit/list";
import { auditedCampaign } from "../../src/features/campaigns/audited";
import { ReplaceCampaign } from "../../src/features/campaigns/schema";
import { auditedPerson } from "../../src/features/people/audited";
import { UpdatePerson } from "../../src/features/people/schema";
import { auditedProject } from "../../src/features/projects/audited";
import { UpdateProject } from "../../src/features/projects/schema";
import { auditedSegment } from "../../src/features/segments/audited";
import { UpdateSegment } from "../../src/features/segments/schema";
import { auditedTemplate } from "../../src/features/templates/audited";
import { UpdateTemplate } from "../../src/features/templates/schema";
import { auditedWebhook } from "../../src/features/webhooks/audited";
import { UpdateWebhook } from "../../src/features/webhooks/schema";
import { auditedWorkflow } from "../../src/features/workflows/audited";
import { UpdateWorkflow } from "../../src/features/workflows/schema";
import { operationAt, type PlacedOperation } from "../../src/http/routes";
import { newCampaign } from "../support/campaign";
import { idSql } from "../support/counts";
import { databaseOf, shards } from "../support/database";
import { operations as doors, keyFor } from "../support/doors";
import { expectBounded } from "../support/plan";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { signedIn } from "../support/visitor";
import { World } from "../support/world";

const url = "https://hooks.example.com/petrel";

interface Entry {
  action: string;
  target: { name: string };
}

interface StoredEntry {
  project_id: number;
  action: string;
  actor_kind: string;
  target_type: string;
  changes: string;
}

/** The entries of a call, in whatever database, as they are stored. */
async function entriesOf(requestId: string): Promise<StoredEntry[]> {
  const query = "SELECT * FROM audit_entries WHERE request_id = ?";
  const found = shards.map((shard) => databaseOf(shard).prepare(query).bind(requestId).all<StoredEntry>());
  return (await Promise.all(found)).flatMap(({ results }) => results);
}

async function allStored(): Promise<string> {
  const found = shards.map((shard) => databaseOf(shard).prepare("SELECT * FROM audit_entries").all());
  return JSON.stringify((await Promise.all(found)).map(({ results }) => results));
}

async function newHook({ api }: TestProject): Promise<string> {
  return (await api.post("/webhooks", { url, events: ["*"], description: "CRM" })).body.id;
}

const listed = async ({ api }: TestProject, query = "") => (await api.get(`/audit?${query}`)).body;

describe("GET /audit", () => {
  it("tells what a key changed: each field with its value before and after", async () => {
    const project = await newProject();
    const id = await newHook(project);
    const headers = {
      "X-Request-ID": "change-7",
      "CF-Connecting-IP": "203.0.113.7",
      ...bearer(project.keys.secret).headers,
    };
    await call("PATCH", `/webhooks/${id}`, { events: ["signup"], disabled: true }, { headers });
    const { data } = await listed(project, `target=${id}`);
    const { key } = (await project.api.get("/me")).body;
    expect(data).toEqual([
      {
        id: expect.stringMatching(uuid),
        at: expect.stringMatching(isoTime),
        actor: { kind: "key", id: key.id, name: key.name ?? key.prefix },
        action: "updateWebhook",
        target: { type: "webhook", id, name: url },
        changes: [
          { field: "events", from: ["*"], to: ["signup"] },
          { field: "disabled", from: false, to: true },
        ],
        ip: "203.0.113.7",
        requestId: "change-7",
      },
      expect.objectContaining({
        action: "createWebhook",
        changes: [
          { field: "url", from: null, to: url },
          { field: "events", from: null, to: ["*"] },
          { field: "description", from: null, to: "CRM" },
          { field: "disabled", from: null, to: false },
          { field: "secret" },
        ],
      }),
    ]);
  });

  it("tells who signed in, and keeps what was deleted by its name", async () => {
    const project = await newProject();
    const id = await newHook(project);
    const visitor = await signedIn({ project, as: { role: "admin" } });
    await visitor.call("DELETE", `/webhooks/${id}`, undefined, project);
    const { data } = (await visitor.call("GET", `/audit?actor=${publicId(asId(visitor.personId))}`, undefined, project))
      .body;
    expect(data).toEqual([
      expect.objectContaining({
        actor: { kind: "person", id: publicId(asId(visitor.personId)), name: visitor.email },
        action: "deleteWebhook",
        target: { type: "webhook", id, name: url },
        changes: expect.arrayContaining([{ field: "url", from: url, to: null }]),
      }),
    ]);
  });

  it("says of a secret only that it changed", async () => {
    const project = await newProject();
    const id = await newHook(project);
    const { secret } = (await project.api.post(`/webhooks/${id}/rotate-secret`)).body;
    const { data } = await listed(project, "action=rotateWebhookSecret");
    expect(data.map(({ changes }: { changes: unknown }) => changes)).toEqual([[{ field: "secret" }]]);
    const { secret: sealed } =
      (await project.db.prepare("SELECT secret FROM webhooks WHERE id = ?").bind(id).first()) ?? {};
    const stored = await allStored();
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(String(sealed));
  });

  it("has no body, no config of a step, and no key", async () => {
    const project = await newProject();
    const { id } = await newCampaign(project, { body: "<p>marked-1</p>" });
    await call("PUT", `/campaigns/${id}`, { subject: "Sale", body: "<p>marked-2</p>" }, bearer(project.keys.secret));
    const step = {
      type: "WEBHOOK",
      key: "call",
      config: { url: "https://a.example", headers: { Authorization: "marked-3" } },
    };
    const transitions = [{ from: "trigger", to: "call" }];
    const workflow = { name: "Welcome", eventName: "signup", steps: [step], transitions };
    expect((await project.api.post("/workflows", workflow)).status).toBe(201);
    const { body: key } = await admin.post(`/admin/projects/${project.id}/keys`, { kind: "secret", name: "CI" });
    const { data } = await listed(project, "limit=4");
    expect(data.map(({ action, target }: Entry) => [action, target.name])).toEqual([
      ["addKey", "CI"],
      ["createWorkflow", "Welcome"],
      ["replaceCampaign", "March"],
      ["createCampaign", "March"],
    ]);
    expect(data[0].actor).toEqual({ kind: "operator", id: null, name: null });
    expect(data[1].changes).toEqual(expect.arrayContaining([{ field: "steps" }, { field: "transitions" }]));
    expect(data[2].changes).toEqual([
      { field: "subject", from: "News for {{ firstName }}", to: "Sale" },
      { field: "body" },
    ]);
    const stored = await allStored();
    expect(stored).not.toContain("marked-");
    expect(stored).not.toContain(key.key);
  });

  it("reads no more because a project has more", async () => {
    const [world, project] = [new World(), await newProject()];
    const { ctx } = await world.context(project);
    const log = { databases: [ctx.db], project: project.number };
    for (const filters of [{}, { action: "addKey" }, { actor: "operator" }, { target: project.id }]) {
      await listAudit(ctx, log, filters, { limit: 1 });
    }
    // A window has 10,000 entries at most.
    const step = /^SEARCH audit_entries USING PRIMARY KEY \(project_id=\?\)$/;
    await expectBounded(world.statements, [{ sql: /FROM audit_entries WHERE .* LIMIT \?/, step }]);
  });

  it("has no entry of a call that changed nothing, nor of one that was refused", async () => {
    const project = await newProject();
    const id = await newHook(project);
    const { total } = await listed(project);
    await project.api.patch(`/webhooks/${id}`, { events: ["*"], description: "CRM" });
    expectRefusal(
      await project.api.patch(`/webhooks/${publicId(asId("-".repeat(22)))}`, { disabled: true }),
      404,
      "RESOURCE_NOT_FOUND",
      {
        details: expect.anything(),
      },
    );
    expectInvalid(await project.api.patch(`/webhooks/${id}`, { url: 7 }), "url", "invalid_type");
    await project.db
      .prepare(
        `INSERT INTO webhooks (project_id, id, url, events, secret, updated_at)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
          SELECT ?, ${idSql("i")}, 'https://a.example', '[]', '', 0 FROM n`,
      )
      .bind(project.number)
      .run();
    expect((await project.api.post("/webhooks", { url, events: ["*"] })).status).toBe(409);
    expect(await listed(project)).toMatchObject({ total });
  });

  it("has the entries of the project, and of no other", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const id = await newHook(project);
    expect(await listed(other, `target=${id}`)).toMatchObject({ data: [], total: 0 });
    const theirs = (await listed(other)).data.map((entry: { id: string }) => entry.id);
    const ours = (await listed(project)).data.map((entry: { id: string }) => entry.id);
    expect(ours.filter((one: string) => theirs.includes(one))).toEqual([]);
  });

  it("lists each entry once, page by page, from the project's database and from the control database", async () => {
    const project = await newProject();
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)";
    for (const [index, db] of [project.db, env.DB].entries()) {
      await db
        .prepare(
          `INSERT INTO audit_entries (project_id, id, actor_kind, action, target_type, request_id, changes)
            ${numbers} SELECT ?, ${idSql(`2 * i + ${index}`)}, 'operator', iif(i % 2, 'odd', 'even'), 'project', 'r', '[]' FROM n`,
        )
        .bind(project.number)
        .run();
    }
    const ids: string[] = [];
    let cursor = "";
    do {
      const page = await listed(project, `actor=operator&limit=5&cursor=${encodeURIComponent(cursor)}`);
      ids.push(...page.data.map((entry: { id: string }) => entry.id));
      cursor = page.cursor;
    } while (cursor !== "");
    expect(ids).toHaveLength(24);
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
    expect(await listed(project, "actor=operator&action=even")).toMatchObject({ total: 12 });
  });

  it("filters by dates", async () => {
    const project = await newProject();
    await newHook(project);
    const day = new Date().toISOString().slice(0, 10);
    expect((await listed(project, `startDate=${day}&action=createWebhook`)).total).toBe(1);
    expect((await listed(project, "endDate=2020-01-01")).total).toBe(0);
    expectInvalid(await project.api.get("/audit?startDate=soon"), "startDate", "invalid_string");
  });
});

describe("GET /admin/audit", () => {
  it("is the operator's and the owners', and has nothing of projects", async () => {
    const project = await newProject();
    const id = await newHook(project);
    expect((await admin.get(`/admin/audit?target=${id}`)).body).toMatchObject({ data: [], total: 0 });
    const visitor = await signedIn({ project, as: { role: "admin" } });
    expect((await visitor.call("GET", "/admin/audit")).body.error.code).toBe("ROLE_TOO_LOW");
  });
});

const routes = (await wholeApp()).routes.flatMap((route) => operationAt(route) ?? []);
const areas = /^\/(admin|webhooks|domains|campaigns|workflows|trash)(\/|$)/;

/** Calls of these areas whose changes the log does not show, and why. By a person or the operator, the call is an entry. */
const leftOut: Record<string, string> = {
  beginBackupUpload: "changes no project: only the restore does",
  uploadBackupFile: "changes no project: only the restore does",
  testCampaign: "mails one address, and changes nothing of the campaign",
  startWorkflowExecution: "is about one contact",
  cancelWorkflowExecution: "is about one contact",
  cancelAllWorkflowExecutions: "ends executions, and changes nothing of the workflow",
  testWebhook: "makes one call, and changes nothing of the webhook",
  retryWebhookDelivery: "makes one call, and changes nothing of the webhook",
};

/** Calls that a person or the operator makes, and of which the log shows no change. */
const noted = routes.filter(
  ({ isAudited, isRead, key }) => !isAudited && !isRead && (key === "secret" || key === "operator"),
);

describe("the audit log", () => {
  it("has every call that changes settings, keys, people, domains, webhooks, campaigns, workflows and the trash", () => {
    const writing = routes.filter(({ isRead, path }) => !isRead && areas.test(path));
    expect(
      writing
        .filter(({ isAudited }) => !isAudited)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(Object.keys(leftOut).toSorted());
  });

  const [id, owner] = [newId(), { project: { number: 1 } }];
  it.each([
    ["a project", UpdateProject, auditedProject("p"), {}],
    ["a person", UpdatePerson, auditedPerson(id), {}],
    ["a webhook", UpdateWebhook, auditedWebhook(owner, id), {}],
    ["a campaign", ReplaceCampaign, auditedCampaign(owner, id), {}],
    ["a workflow", UpdateWorkflow, auditedWorkflow(owner, id), { eventName: "triggerConfig" }],
    ["a template", UpdateTemplate, auditedTemplate(owner, id), {}],
    ["a segment", UpdateSegment, auditedSegment(owner, id), {}],
  ] as const)("shows every field of %s that a call can change", (_, { shape }, { fields, hidden }, otherNames) => {
    const names: Record<string, string> = otherNames;
    const shown = Object.keys({ ...fields, ...hidden });
    expect(Object.keys(shape).filter((field) => !shown.includes(names[field] ?? field))).toEqual([]);
  });

  it.each(routes.filter(({ isAudited }) => isAudited).map((route) => [route.id, route] as const))(
    "has one entry of %s, with what it changed",
    async (id, { method, path, key }: PlacedOperation) => {
      const door = doors[id];
      if (door === undefined) throw new Error("No door of test/support/doors.ts knows how to call it");
      const project = await newProject(door.project);
      const { params = {}, body, headers } = await door.knock(project);
      const requestId = crypto.randomUUID();
      const token = keyFor(project, [key === "operator" ? { operatorToken: [] } : { secretKey: [] }]) ?? "";
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
      const answer = await call(method.toUpperCase(), filled, body, {
        // A person calls with their session alone.
        headers: { "X-Request-ID": requestId, ...(key === "person" ? {} : bearer(token).headers), ...headers },
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(door.good);
      const entries = await entriesOf(requestId);
      expect(entries.map(({ changes }) => JSON.parse(changes))).toEqual([
        expect.arrayContaining([expect.objectContaining({ field: expect.any(String) })]),
      ]);
      // No stored id leaves as it is stored.
      const log = entries[0]?.project_id === 0 ? await admin.get("/admin/audit") : await project.api.get("/audit");
      const [shown] = log.body.data.filter((entry: { requestId: string }) => entry.requestId === requestId);
      expect(JSON.stringify(shown)).not.toMatch(/"\$(id|time)"/);
    },
  );

  it.each(noted.map((route) => [route.id, route] as const))(
    "has one entry of %s, as a whole, when a person or the operator calls it",
    async (id, { method, path, key }: PlacedOperation) => {
      const door = doors[id];
      if (door === undefined) throw new Error("No door of test/support/doors.ts knows how to call it");
      const project = await newProject(door.project);
      const visitor = await signedIn("owner");
      const { params = {}, query = "", body, headers } = await door.knock(project);
      const requestId = crypto.randomUUID();
      const caller =
        key === "operator" ? bearer(keyFor(project, [{ operatorToken: [] }]) ?? "").headers : visitor.headers(project);
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
      const answer = await call(method.toUpperCase(), filled + query, body, {
        headers: { ...headers, ...caller, "X-Request-ID": requestId },
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(door.good);
      const entries = await entriesOf(requestId);
      expect(entries).toEqual([
        expect.objectContaining({
          ...{ project_id: key === "operator" ? 0 : project.number, changes: "[]", action: id },
          actor_kind: key === "operator" ? "operator" : "person",
          target_type: expect.stringMatching(/^[a-z]+$/),
        }),
      ]);
    },
  );
});
