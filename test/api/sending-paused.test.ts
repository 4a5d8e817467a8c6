import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { forgetProjects } from "../../src/engine/projects/cache";
import { effects, expectEffects } from "../support/effects";
import { keyRows } from "../support/gate";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { emailIds } from "../support/send-and-wait";
import { newTemplate } from "../support/template";

const reason = "81 of the last 1000 emails bounced, more than 8 %.";
const at = "2026-01-31T09:00:00.000Z";

async function pausedProject(): Promise<TestProject> {
  const project = await newProject();
  await pause(project);
  return project;
}

async function pause(project: TestProject): Promise<void> {
  await env.DB.prepare("UPDATE projects SET sending_paused_reason = ?, sending_paused_at = ? WHERE number = ?")
    .bind(reason, Date.parse(at), project.number)
    .run();
  forgetProjects();
}

async function sendOnce(project: TestProject, key: string, template: string) {
  const { headers } = bearer(project.keys.secret);
  const body = { to: "ada@example.com", template };
  return call("POST", "/v1/send", body, { headers: { ...headers, "Idempotency-Key": key } });
}

describe("POST /v1/send of a project whose sending is paused", () => {
  it("refuses a MARKETING template, and has no effect", async () => {
    const project = await pausedProject();
    const { id: template } = await newTemplate(project, { type: "MARKETING" });
    const before = await effects(project);
    const file = { filename: "a.txt", content: btoa("a"), contentType: "text/plain" };
    const answer = await project.api.send({
      ...{ template, to: ["new@example.com"], body: "b".repeat(100_000), data: { a: 1 }, subscribed: true },
      attachments: [file],
    });
    expectRefusal(answer, 403, "SENDING_PAUSED", { details: { reason, at } });
    expect(answer.body.error.suggestion).toContain("operator");
    expect(await effects(project)).toEqual(before);
    await expectEffects(project, before);
    const files = (await env.BLOBS.list()).objects.filter(({ key }) => key.includes(project.id));
    expect(files).toEqual([]);
  });

  it("takes transactional and headless mail", async () => {
    const project = await pausedProject();
    emailIds(await project.api.send());
    for (const type of ["TRANSACTIONAL", "HEADLESS"]) {
      const { id: template } = await newTemplate(project, { type });
      emailIds(await project.api.send({ template }));
    }
  });

  it("leaves the idempotency key free, and answers a call from before the pause as a repeat", async () => {
    const project = await newProject();
    const { id: template } = await newTemplate(project, { type: "MARKETING" });
    expect((await sendOnce(project, "before", template)).status).toBe(200);
    await pause(project);
    expectRefusal(await sendOnce(project, "during", template), 403, "SENDING_PAUSED", { details: { reason, at } });
    expect((await sendOnce(project, "before", template)).body.error.code).toBe("IDEMPOTENCY_KEY_REUSED");
    // As it is when the gate has forgotten the key.
    await keyRows(project.id, "DELETE FROM idempotency_keys");
    expect((await sendOnce(project, "before", template)).body.error.code).toBe("IDEMPOTENCY_KEY_REUSED");
    await admin.patch(`/admin/projects/${project.id}`, { sendingPaused: null });
    expect((await sendOnce(project, "during", template)).status).toBe(200);
  });

  it("says that a template does not exist", async () => {
    const project = await pausedProject();
    const template = "01990000-0000-7000-8000-000000000000";
    expect((await project.api.send({ template })).body.error.code).toBe("TEMPLATE_NOT_FOUND");
  });

  it("is not what another project is told", async () => {
    await pausedProject();
    const project = await newProject();
    const { id: template } = await newTemplate(project, { type: "MARKETING" });
    emailIds(await project.api.send({ template }));
  });
});

describe("sendingPaused", () => {
  it("is shown to the operator, and lifted with null", async () => {
    const project = await pausedProject();
    const path = `/admin/projects/${project.id}`;
    expect((await admin.get(path)).body.sendingPaused).toEqual({ reason, at });
    expect((await admin.patch(path, { name: "Other" })).body.sendingPaused).toEqual({ reason, at });
    expect((await admin.patch(path, { sendingPaused: null })).body.sendingPaused).toBeNull();
    expect((await admin.get(path)).body.sendingPaused).toBeNull();
    const { id: template } = await newTemplate(project, { type: "MARKETING" });
    emailIds(await project.api.send({ template }));
    expect((await admin.patch(path, { sendingPaused: null })).body).toMatchObject({
      name: "Other",
      sendingPaused: null,
    });
  });

  it.each([[{ reason, at }], [true], [false], ["no"]])("cannot be set to %o", async (sendingPaused) => {
    const project = await newProject();
    const path = `/admin/projects/${project.id}`;
    expectInvalid(await admin.patch(path, { sendingPaused, name: "Other" }), "sendingPaused", "invalid_type");
    expect((await admin.get(path)).body).toMatchObject({ name: "Test", sendingPaused: null });
  });

  it("is 404 of a project that does not exist", async () => {
    const nobody = "01990000-0000-7000-8000-000000000000";
    expect((await admin.patch(`/admin/projects/${nobody}`, { sendingPaused: null })).status).toBe(404);
  });
});
