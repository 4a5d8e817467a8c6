import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { callWith } from "../support/with-settings";

const dayMs = 86_400_000;

function move({ id }: TestProject, body: unknown) {
  return admin.post(`/admin/projects/${id}/clock`, body);
}

async function createdAt({ id }: TestProject): Promise<number> {
  return Date.parse((await admin.get(`/admin/projects/${id}`)).body.createdAt);
}

async function clockOf({ number }: TestProject): Promise<number | null> {
  return env.DB.prepare("SELECT clock_at FROM projects WHERE number = ?").bind(number).first("clock_at");
}

/** The Worker's own queue carries it out. */
async function ended(project: TestProject, jobId: string) {
  for (let look = 0; look < 200; look++) {
    const { status, body } = await project.api.get(`/jobs/${jobId}`);
    expect(status).toBe(200);
    if (body.status === "completed" || body.status === "failed") return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("The advance does not end");
}

describe("POST /admin/projects/{id}/clock", () => {
  it.each([
    ["a length", () => ({ advance: "7d" }), 7 * dayMs],
    ["a length in hours", () => ({ advance: "36h" }), 1.5 * dayMs],
    ["a length in minutes", () => ({ advance: "30m" }), dayMs / 48],
    ["a time", (start: number) => ({ now: new Date(start + dayMs).toISOString() }), dayMs],
    ["a time of another zone", (start: number) => ({ now: inZone(start + dayMs) }), dayMs],
  ])("moves the clock by %s: 202 and a job, for the project and for the operator", async (_, to, moved) => {
    const project = await newProject({ testClock: true });
    const start = await createdAt(project);
    const { status, body } = await move(project, to(start));
    expect(status, JSON.stringify(body)).toBe(202);
    expect(body).toEqual({ jobId: expect.any(String) });
    const job = await ended(project, body.jobId);
    expect(job).toMatchObject({ type: "project.advance", status: "completed", progress: 100, errors: [] });
    expect(job.result).toEqual({ instants: 0, now: new Date(start + moved).toISOString() });
    expect((await admin.get(`/admin/jobs/${body.jobId}`)).body).toEqual(job);
    const contact = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    expect(contact.createdAt).toBe(job.result.now);
  });

  it("begins at the real time, which then stands still", async () => {
    const project = await newProject({ testClock: true });
    const start = await createdAt(project);
    expect(Math.abs(start - Date.now())).toBeLessThan(60_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const contact = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    expect(contact.createdAt).toBe(new Date(start).toISOString());
  });

  it.each([
    ["neither of both", {}, "advance", "required"],
    ["both", { advance: "1d", now: "2100-01-01T00:00:00Z" }, "advance", "custom"],
    ["a length without a unit", { advance: "7" }, "advance", "invalid_string"],
    ["a length of another unit", { advance: "7y" }, "advance", "invalid_string"],
    ["a length that goes back", { advance: "-1d" }, "advance", "invalid_string"],
    ["a length of nothing", { advance: "0d" }, "advance", "invalid_string"],
    ["a length that is a number", { advance: 7 }, "advance", "invalid_type"],
    ["more than ten years", { advance: "4000d" }, "advance", "too_big"],
    ["a time that is none", { now: "tomorrow" }, "now", "invalid_string"],
    ["a time without a zone", { now: "2100-01-01T00:00:00" }, "now", "invalid_string"],
    ["a time that has passed", { now: "2020-01-01T00:00:00Z" }, "now", "too_small"],
  ])("refuses %s, and nothing moves", async (_, body, field, code) => {
    const project = await newProject({ testClock: true });
    expectInvalid(await move(project, body), field, code);
    expect(await clockOf(project)).toBeNull();
    const jobs = project.db.prepare("SELECT count(*) AS n FROM jobs WHERE project_id = ? AND type = 'project.advance'");
    expect(await jobs.bind(project.number).first("n")).toBe(0);
  });

  it("refuses to set a clock back that was moved", async () => {
    const project = await newProject({ testClock: true });
    const start = await createdAt(project);
    await ended(project, (await move(project, { advance: "2d" })).body.jobId);
    const refused = await move(project, { now: new Date(start + dayMs).toISOString() });
    expectInvalid(refused, "now", "too_small");
    expect(JSON.stringify(refused.body)).toContain(new Date(start + 2 * dayMs).toISOString());
  });

  it("is 409 for a project that lives by the real clock, and 404 for none", async () => {
    const project = await newProject();
    expectRefusal(await move(project, { advance: "1d" }), 409, "CONFLICT");
    expect(await clockOf(project)).toBeNull();
    const none = { ...project, id: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e" };
    expect((await move(none, { advance: "1d" })).status).toBe(404);
  });

  it("is 409 while the clock is being moved, and names the job", async () => {
    const project = await newProject({ testClock: true });
    await project.db
      .prepare(
        `INSERT INTO jobs (project_id, id, type, status, state, errors, created_at, next_announce_at)
          VALUES (?, '-AAAAAAAAAAAAAAAAAAAAA', 'project.advance', 'processing', '{}', '[]', 0, ?)`,
      )
      .bind(project.number, Date.now() + dayMs)
      .run();
    const refused = await move(project, { advance: "1d" });
    expectRefusal(refused, 409, "CONFLICT");
    expect(await clockOf(project)).toBeNull();
  });

  it("takes the operator's token alone", async () => {
    const project = await newProject({ testClock: true });
    const path = `/admin/projects/${project.id}/clock`;
    expect((await call("POST", path, { advance: "1d" }, bearer(project.keys.secret))).status).toBe(401);
    expect((await call("POST", path, { advance: "1d" })).status).toBe(401);
  });

  it("shows an advance to no other project", async () => {
    const [project, other] = [await newProject({ testClock: true }), await newProject({ testClock: true })];
    const { jobId } = (await move(project, { advance: "1d" })).body;
    expect((await other.api.get(`/jobs/${jobId}`)).status).toBe(404);
    await ended(project, jobId);
  });
});

describe("testClock", () => {
  it("cannot be changed later", async () => {
    const project = await newProject({ testClock: true });
    const refused = await admin.patch(`/admin/projects/${project.id}`, { testClock: false });
    expectRefusal(refused, 409, "CONFLICT", { details: { field: "testClock" } });
    const { status, body } = await admin.patch(`/admin/projects/${project.id}`, { testClock: true, name: "Still" });
    expect([status, body.testClock]).toEqual([200, true]);
  });
});

describe("the outbox with another provider", () => {
  const settings = { MAIL_PROVIDER: "postmark", POSTMARK_SERVER_TOKEN: "token", ENVIRONMENT: "production" };
  const token = env.ADMIN_TOKEN ?? "";

  it("is there for projects with a test clock, for the operator, and shows their mail alone", async () => {
    await env.DB.prepare("UPDATE projects SET test_clock = 0").run();
    expect((await callWith(settings, "GET", "/outbox/messages", { token })).status).toBe(404);
    const real = await newProject();
    const project = await newProject({ testClock: true });
    for (const each of [real, project]) await each.api.send({ to: "ada@example.com", subject: each.domain });
    for (let look = 0; look < 100; look++) {
      const { body } = await call("GET", "/outbox/messages?to=ada@example.com", undefined, bearer(token));
      if (body.data.length >= 2) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { status, body } = await callWith(settings, "GET", "/outbox/messages", { token });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data.map(({ subject }: { subject: string }) => subject)).toEqual([project.domain]);
    expect((await callWith(settings, "GET", "/outbox/messages")).status).toBe(401);
  });
});

function inZone(ms: number): string {
  return new Date(ms + 7_200_000).toISOString().replace("Z", "+02:00");
}
