import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { cancelEmail } from "../../src/features/emails/cancel";
import { retryEmail } from "../../src/features/emails/retry";
import { sendAs } from "../support/person";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { newTemplate } from "../support/template";
import { World } from "../support/world";

const hourMs = 3_600_000;

/** Sends mail of an hour from now. */
async function schedule(world: World, project: TestProject, fields: Record<string, unknown> = {}): Promise<string> {
  const sound = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hello", body: "<p>Hello</p>" };
  const scheduledAt = new Date(world.now + hourMs).toISOString();
  const [id = ""] = await sendAs(world, project, { ...sound, scheduledAt, ...fields });
  return id;
}

const usage = (project: TestProject) =>
  project.db
    .prepare("SELECT sum(emails) AS emails FROM monthly_usage WHERE project_id = ?")
    .bind(project.id)
    .first("emails");

describe("scheduled mail", () => {
  it("goes out at its time, not before, dated by it", async () => {
    const [project, world] = [await newProject(), new World()];
    const due = world.now + hourMs;
    await schedule(world, project);
    expect(world.queue).toEqual([]);
    await world.pass(59);
    expect(world.taken).toEqual([]);
    expect(await emailRows(project)).toMatchObject([{ status: "QUEUED", attempts: 0 }]);
    await world.pass(1);
    expect(world.taken.map(({ date }) => date.getTime())).toEqual([due]);
    expect(await emailRows(project)).toMatchObject([{ status: "SENT", attempts: 1 }]);
  });

  it("goes out together, not one by one as mail does of which a consumer may have died", async () => {
    const [project, world] = [await newProject(), new World()];
    await schedule(world, project, { to: ["a@example.com", "b@example.com"] });
    world.now += hourMs;
    await world.sweep();
    expect(world.queue.map(({ queued }) => queued.message)).toEqual([{ type: "mail.drain" }]);
    world.mailsPerCall = 100;
    await world.drain();
    expect(world.calls.map(({ emailIds }) => emailIds.length)).toEqual([2]);
  });

  it("has the template and data of its call, and the contact of its time", async () => {
    const [project, world] = [await newProject(), new World()];
    await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "free" } });
    const content = { subject: "Hi", body: "old {{ plan }} {{ code }}", type: "TRANSACTIONAL" };
    const template = await newTemplate(project, content);
    const data = { code: { value: 1, persistent: false } };
    await schedule(world, project, { template: template.id, subject: undefined, body: undefined, data });
    await project.api.patch(`/templates/${template.id}`, { body: "new {{ plan }} {{ code }}" });
    await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "pro" } });
    await world.pass(60);
    expect(world.taken.map(({ html }) => html)).toEqual([expect.stringContaining("old pro 1")]);
  });

  it("is withheld from who is suppressed when it is due, and goes to who no longer is", async () => {
    const [project, world] = [await newProject(), new World()];
    await project.api.post("/suppressions", { email: "ada@example.com" });
    await schedule(world, project, { to: ["ada@example.com", "bob@example.com"] });
    expect(await emailRows(project)).toMatchObject([{ status: "QUEUED" }, { status: "QUEUED" }]);
    await project.api.delete("/suppressions/ada@example.com");
    await project.api.post("/suppressions", { email: "bob@example.com" });
    await world.pass(60);
    expect(world.taken.map(({ to }) => to.email)).toEqual(["ada@example.com"]);
    expect(await usage(project)).toBe(1);
  });

  it("is CANCELLED when its contact is gone by then", async () => {
    const [project, world] = [await newProject(), new World()];
    await schedule(world, project);
    const { body } = await project.api.get("/contacts?email=ada@example.com");
    await project.api.delete(`/contacts/${body.data[0].id}`);
    await world.pass(60);
    expect(world.taken).toEqual([]);
    expect(await emailRows(project)).toMatchObject([{ status: "CANCELLED" }]);
  });

  it("fails when its domain is no longer verified by then", async () => {
    const [project, world] = [await newProject(), new World()];
    await schedule(world, project);
    await project.db.prepare("UPDATE domains SET status = 'FAILED' WHERE project_id = ?").bind(project.id).run();
    await world.pass(60);
    expect(world.taken).toEqual([]);
    expect(await emailRows(project)).toMatchObject([
      { status: "FAILED", error: expect.stringContaining("no longer a verified domain") },
    ]);
  });

  it("counts in the month of its call, and gives its place back when it is cancelled", async () => {
    const [project, world] = [await newProject({ monthlySendLimit: 1 }), new World()];
    const id = await schedule(world, project);
    expect(await usage(project)).toBe(1);
    expect((await project.api.send()).status).toBe(402);
    expect((await project.api.delete(`/emails/${id}`)).status).toBe(200);
    expect(await usage(project)).toBe(0);
    await world.pass(70);
    expect(world.taken).toEqual([]);
  });

  it("waits for its time again when it is opened again", async () => {
    const [project, world] = [await newProject(), new World()];
    const id = await schedule(world, project);
    await cancelEmail((await world.context(project)).ctx, readId(id));
    await retryEmail((await world.context(project)).ctx, readId(id));
    await world.pass(59);
    expect(world.taken).toEqual([]);
    await world.pass(1);
    expect(world.taken).toHaveLength(1);
  });
});

describe("a cancellation and the hand-over at the same time", () => {
  it("never cancels what is handed over", async () => {
    const [project, world] = [await newProject(), new World()];
    const id = await schedule(world, project);
    const refusals: unknown[] = [];
    world.answer = async () => {
      const { ctx } = await world.context(project);
      await cancelEmail(ctx, readId(id)).catch((refusal) => refusals.push(refusal));
      return { kind: "accepted", providerMessageId: "m-1", reports: [] };
    };
    await world.pass(60);
    expect(refusals).toMatchObject([{ name: "Conflict" }]);
    expect(await emailRows(project)).toMatchObject([{ status: "SENT" }]);
    expect(await usage(project)).toBe(1);
  });

  it.each(Array.from({ length: 6 }, (_, step) => step))("ends one way only, at step %i", async (step) => {
    const [project, world] = [await newProject(), new World()];
    const id = await schedule(world, project);
    world.now += hourMs;
    await world.sweep();
    const { ctx } = await world.context(project);
    const cancelling = async () => {
      for (let turn = 0; turn < step; turn++) await project.db.prepare("SELECT 1").first();
      return cancelEmail(ctx, readId(id)).then(
        () => true,
        () => false,
      );
    };
    const [isCancelled] = await Promise.all([cancelling(), world.drain()]);
    expect(world.taken).toHaveLength(isCancelled ? 0 : 1);
    expect(await emailRows(project)).toMatchObject([{ status: isCancelled ? "CANCELLED" : "SENT" }]);
    expect(await usage(project)).toBe(isCancelled ? 0 : 1);
  });

  it("cancels nothing that an unanswered call may have sent", async () => {
    const [project, world] = [await newProject(), new World()];
    world.idempotencyWindowMs = hourMs;
    world.answer = () => {
      throw new Error("The network is gone");
    };
    const id = await schedule(world, project);
    world.now += hourMs;
    await world.sweep();
    await world.drain();
    expect(await emailRows(project)).toMatchObject([{ status: "QUEUED" }]);
    const { ctx } = await world.context(project);
    await expect(cancelEmail(ctx, readId(id))).rejects.toThrow("may have sent");
    expect(await emailRows(project)).toMatchObject([{ status: "QUEUED" }]);
  });
});
