import { describe, expect, it } from "vitest";
import type { TrashType } from "../../src/core/trash";
import { purgeTrash } from "../../src/features/trash/purge";
import { newCampaign } from "../support/campaign";
import { type Answer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, isoTime } from "../support/refusal";
import { addMembers, isPro, membersOf, newContact, newSegment } from "../support/segment";
import { newTemplate } from "../support/template";
import { newTopic } from "../support/topic";
import { endTrash, inTrash, pathOf, putAway, restore } from "../support/trash";
import { signedIn } from "../support/visitor";
import { World } from "../support/world";

async function newFlow({ api }: TestProject, fields: Record<string, unknown> = {}) {
  const { status, body } = await api.post("/workflows", { name: "Onboarding", eventName: "signup", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** A resource of each type, under the name Mine. */
const makers: Record<TrashType, (project: TestProject) => Promise<{ id: string }>> = {
  template: (project) => newTemplate(project, { name: "Mine" }),
  campaign: (project) => newCampaign(project, { name: "Mine" }),
  segment: (project) => newSegment(project, { name: "Mine" }),
  workflow: (project) => newFlow(project, { name: "Mine" }),
};
const types = Object.keys(makers) as TrashType[];

async function found({ api }: TestProject, type: TrashType): Promise<unknown[]> {
  const { body } = await api.get(pathOf[type]);
  const list = Array.isArray(body) ? body : (body.data ?? body.templates ?? body.campaigns ?? body.workflows);
  const { results } = (await api.get("/search?q=mine")).body;
  return [...list, ...results];
}

function expectMissing({ status, body }: Answer): void {
  expect([status, body.error.code, body.error.details.resource]).toEqual([404, "RESOURCE_NOT_FOUND", "trash entry"]);
}

function expectConflict({ status, body }: Answer): void {
  expect([status, body.error.code]).toEqual([409, "CONFLICT"]);
}

describe.each(types)("a deleted %s", (type) => {
  it("is gone for every list and use, is in the trash, and comes back as it was", async () => {
    const project = await newProject();
    const { id } = await makers[type](project);
    const path = `${pathOf[type]}/${id}`;
    const before = await project.api.get(path);
    expect(before.status).toBe(200);
    expect(await found(project, type)).toHaveLength(2);
    await putAway(project, type, id);
    expect((await project.api.get(path)).status).toBe(404);
    expect((await project.api.delete(path)).status).toBe(404);
    expect(await found(project, type)).toEqual([]);
    const { body } = await project.api.get("/trash");
    expect(body).toEqual({
      data: [
        { type, id, name: "Mine", deletedAt: expect.stringMatching(isoTime), restorableUntil: expect.any(String) },
      ],
      ...{ cursor: "", hasMore: false, total: 1 },
    });
    const [{ deletedAt, restorableUntil }] = body.data;
    expect(Date.parse(restorableUntil) - Date.parse(deletedAt)).toBe(30 * 86_400_000);

    const restored = await restore(project, type, id);
    expect([restored.status, restored.body]).toEqual([200, before.body]);
    expect((await project.api.get(path)).body).toEqual(before.body);
    expect(await found(project, type)).toHaveLength(2);
    expect(await inTrash(project)).toEqual([]);
    // And again, by the name that the paths of the resource have.
    await putAway(project, type, id);
    expect((await restore(project, `${type}s`, id)).body).toEqual(before.body);
  });

  it("is restored once: another call finds nothing in the trash", async () => {
    const project = await newProject();
    const { id } = await makers[type](project);
    await putAway(project, type, id);
    expect((await restore(project, type, id)).status).toBe(200);
    expectMissing(await restore(project, type, id));
  });

  it("is restored by one of two calls at once, and deleted by one of two", async () => {
    const project = await newProject();
    const { id } = await makers[type](project);
    await putAway(project, type, id);
    const answers = await Promise.all([restore(project, type, id), restore(project, type, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const path = `${pathOf[type]}/${id}`;
    await Promise.all([project.api.delete(path), project.api.delete(path)]);
    expect(await inTrash(project)).toEqual([`${type} Mine`]);
  });

  it("is not found under another type, in another project, or after 30 days", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await makers[type](project);
    await putAway(project, type, id);
    for (const wrong of [...types.filter((each) => each !== type), "contact", "Template"]) {
      expectMissing(await restore(project, wrong, id));
    }
    expectMissing(await restore(other, type, id));
    expect(await inTrash(other)).toEqual([]);
    await endTrash(project);
    expect(await inTrash(project)).toEqual([]);
    expectMissing(await restore(project, type, id));
  });
});

describe("DELETE /trash/{type}/{id}", () => {
  it.each(types)("deletes a %s for good, once, and another project's never", async (type) => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await makers[type](project);
    expectMissing(await project.api.delete(`/trash/${type}/${id}`));
    await putAway(project, type, id);
    expectMissing(await other.api.delete(`/trash/${type}/${id}`));
    expect(await inTrash(project)).toHaveLength(1);
    expect((await project.api.delete(`/trash/${type}/${id}`)).status).toBe(204);
    expect(await inTrash(project)).toEqual([]);
    expectMissing(await restore(project, type, id));
    expectMissing(await project.api.delete(`/trash/${type}/${id}`));
    const world = new World();
    await purgeTrash(world.process().platform);
    const { results } = await project.db
      .prepare("SELECT id FROM trash WHERE project_id = ?")
      .bind(project.number)
      .all();
    expect(results).toEqual([]);
  });
});

describe("GET /trash", () => {
  it("lists page by page, newest deletion first, and only one type if asked", async () => {
    const project = await newProject();
    for (const name of ["A", "B", "C"]) await putAway(project, "template", (await newTemplate(project, { name })).id);
    await putAway(project, "segment", (await newSegment(project, { name: "S" })).id);
    const times = project.db.prepare("UPDATE trash SET deleted_at = deleted_at + unicode(name) WHERE project_id = ?");
    await times.bind(project.number).run();
    expect(await inTrash(project)).toEqual(["segment S", "template C", "template B", "template A"]);
    const first = (await project.api.get("/trash?limit=2&type=template")).body;
    expect([first.total, first.hasMore]).toEqual([3, true]);
    const rest = await inTrash(project, `?limit=2&type=template&cursor=${first.cursor}`);
    expect(rest).toEqual(["template A"]);
    expect((await project.api.get(`/trash?type=segment&cursor=${first.cursor}`)).status).toBe(400);
    expectInvalid(await project.api.get("/trash?type=contact"), "type", "invalid_enum_value");
  });

  it("is for keys that read, and restoring for those that write", async () => {
    const project = await newProject();
    const { id } = await makers.template(project);
    await putAway(project, "template", id);
    const asPublic = { headers: { Authorization: `Bearer ${project.keys.public}` } };
    expect((await call("GET", "/trash", undefined, asPublic)).status).toBe(401);
    const path = `/trash/template/${id}/restore`;
    expect((await call("POST", path, undefined, asPublic)).status).toBe(401);
    const viewer = await signedIn({ project, as: { role: "viewer" } });
    expect((await viewer.call("GET", "/trash", undefined, project)).status).toBe(200);
    expect((await viewer.call("POST", path, undefined, project)).status).toBe(403);
    const editor = await signedIn({ project, as: { role: "editor", maySend: false } });
    expect((await editor.call("POST", path, undefined, project)).status).toBe(200);
  });
});

describe("a restored template", () => {
  it("needs its topic", async () => {
    const project = await newProject();
    const topic = await newTopic(project);
    const { id } = await newTemplate(project, { topicId: topic.id });
    await putAway(project, "template", id);
    expect((await project.api.delete(`/topics/${topic.id}`)).status).toBe(204);
    const refused = await restore(project, "template", id);
    expectConflict(refused);
    expect(refused.body.error.details).toEqual({
      missing: [{ type: "topic", id: topic.id, name: topic.name, inTrash: false }],
    });
    expect(await inTrash(project)).toHaveLength(1);
  });
});

describe("a restored segment", () => {
  it("has its members again, without those who were erased", async () => {
    const project = await newProject();
    const { id } = await newSegment(project, { type: "STATIC", condition: undefined });
    const [ada, eve] = [await newContact(project, "ada@example.com"), await newContact(project, "eve@example.com")];
    await addMembers(project, id, { emails: [ada.email, eve.email] });
    await putAway(project, "segment", id);
    expect((await project.api.get(`/contacts/${ada.id}/segments`)).body.data).toEqual([]);
    await project.api.delete(`/contacts/${eve.id}`);
    expect((await restore(project, "segment", id)).body.memberCount).toBe(1);
    expect(await membersOf(project, id)).toEqual([ada.email]);
  });

  it("needs the segments that its condition names, and its slug", async () => {
    const project = await newProject();
    const inner = await newSegment(project, { name: "Inner" });
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: `segment.${inner.id}`, operator: "memberOfSegment" }] }],
    };
    const named = { field: "segment", operator: "memberOfSegment", value: inner.id };
    const outer = await newSegment(project, {
      name: "Outer",
      condition: { ...condition, groups: [{ filters: [named] }] },
    });
    await putAway(project, "segment", outer.id);
    await putAway(project, "segment", inner.id);
    const refused = await restore(project, "segment", outer.id);
    expectConflict(refused);
    expect(refused.body.error.details).toEqual({
      missing: [{ type: "segment", id: inner.id, name: "Inner", inTrash: true }],
    });
    const other = await newSegment(project, { name: "Inner" });
    expect(other.slug).toBe("inner");
    const taken = await restore(project, "segment", inner.id);
    expectConflict(taken);
    expect(taken.body.error.details).toEqual({ slug: "inner", segment: { id: other.id, name: "Inner" } });
    await putAway(project, "segment", other.id);
    expect((await restore(project, "segment", inner.id)).status).toBe(200);
    expect((await restore(project, "segment", outer.id)).status).toBe(200);
    expectConflict(await project.api.delete(`/segments/${inner.id}`));
  });
});

describe("a restored campaign", () => {
  it("needs the segment of its audience while it is a DRAFT, and holds it again", async () => {
    const project = await newProject();
    const segment = await newSegment(project);
    const draft = await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id });
    await putAway(project, "campaign", draft.id);
    await putAway(project, "segment", segment.id);
    const refused = await restore(project, "campaign", draft.id);
    expectConflict(refused);
    expect(refused.body.error.details.missing).toEqual([
      { type: "segment", id: segment.id, name: segment.name, inTrash: true },
    ]);
    await restore(project, "segment", segment.id);
    expect((await restore(project, "campaign", draft.id)).status).toBe(200);
    expectConflict(await project.api.delete(`/segments/${segment.id}`));
  });

  it("has large bodies and variants again", async () => {
    const project = await newProject();
    const variants = ["A", "B"].map((name) => ({
      name,
      weight: 50,
      subject: `"${name}" \u{1F600}`,
      body: `<p>"${name}"</p>`,
    }));
    const draft = await newCampaign(project, { body: `<p>${"x".repeat(100_000)}</p>`, variants });
    const before = (await project.api.get(`/campaigns/${draft.id}`)).body;
    await putAway(project, "campaign", draft.id);
    expect((await restore(project, "campaign", draft.id)).body).toEqual(before);
  });
});

describe("a restored workflow", () => {
  it("is disabled, with its steps where they were, and needs their templates", async () => {
    const project = await newProject();
    const template = await newTemplate(project);
    const flow = await newFlow(project);
    const mail = await project.api.post(`/workflows/${flow.id}/steps`, {
      ...{ type: "SEND_EMAIL", config: {}, templateId: template.id, connectFrom: flow.steps[0].id },
      position: { x: 0.1 + 0.2, y: 412.3333333333333 },
    });
    expect(mail.status, JSON.stringify(mail.body)).toBe(201);
    await project.api.patch(`/workflows/${flow.id}`, { enabled: true });
    const before = (await project.api.get(`/workflows/${flow.id}`)).body;
    await putAway(project, "workflow", flow.id);
    await putAway(project, "template", template.id);
    const refused = await restore(project, "workflow", flow.id);
    expectConflict(refused);
    expect(refused.body.error.details.missing).toEqual([
      { type: "template", id: template.id, name: template.name, inTrash: true },
    ]);
    await restore(project, "template", template.id);
    const { body } = await restore(project, "workflow", flow.id);
    expect(body).toEqual({ ...before, enabled: false, version: before.version + 1, updatedAt: body.updatedAt });
    expectConflict(await project.api.delete(`/templates/${template.id}`));
    await project.api.patch(`/workflows/${flow.id}`, { enabled: true });
    expect((await project.api.get(`/workflows/${flow.id}`)).body.enabled).toBe(true);
  });
});

it("what a DELETE refuses is not in the trash", async () => {
  const project = await newProject();
  const segment = await newSegment(project, { condition: isPro });
  await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id });
  expectConflict(await project.api.delete(`/segments/${segment.id}`));
  expect(await inTrash(project)).toEqual([]);
});
