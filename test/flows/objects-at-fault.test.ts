import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { openPlatform } from "../../src/platform/context";
import { openWorkflowShards } from "../../src/platform/workflow-shards";
import { handleMessage } from "../../src/queue";
import { callAtFault } from "../support/cloud";
import { DatabaseFault } from "../support/database-fault";
import { type Reset, resetOnce } from "../support/object-fault";
import { newProject, type TestProject } from "../support/project";
import { newContact } from "../support/segment";
import { callWith } from "../support/with-settings";
import { awaitingPurchase, mirrorOf, newWorkflow, track } from "../support/workflow";
import { World } from "../support/world";

const resets: Reset[] = ["before", "after"];

function callAtReset(
  project: TestProject,
  bindings: object,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
) {
  return callWith(bindings, method, path, { token: project.keys.secret, body, headers });
}

describe.each(resets)("a gate that is reset %s its work", (when) => {
  it.each(["admit", "complete"])("lets a request with a key have its effect once: %s", async (method) => {
    const project = await newProject();
    const bindings = { GATE: resetOnce(env.GATE, method, when) };
    const mail = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hi", body: "Hi" };
    const key = { "Idempotency-Key": "order-1" };
    expect((await callAtReset(project, bindings, "POST", "/v1/send", mail, key)).status).toBe(200);
    expect((await callAtReset(project, {}, "POST", "/v1/send", mail, key)).status).toBe(409);
    const found = await project.api.get("/emails");
    expect(found.body.data).toHaveLength(1);
  });

  it("frees the key of a request that had no effect: release", async () => {
    const project = await newProject();
    const bindings = { GATE: resetOnce(env.GATE, "release", when) };
    const mail = { to: "ada@example.com", from: "hello@elsewhere.test", subject: "Hi", body: "Hi" };
    const key = { "Idempotency-Key": "order-1" };
    expect((await callAtReset(project, bindings, "POST", "/v1/send", mail, key)).status).toBe(403);
    const sound = { ...mail, from: `hello@${project.domain}` };
    expect((await callAtReset(project, {}, "POST", "/v1/send", sound, key)).status).toBe(200);
  });
});

describe.each(resets)("the account of the mail provider that is reset %s its work", (when) => {
  it.each(["askAll", "mayGoOn", "giveBackAll"])("holds no mail back: %s", async (method) => {
    const project = await newProject();
    const fault = new DatabaseFault([]);
    const mail = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hi", body: "Hi" };
    const { body } = await callAtFault("POST", "/v1/send", { key: project.keys.secret, body: mail, fault });
    const id = body.data.emails[0].email;
    const world = new World();
    const { pace } = openPlatform({ ...env, PACE: resetOnce(env.PACE, method, when) }, { waitUntil: () => {} });
    const message = { type: "mail.deliver" as const, projectId: project.number, priority: 0 as const };
    await handleMessage({ ...world.process().platform, pace }, { ...message, emailIds: [readId(id)] });
    expect(world.taken.map(({ emailId }) => emailId)).toEqual([id]);
    expect((await project.api.get(`/emails/${id}`)).body.status).toBe("SENT");
  });
});

describe.each(resets)("a shard of executions that is reset %s its work", (when) => {
  it("starts an execution by hand once", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project, { ...awaitingPurchase(), allowReentry: true });
    const contact = await newContact(project, "ada@example.com");
    const bindings = { WORKFLOWS: resetOnce(env.WORKFLOWS, "start", when) };
    const path = `/workflows/${publicId(id)}/executions`;
    const started = await callAtReset(project, bindings, "POST", path, { contactId: contact.id });
    expect(started.status).toBe(201);
    const listed = await project.api.get(path);
    expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([started.body.id]);
  });

  it("hears of an event once", async () => {
    const project = await newProject();
    await newWorkflow(project, { ...awaitingPurchase(), allowReentry: true });
    const world = new World();
    const { contactId } = await track(world, project, "signup");
    const shards = openWorkflowShards(resetOnce(env.WORKFLOWS, "deliver", when));
    for (const { queued } of world.queue) {
      await handleMessage({ ...world.process().platform, workflowShards: shards }, queued.message);
    }
    await expect.poll(async () => (await mirrorOf(project, contactId)).length).toBe(1);
  });

  it("answers a cancellation with 503 instead of a guess, and cancels once", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project, awaitingPurchase());
    const contact = await newContact(project, "ada@example.com");
    const path = `/workflows/${publicId(id)}/executions`;
    const { body } = await project.api.post(path, { contactId: contact.id });
    const bindings = { WORKFLOWS: resetOnce(env.WORKFLOWS, "cancel", when) };
    const lost = await callAtReset(project, bindings, "DELETE", `${path}/${body.id}`);
    expect(lost).toMatchObject({ status: 503, body: { error: { details: { effect: "unknown" } } } });
    const again = await callAtReset(project, {}, "DELETE", `${path}/${body.id}`);
    expect(again.status).toBe(when === "before" ? 200 : 409);
    expect((await project.api.get(`${path}/${body.id}`)).body.status).toBe("CANCELLED");
  });
});
