import { describe, expect, it, vi } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import type { BulkOperation } from "../../src/features/contacts/bulk/schema";
import { startBulk } from "../../src/features/contacts/bulk/start";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";

async function newContact(project: TestProject, name: string, fields: Record<string, unknown> = {}): Promise<string> {
  return (await project.api.post("/contacts", { email: `${name}@example.com`, ...fields })).body.id;
}

/** The contacts of a project, by the names they were made with. */
async function contacts(project: TestProject) {
  const { results } = await project.db
    .prepare("SELECT * FROM contacts WHERE project_id = ? ORDER BY email")
    .bind(project.id)
    .all<{
      email: string;
      subscribed: number;
      snoozed_until: number | null;
      opted_out_at: number | null;
      version: number;
    }>();
  return Object.fromEntries(
    results.map(({ email, subscribed, snoozed_until, opted_out_at, version }) => [
      email.split("@")[0],
      { subscribed: subscribed === 1, snoozed: snoozed_until, left: opted_out_at, version },
    ]),
  );
}

async function jobsOf(project: TestProject): Promise<unknown> {
  return project.db.prepare("SELECT count(*) AS n FROM jobs WHERE project_id = ?").bind(project.id).first("n");
}

/** Runs an operation with the queue of a world, and returns the job as a caller sees it. */
async function bulk(project: TestProject, operation: BulkOperation, contactIds: string[], world = new World()) {
  const { ctx } = await world.context(project);
  const jobId = await startBulk(ctx, operation, { contactIds: contactIds.map(readId) });
  await world.drain();
  return (await project.api.get(`/contacts/bulk/${publicId(jobId)}`)).body;
}

describe.each(["subscribe", "unsubscribe", "delete"])("POST /contacts/bulk-%s", (operation) => {
  const path = `/contacts/bulk-${operation}`;

  it("is done in the background", async () => {
    const project = await newProject();
    const id = await newContact(project, "ada", { subscribed: operation === "unsubscribe" });
    const started = await project.api.post(path, { contactIds: [id, id, nowhere] });
    expect([started.status, started.body]).toEqual([202, { jobId: expect.stringMatching(uuid), status: "queued" }]);
    const { jobId } = started.body;
    const done = await vi.waitFor(async () => {
      const answer = await project.api.get(`/contacts/bulk/${jobId}`);
      expect(answer.body.status).toBe("completed");
      return answer;
    }, 10_000);
    const errors = [{ contactId: nowhere, reason: "not_found" }];
    expect([done.status, done.body]).toEqual([
      200,
      {
        jobId,
        operation,
        status: "completed",
        progress: 100,
        totalRequested: 2,
        succeeded: 1,
        unchanged: 0,
        failed: 1,
        errors,
        createdAt: expect.stringMatching(isoTime),
        completedAt: expect.stringMatching(isoTime),
      },
    ]);
    expect((await project.api.get(`/jobs/${jobId}`)).body).toMatchObject({
      type: "contacts.bulk",
      status: "completed",
      result: { succeeded: 1, unchanged: 0, failed: 1 },
      errors,
    });
    expect((await project.api.get(`/contacts/${id}`)).status).toBe(operation === "delete" ? 404 : 200);
  });

  it("takes 1,000 contacts, and `ids` too", async () => {
    const project = await newProject();
    const many = Array.from({ length: 1_000 }, (_, n) => `c${n}`);
    for (const body of [{ contactIds: many }, { ids: ["a"] }, { contactIds: ["a", "a"], more: 1 }]) {
      expect((await project.api.post(path, body)).status).toBe(202);
    }
  });

  it.each<[what: string, body: unknown, field: string, code: string]>([
    ["no contacts", { contactIds: [] }, "contactIds", "too_small"],
    ["no field", {}, "contactIds", "required"],
    ["1,001 contacts", { contactIds: Array.from({ length: 1_001 }, () => "c") }, "contactIds", "too_big"],
    ["1,001 ids", { ids: Array.from({ length: 1_001 }, () => "c") }, "ids", "too_big"],
    ["two lists", { contactIds: ["a"], ids: ["b"] }, "ids", "custom"],
    ["what is no list", { contactIds: "c1" }, "contactIds", "invalid_type"],
    ["null", { contactIds: null }, "contactIds", "invalid_type"],
    ["a number among them", { contactIds: ["c1", 2] }, "contactIds.1", "invalid_type"],
    ["an id of 129 characters", { contactIds: ["x".repeat(129)] }, "contactIds.0", "too_big"],
    ["an id with U+0000", { contactIds: ["a\0"] }, "contactIds.0", "invalid_string"],
    ["a list alone", ["c1"], "", "invalid_type"],
  ])("refuses %s", async (_, body, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.post(path, body), field, code);
    expect(await jobsOf(project)).toBe(0);
  });

  it("refuses what is no JSON", async () => {
    const project = await newProject();
    expectRefusal(await project.api.post(path, "{"), 400, "BAD_REQUEST");
    expect(await jobsOf(project)).toBe(0);
  });
});

describe("GET /contacts/bulk/{jobId}", () => {
  it("is 404 for a job that is not there, another project's, or of another type", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { jobId } = (await other.api.post("/contacts/bulk-subscribe", { contactIds: ["a"] })).body;
    await project.db
      .prepare(
        "INSERT INTO jobs (id, project_id, type, status, errors, created_at) VALUES (?, ?, 'contacts.import', 'completed', '[]', 0)",
      )
      .bind(nowhere, project.id)
      .run();
    for (const id of ["nope", jobId, nowhere]) {
      expectRefusal(await project.api.get(`/contacts/bulk/${id}`), 404, "RESOURCE_NOT_FOUND", {
        details: { resource: "job", id },
      });
    }
  });
});

describe("a bulk operation", () => {
  it("subscribes: one event for each flip, and the end of a snooze", async () => {
    const project = await newProject();
    const world = new World();
    const ids = [
      await newContact(project, "in"),
      await newContact(project, "left", { subscribed: false }),
      await newContact(project, "snoozed", { subscribed: false }),
      await newContact(project, "suppressed", { subscribed: false }),
    ];
    await project.api.post("/suppressions", { email: "suppressed@example.com" });
    await project.db.prepare("UPDATE contacts SET snoozed_until = 9e15 WHERE id = ?").bind(ids[2]).run();
    const foreign = await newContact(await newProject(), "foreign", { subscribed: false });

    expect(await bulk(project, "subscribe", [...ids, foreign, nowhere], world)).toMatchObject({
      totalRequested: 6,
      succeeded: 3,
      unchanged: 1,
      failed: 2,
      errors: [
        { contactId: foreign, reason: "not_found" },
        { contactId: nowhere, reason: "not_found" },
      ],
    });
    const subscribed = { subscribed: true, snoozed: null, left: null };
    expect(await contacts(project)).toEqual({
      in: { ...subscribed, version: 1 },
      left: { ...subscribed, version: 2 },
      snoozed: { ...subscribed, version: 2 },
      suppressed: { ...subscribed, version: 2 },
    });
    expect(await eventCounts(project)).toEqual({ "contact.subscribed": 3 });

    expect(await bulk(project, "subscribe", ids)).toMatchObject({ succeeded: 0, unchanged: 4, failed: 0, errors: [] });
    expect(await eventCounts(project)).toEqual({ "contact.subscribed": 3 });
  });

  it("unsubscribes: who leaves has opted out, who was never subscribed has not", async () => {
    const project = await newProject();
    const world = new World();
    const ids = [
      await newContact(project, "in"),
      await newContact(project, "never"),
      await newContact(project, "snoozed", { subscribed: false }),
    ];
    await project.db.batch([
      project.db.prepare("UPDATE contacts SET subscribed = 0 WHERE id = ?").bind(ids[1]),
      project.db.prepare("UPDATE contacts SET snoozed_until = 9e15, opted_out_at = 1 WHERE id = ?").bind(ids[2]),
    ]);
    expect(await bulk(project, "unsubscribe", ids, world)).toMatchObject({ succeeded: 2, unchanged: 1, failed: 0 });
    expect(await contacts(project)).toEqual({
      in: { subscribed: false, snoozed: null, left: world.now, version: 2 },
      never: { subscribed: false, snoozed: null, left: null, version: 1 },
      snoozed: { subscribed: false, snoozed: null, left: world.now, version: 2 },
    });
    expect(await eventCounts(project)).toEqual({ "contact.unsubscribed": 1 });
  });

  it("deletes, and finds nobody the second time", async () => {
    const project = await newProject();
    const ids = [await newContact(project, "ada"), await newContact(project, "bob")];
    await newContact(project, "cyd");
    const foreign = await newContact(await newProject(), "foreign");
    expect(await bulk(project, "delete", [...ids, foreign])).toMatchObject({
      operation: "delete",
      status: "completed",
      succeeded: 2,
      unchanged: 0,
      failed: 1,
      errors: [{ contactId: foreign, reason: "not_found" }],
    });
    expect(Object.keys(await contacts(project))).toEqual(["cyd"]);
    expect(await bulk(project, "delete", ids)).toMatchObject({ succeeded: 0, failed: 2 });
  });

  it("tells of 1,000 ids that are none, each by its name", async () => {
    const project = await newProject();
    const ids = Array.from({ length: 1_000 }, (_, n) => `"${n}\u{1f389}\\`);
    for (const operation of ["subscribe", "delete"] as const) {
      const { errors, ...job } = await bulk(project, operation, ids);
      expect(job).toMatchObject({ totalRequested: 1_000, succeeded: 0, failed: 1_000, progress: 100 });
      expect(errors).toEqual(ids.map((contactId) => ({ contactId, reason: "not_found" })));
    }
  });
});
