import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { putCampaign, soundCampaign } from "../support/campaign";
import { gif, jpeg, png } from "../support/images";
import { utf8 } from "../support/import";
import { admin, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { soundTemplate } from "../support/template";
import { formOf, postFile } from "../support/upload";
import { World } from "../support/world";

const megabyte = 1024 * 1024;

const upload = (project: TestProject, bytes: Uint8Array<ArrayBuffer>, name?: string) =>
  postFile(project, formOf(bytes, name));

const read = (url: string, init?: RequestInit) => exports.default.fetch(url, init);

async function keysOf({ id }: TestProject): Promise<string[]> {
  return (await env.BLOBS.list({ prefix: `file/${id}/` })).objects.map(({ key }) => key);
}

function storeRows({ db, number }: TestProject, count: number, bytes: number) {
  return db
    .prepare(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
        INSERT INTO files (project_id, id, secret, content_type, width, height, bytes, created_at)
        SELECT ?, 'f' || n, 's', 'image/png', 1, 1, ?, 0 FROM n`,
    )
    .bind(count, number, bytes)
    .run();
}

describe("POST /files", () => {
  it("stores an image, whatever its name and type say, and answers with its address", async () => {
    const project = await newProject();
    const { status, body } = await upload(project, png, "invoice.html");
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(uuid),
        url: expect.stringMatching(/^https:\/\/petrel\.example\/f\/[A-Za-z0-9_-]{64}$/),
        name: "invoice.html",
        contentType: "image/png",
        width: 1,
        height: 1,
        bytes: png.length,
        createdAt: expect.stringMatching(isoTime),
      },
    ]);
    expect((await project.api.get("/files")).body).toEqual({ data: [body], cursor: "", hasMore: false, total: 1 });
  });

  it.each([
    ["a text", utf8("hello")],
    ["an SVG", utf8('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["nothing", new Uint8Array()],
    ["a broken PNG", png.slice(0, 20)],
  ])("refuses %s, and keeps nothing", async (_, bytes) => {
    const project = await newProject();
    expectInvalid(await upload(project, bytes), "file", "custom");
    expect([await keysOf(project), (await project.api.get("/files")).body.total]).toEqual([[], 0]);
  });

  it("refuses a form without a file, with a text, and with another field", async () => {
    const project = await newProject();
    const form = new FormData();
    expectInvalid(await postFile(project, form), "file", "required");
    form.append("file", "hello");
    expectInvalid(await postFile(project, form), "file", "invalid_type");
    const other = new FormData();
    other.append("file", new File([png], "logo.png"));
    other.append("folder", "logos");
    expectInvalid(await postFile(project, other), "folder", "custom");
  });

  it("takes 5 MB, and refuses a byte more", async () => {
    const project = await newProject();
    const large = new Uint8Array(5 * megabyte + 1);
    large.set(png);
    expectRefusal(await upload(project, large), 413, "PAYLOAD_TOO_LARGE", { details: { maxBytes: 5 * megabyte } });
    expect((await upload(project, large.slice(0, -1))).body.bytes).toBe(5 * megabyte);
  });

  it.each([
    ["bytes", 1, 1024 ** 3 - png.length],
    ["files", 9_999, 10],
  ])(
    "takes as many %s as a project may have, of many at once, and leaves none of what it refuses",
    async (_, count, bytes) => {
      const project = await newProject();
      await storeRows(project, count, bytes);
      const answers = await Promise.all([upload(project, png), upload(project, png), upload(project, png)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
      for (const answer of answers) if (answer.status === 422) expectInvalid(answer, "file", "too_big");
      await vi.waitFor(async () => expect(await keysOf(project)).toHaveLength(1));
    },
  );

  it("is swept when the process dies before the row", async () => {
    const project = await newProject();
    const { body } = await upload(project, png);
    const [key = ""] = await keysOf(project);
    await env.BLOBS.put(key.replace(/\/[^/]+\/[^/]+$/, `/${"0".repeat(22)}/aa`), png);
    const world = new World();
    world.now += 25 * 3_600_000;
    await world.sweep("17 * * * *");
    expect(await keysOf(project)).toEqual([key]);
    expect((await read(body.url)).status).toBe(200);
  });
});

describe("GET /f/{token}", () => {
  it("shows the image to everybody, for ever, and runs nothing", async () => {
    const project = await newProject();
    for (const [bytes, type] of [
      [png, "image/png"],
      [gif, "image/gif"],
      [jpeg(), "image/jpeg"],
    ] as const) {
      const { url } = (await upload(project, bytes)).body;
      const shown = await read(url);
      expect([shown.status, new Uint8Array(await shown.arrayBuffer())]).toEqual([200, bytes]);
      expect(Object.fromEntries(shown.headers)).toMatchObject({
        "content-type": type,
        "cache-control": "public, max-age=31536000, immutable",
        "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
      });
    }
  });

  it("answers HEAD without the image", async () => {
    const { url } = (await upload(await newProject(), png)).body;
    const shown = await read(url, { method: "HEAD" });
    expect([shown.status, shown.headers.get("Content-Type"), await shown.text()]).toEqual([200, "image/png", ""]);
  });

  it("is 404 with another secret, another project, and no token at all", async () => {
    const [one, other] = await Promise.all([newProject(), newProject()]);
    const urls = [(await upload(one, png)).body.url, (await upload(other, gif)).body.url];
    const [first = "", second = ""] = urls.map((url: string) => url.slice(-64));
    for (const token of [first.slice(0, 60) + second.slice(60), second.slice(0, 20) + first.slice(20), "nope"]) {
      const answer = await read(`https://petrel.example/f/${token}`);
      expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([404, "no-store"]);
      await answer.text();
    }
  });
});

describe("GET /files", () => {
  it("goes through the files, newest first", async () => {
    const project = await newProject();
    const ids = [];
    for (const bytes of [png, gif, jpeg()]) ids.push((await upload(project, bytes)).body.id);
    const first = (await project.api.get("/files?limit=2")).body;
    const second = (await project.api.get(`/files?limit=2&cursor=${first.cursor}`)).body;
    const found = [...first.data, ...second.data].map(({ id }) => id);
    expect([found, first.total, second.hasMore]).toEqual([ids.toReversed(), 3, false]);
  });
});

describe("DELETE /files/{id}", () => {
  it("removes the row and the image", async () => {
    const project = await newProject();
    const { id, url } = (await upload(project, png)).body;
    expect((await project.api.delete(`/files/${id}`)).status).toBe(204);
    await vi.waitFor(async () => expect(await keysOf(project)).toEqual([]));
    expect((await read(url)).status).toBe(404);
    expectRefusal(await project.api.delete(`/files/${id}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "file", id },
    });
  });

  it("is 404 for another project's file, which stays", async () => {
    const [project, other] = await Promise.all([newProject(), newProject()]);
    const { id, url } = (await upload(other, png)).body;
    for (const unknown of [id, "nope"]) {
      expectRefusal(await project.api.delete(`/files/${unknown}`), 404, "RESOURCE_NOT_FOUND", {
        details: { resource: "file", id: unknown },
      });
    }
    expect((await read(url)).status).toBe(200);
  });

  const large = "x".repeat(70_000);

  it.each([
    ["a body in its row", ""],
    ["a body in a file", large],
  ])("is 409 while a template names it, with %s, and lists the copy too", async (_, more) => {
    const project = await newProject();
    const { id, url } = (await upload(project, png)).body;
    const body = `<p><img src="${url}">${more}</p>`;
    const template = (await project.api.post("/templates", { ...soundTemplate(project), name: "One", body })).body;
    const copy = (await project.api.post(`/templates/${template.id}/duplicate`)).body;
    const refused = await project.api.delete(`/files/${id}`);
    expectRefusal(refused, 409, "CONFLICT", {
      details: {
        templates: expect.arrayContaining([
          { id: template.id, name: "One" },
          { id: copy.id, name: "One (Copy)" },
        ]),
        campaigns: [],
      },
    });
    await project.api.delete(`/templates/${copy.id}`);
    await project.api.patch(`/templates/${template.id}`, { subject: "Another" });
    expect((await project.api.delete(`/files/${id}`)).status).toBe(409);
    await project.api.patch(`/templates/${template.id}`, { body: "<p>Plain</p>" });
    expect((await project.api.delete(`/files/${id}`)).status).toBe(204);
  });

  it("is 409 while an open campaign names it: in its body, in a variant, or from a template", async () => {
    const project = await newProject();
    const { id, url } = (await upload(project, png)).body;
    const body = `<p><img src="${url}"></p>`;
    const made = async (fields: object) =>
      (await project.api.post("/campaigns", { ...soundCampaign(project), ...fields })).body.data.id;
    const own = await made({ body });
    const variants = [
      { name: "A", weight: 1, body },
      { name: "B", weight: 1 },
    ];
    const varied = await made({ variants });
    const templateId = (await project.api.post("/templates", { ...soundTemplate(project), body })).body.id;
    const { subject: _, body: __, from: ___, ...rest } = soundCampaign(project) as Record<string, unknown>;
    const copied = (await project.api.post("/campaigns", { ...rest, templateId })).body.data.id;
    await project.api.delete(`/templates/${templateId}`);
    const listed = async () => {
      const { status, body: answer } = await project.api.delete(`/files/${id}`);
      return status === 409 ? answer.error.details.campaigns.map((one: { id: string }) => one.id).toSorted() : status;
    };
    expect(await listed()).toEqual([own, varied, copied].toSorted());
    await putCampaign(project, own, { name: "Another" });
    await putCampaign(project, varied, { name: "Another" });
    expect(await listed()).toEqual([own, varied, copied].toSorted());
    await putCampaign(project, own, { body: "<p>Plain</p>" });
    await putCampaign(project, varied, { variants: null });
    expect(await listed()).toEqual([copied]);
    await project.db.prepare("UPDATE campaigns SET status = 'SENT' WHERE project_id = ?").bind(project.number).run();
    expect(await listed()).toBe(204);
  });
});

it("the files of an erased project are gone", async () => {
  const [project, world] = [await newProject(), new World()];
  const { url } = (await upload(project, png)).body;
  await admin.delete(`/admin/projects/${project.id}`);
  await world.pass(6);
  expect(await keysOf(project)).toEqual([]);
  expect((await read(url)).status).toBe(404);
});
