import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { noRows } from "../../src/core/storage";
import { knownProjects } from "../../src/engine/projects/cache";
import { maxPartBytes, maxUploadBytes } from "../../src/features/contacts/imports/begin";
import { utf8 } from "../support/import";
import { putPart } from "../support/import-parts";
import { admin, bearer, call, newProject, setDisabled, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";

const megabyte = 1024 * 1024;
const csv = "email,plan\nada@example.com,pro\nnope,free\nbob@example.com,free\n";

const begin = (project: TestProject, body: object = { bytes: csv.length }) =>
  project.api.post("/contacts/imports", body);

async function begun(project: TestProject, body?: object) {
  const answer = await begin(project, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

const complete = (project: TestProject, id: string, body?: object, query = "") =>
  project.api.post(`/contacts/imports/${id}/complete${query}`, body);

async function ended(project: TestProject, jobId: string) {
  return vi.waitFor(async () => {
    const { body } = await project.api.get(`/contacts/import/${jobId}`);
    expect(["completed", "failed"]).toContain(body.status);
    return body;
  }, 10_000);
}

const filesOf = async ({ id }: { id: string }) => (await env.BLOBS.list({ prefix: `import/${id}/` })).objects;

describe("POST /contacts/imports", () => {
  it("divides a file into parts with URLs of ours", async () => {
    const project = await newProject();
    const bytes = 2 * maxPartBytes + 7;
    const { status, body } = await begin(project, { bytes, name: "people.csv", columns: "all" });
    const url = (number: number) =>
      expect.stringMatching(
        new RegExp(`^https?://[^/]+/contacts/imports/${body.id}/parts/${number}\\?signature=[\\w-]{64}$`),
      );
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(uuid),
        status: "uploading",
        jobId: null,
        name: "people.csv",
        bytes,
        partBytes: 5 * megabyte,
        parts: [
          { number: 1, bytes: maxPartBytes, received: false, url: url(1) },
          { number: 2, bytes: maxPartBytes, received: false, url: url(2) },
          { number: 3, bytes: 7, received: false, url: url(3) },
        ],
        missing: [1, 2, 3],
        createdAt: expect.stringMatching(isoTime),
        expiresAt: expect.stringMatching(isoTime),
      },
    ]);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBeCloseTo(24 * 3_600_000, -3);
    expect((await project.api.get(`/contacts/imports/${body.id}`)).body).toEqual(body);
    // The import has not begun, so it has no job for callers yet.
    expectRefusal(await project.api.get(`/contacts/import/${body.id}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "job", id: body.id },
    });
  });

  it("takes 100 MB in 20 parts, and refuses a byte more with 413", async () => {
    const project = await newProject();
    expect((await begun(project, { bytes: maxUploadBytes })).parts).toHaveLength(20);
    expectRefusal(await begin(project, { bytes: maxUploadBytes + 1 }), 413, "PAYLOAD_TOO_LARGE", {
      details: { maxBytes: 100 * megabyte },
    });
  });

  it.each<[what: string, body: object, field: string, code: string]>([
    ["no size", {}, "bytes", "required"],
    ["a size of nothing", { bytes: 0 }, "bytes", "too_small"],
    ["a half byte", { bytes: 1.5 }, "bytes", "invalid_type"],
    ["another word for subscribed", { bytes: 1, subscribed: "yes" }, "subscribed", "invalid_enum_value"],
    ["another word for columns", { bytes: 1, columns: "some" }, "columns", "invalid_enum_value"],
    ["a mapping as text", { bytes: 1, mapping: "{}" }, "mapping", "invalid_type"],
    ["a reserved field", { bytes: 1, mapping: { a: "createdat", b: "id" } }, "mapping.b", "custom"],
    ["two columns for one field", { bytes: 1, mapping: { a: "email", b: "Email" } }, "mapping.b", "custom"],
    ["a mapping that is too long", { bytes: 1, mapping: { a: "x".repeat(33_000) } }, "mapping", "too_big"],
    ["a long name", { bytes: 1, name: "x".repeat(256) }, "name", "too_big"],
  ])("refuses %s", async (_, body, field, code) => {
    expectInvalid(await begin(await newProject(), body), field, code);
  });

  it("has at most five uploads open in a project", async () => {
    const project = await newProject();
    const open = [];
    for (let n = 0; n < 5; n++) open.push((await begun(project)).id);
    const sixth = await begin(project);
    expectRefusal(sixth, 409, "CONFLICT", { details: { open: expect.arrayContaining(open) } });
    await begun(await newProject());
    expect((await project.api.delete(`/contacts/imports/${open[0]}`)).status).toBe(204);
    await begun(project);
    await putPart((await project.api.get(`/contacts/imports/${open[1]}`)).body.parts[0].url, csv);
    expect((await complete(project, open[1])).status).toBe(202);
    await begun(project);
    const racing = await Promise.all(Array.from({ length: 4 }, async () => (await begin(project)).status));
    expect(racing).toEqual([409, 409, 409, 409]);
  });

  it("is refused a project that is full, and goes on in one that its parts have filled", async () => {
    const project = await newProject();
    const upload = await begun(project);
    await admin.patch(`/admin/projects/${project.id}`, { maxStorageMb: 1 });
    const storage = { rows: noRows(), bytes: { ...noRows(), contacts: 2 * megabyte }, countedAt: 1 };
    await env.DB.prepare("UPDATE projects SET storage = ? WHERE number = ?")
      .bind(JSON.stringify(storage), project.number)
      .run();
    knownProjects.clear();
    expect((await begin(project)).status).toBe(402);
    expect((await putPart(upload.parts[0].url, csv)).status).toBe(200);
    expect((await complete(project, upload.id)).status).toBe(202);
  });

  it("shows its URLs to no key that only reads", async () => {
    const project = await newProject();
    const { id } = await begun(project);
    const { body: key } = await admin.post(`/admin/projects/${project.id}/keys`, { kind: "read" });
    const answer = await call("GET", `/contacts/imports/${id}`, undefined, bearer(key.key));
    expect([answer.status, JSON.stringify(answer.body).includes("signature")]).toEqual([200, false]);
  });
});

describe("PUT of a part", () => {
  it("takes its bytes by the URL alone, and again others in their place", async () => {
    const project = await newProject();
    const { id, parts } = await begun(project);
    for (const body of [csv.replace("ada", "eve"), csv]) {
      const put = await putPart(parts[0].url, body);
      expect([put.status, put.body]).toEqual([200, { number: 1, bytes: csv.length }]);
      // Pages of other sites get no permission to call it.
      expect(put.headers.get("Access-Control-Allow-Origin")).toBeNull();
    }
    expect((await project.api.get(`/contacts/imports/${id}`)).body).toMatchObject({
      parts: [{ received: true }],
      missing: [],
    });
    const [file, ...others] = await filesOf(project);
    expect(others).toEqual([]);
    expect(await (await env.BLOBS.get(file?.key ?? ""))?.text()).toBe(csv);
  });

  it("takes a whole part of 5 MB", async () => {
    const project = await newProject();
    const { parts } = await begun(project, { bytes: maxPartBytes + 1 });
    const { status, body } = await putPart(parts[0].url, new Uint8Array(maxPartBytes));
    expect([status, body]).toEqual([200, { number: 1, bytes: maxPartBytes }]);
    const tooMuch = await putPart(parts[0].url, new Uint8Array(maxPartBytes + 1));
    expectRefusal(tooMuch, 413, "PAYLOAD_TOO_LARGE", { details: { maxBytes: maxPartBytes } });
  });

  it("refuses another size, a body that is none, and a hash of another content", async () => {
    const project = await newProject();
    const { parts } = await begun(project);
    expectInvalid(await putPart(parts[0].url, csv.slice(1)), "", "custom");
    expectRefusal(await putPart(parts[0].url, `${csv}x`), 413, "PAYLOAD_TOO_LARGE", {
      details: { maxBytes: csv.length },
    });
    expectInvalid(await putPart(`${parts[0].url}&sha256=${"0".repeat(64)}`, csv), "sha256", "custom");
    expectInvalid(await putPart(`${parts[0].url}&sha256=no`, csv), "sha256", "custom");
    expect(await filesOf(project)).toEqual([]);
    const digest = [...new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(csv)))];
    const sha256 = digest.map((byte) => byte.toString(16).padStart(2, "0")).join("");
    expect((await putPart(`${parts[0].url}&sha256=${sha256}`, csv)).status).toBe(200);
  });

  it("opens nothing but this part of this upload", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id, parts } = await begun(project, { bytes: 2 * maxPartBytes });
    const [one, another] = [await begun(project), await begun(other)];
    const { pathname, searchParams } = new URL(parts[0].url);
    const signature = searchParams.get("signature") ?? "";
    const flipped = (signature.startsWith("A") ? "B" : "A") + signature.slice(1);
    const forged = signature.slice(0, -1) + (signature.endsWith("A") ? "B" : "A");
    const paths = [
      pathname,
      `${pathname}?signature=`,
      `${pathname}?signature=${flipped}`,
      `${pathname}?signature=${forged}`,
      `${pathname}?signature=${signature}AAAA`,
      `/contacts/imports/${id}/parts/2?signature=${signature}`,
      `/contacts/imports/${id}/parts/01?signature=${signature}x`,
      `/contacts/imports/${id}/parts/0?signature=${signature}`,
      `/contacts/imports/${one.id}/parts/1?signature=${signature}`,
      `/contacts/imports/${another.id}/parts/1?signature=${signature}`,
      `/contacts/imports/nope/parts/1?signature=${signature}`,
    ];
    for (const path of paths) {
      const answer = await call("PUT", path, csv, bearer(project.keys.secret));
      expect([path, answer.status, answer.body.error?.code]).toEqual([path, 401, "INVALID_API_KEY"]);
    }
    for (const method of ["GET", "POST", "DELETE"]) {
      const answer = await call(method, `${pathname}?signature=${signature}`);
      expect([method, answer.status, answer.headers.get("Allow")]).toEqual([method, 405, "PUT"]);
    }
    expect(await filesOf(project)).toEqual([]);
  });

  it("is refused once the upload is complete, given up or expired, and in a disabled project", async () => {
    const project = await newProject();
    const [done, gone, late, kept] = [
      await begun(project),
      await begun(project),
      await begun(project),
      await begun(project),
    ];
    await putPart(done.parts[0].url, csv);
    await complete(project, done.id);
    expectRefusal(await putPart(done.parts[0].url, csv), 409, "CONFLICT");
    await project.api.delete(`/contacts/imports/${gone.id}`);
    await project.db
      .prepare("UPDATE jobs SET input = json_set(input, '$.expiresAt', 1) WHERE id = ? AND project_id = ?")
      .bind(late.id, project.id)
      .run();
    for (const { id, parts } of [gone, late]) {
      const details = { resource: "upload", id };
      expectRefusal(await putPart(parts[0].url, csv), 404, "RESOURCE_NOT_FOUND", { details });
      expectRefusal(await complete(project, id), 404, "RESOURCE_NOT_FOUND", { details });
    }
    await setDisabled(project, true);
    expectRefusal(await putPart(kept.parts[0].url, csv), 403, "PROJECT_DISABLED");
    await setDisabled(project, false);
  });
});

describe("POST /contacts/imports/{id}/complete", () => {
  it("imports the file like any other, and answers a second call with the same job", async () => {
    const project = await newProject();
    const { id, parts } = await begun(project, { bytes: csv.length, name: "people.csv" });
    await putPart(parts[0].url, csv);
    const first = await complete(project, id);
    expect([first.status, first.body]).toEqual([202, { jobId: expect.stringMatching(uuid), status: "queued" }]);
    const { jobId } = first.body;
    expect(await ended(project, jobId)).toEqual({
      ...{ jobId, status: "completed", progress: 100, totalRows: 3, imported: 2, updated: 0, skipped: 1 },
      ...{ droppedColumns: [], errors: [{ row: 3, email: "nope", reason: "invalid_email" }] },
      undoableUntil: expect.stringMatching(isoTime),
      createdAt: expect.stringMatching(isoTime),
      completedAt: expect.stringMatching(isoTime),
    });
    expect((await complete(project, id)).body).toEqual(first.body);
    expect((await project.api.get(`/contacts/imports/${id}`)).body).toMatchObject({
      status: "complete",
      jobId,
      name: "people.csv",
      parts: [{ number: 1, bytes: csv.length, received: true, url: null }],
      missing: [],
    });
    expect(await filesOf(project)).toEqual([]);
    expect((await project.api.post(`/contacts/import/${jobId}/undo`)).status).toBe(202);
  });

  it("names the parts that are missing", async () => {
    const project = await newProject();
    const { id, parts } = await begun(project, { bytes: 2 * maxPartBytes + 3 });
    await putPart(parts[2].url, "abc");
    expectRefusal(await complete(project, id), 409, "CONFLICT", { details: { missing: [1, 2] } });
    expect((await project.api.get(`/contacts/imports/${id}`)).body).toMatchObject({
      status: "uploading",
      missing: [1, 2],
    });
  });

  it("takes the options of the start, and replaces those that it names", async () => {
    const project = await newProject();
    const file = "Mail,left,subscribed\nada@example.com,x,no\n";
    const start = { bytes: file.length, subscribed: "column", mapping: { Mail: "email", Left: null } };
    const { id, parts } = await begun(project, start);
    await putPart(parts[0].url, file);
    // The file has no column Left, which only its bytes can show.
    expectInvalid(await complete(project, id), "mapping.Left", "custom");
    expectInvalid(await complete(project, id, { columns: "none" }), "columns", "invalid_enum_value");
    const { body } = await complete(project, id, { mapping: { Mail: "email", left: null } });
    expect(await ended(project, body.jobId)).toMatchObject({ imported: 1, droppedColumns: ["left"] });
    const { body: found } = await project.api.get("/contacts?email=ada@example.com");
    expect(found.data).toMatchObject([{ subscribed: false, data: {} }]);
  });

  it("shows what it would do, by the first part, and does nothing", async () => {
    const project = await newProject();
    const { id, parts } = await begun(project);
    expectRefusal(await complete(project, id, {}, "?dryRun=true"), 409, "CONFLICT", { details: { missing: [1] } });
    await putPart(parts[0].url, csv);
    const { status, body } = await complete(project, id, { mapping: { plan: null } }, "?dryRun=true");
    expect(status).toBe(200);
    expect(body).toMatchObject({ totalRows: 3, invalid: 1, droppedColumns: ["plan"], rows: [{ row: 2 }, { row: 4 }] });
    expect(body).not.toHaveProperty("partial");
    expect((await project.api.get("/contacts")).body.data).toEqual([]);
    const large = await begun(project, { bytes: maxPartBytes + 1 });
    const line = "ada@example.com,pro\n";
    const rows = `email,plan\n${line.repeat(maxPartBytes / line.length)}`;
    await putPart(large.parts[0].url, rows.slice(0, maxPartBytes));
    const plan = (await complete(project, large.id, {}, "?dryRun=true")).body;
    expect(plan).toMatchObject({ partial: true, rows: expect.any(Array), invalid: 0 });
    expect(plan.totalRows).toBeGreaterThan(200_000);
  });

  it("fails an import whose file has a fault, and says why", async () => {
    const project = await newProject();
    const { id, parts } = await begun(project, { bytes: 3 });
    await putPart(parts[0].url, "a\nb");
    expectInvalid(await complete(project, id, {}, "?dryRun=true"), "file", "custom");
    const { body } = await complete(project, id);
    expect(await ended(project, body.jobId)).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/no column named email/),
    });
    expect(await filesOf(project)).toEqual([]);
  });
});

describe("DELETE /contacts/imports/{id}", () => {
  it("removes the parts, and is refused once the import has begun", async () => {
    const project = await newProject();
    const { id, parts } = await begun(project);
    await putPart(parts[0].url, csv);
    expect((await project.api.delete(`/contacts/imports/${id}`)).status).toBe(204);
    expect(await filesOf(project)).toEqual([]);
    expect((await project.api.delete(`/contacts/imports/${id}`)).status).toBe(404);
    expect((await project.api.get(`/jobs/${id}`)).status).toBe(404);
    const other = await begun(project);
    await putPart(other.parts[0].url, csv);
    await complete(project, other.id);
    expectRefusal(await project.api.delete(`/contacts/imports/${other.id}`), 409, "CONFLICT");
  });
});

it("belongs to its project alone, and is no upload when its file came at once", async () => {
  const [project, stranger] = [await newProject(), await newProject()];
  const { id } = await begun(project);
  const calls = [
    stranger.api.get(`/contacts/imports/${id}`),
    complete(stranger, id),
    stranger.api.delete(`/contacts/imports/${id}`),
    project.api.get("/contacts/imports/nope"),
  ];
  for (const answer of await Promise.all(calls)) expect(answer.status).toBe(404);
  const form = new FormData();
  form.append("file", new File([csv], "contacts.csv"));
  const { body } = await call("POST", "/contacts/import", form, bearer(project.keys.secret));
  expect((await complete(project, body.jobId)).status).toBe(404);
});
