import { describe, expect, it } from "vitest";
import type { TrashType } from "../../src/core/trash";
import { newCampaign } from "../support/campaign";
import { keyRows } from "../support/gate";
import { type Answer, bearer, call, newProject, type TestProject } from "../support/project";
import { newSegment } from "../support/segment";
import { newTemplate } from "../support/template";
import { inTrash, pathOf, putAway, restore } from "../support/trash";

/** In JSON it has twice as many bytes. */
const large = '"'.repeat(900_000);
const keyed = { "Idempotency-Key": "mine" };

const makers: Record<TrashType, (project: TestProject) => Promise<{ id: string }>> = {
  template: (project) => newTemplate(project, { body: "<p>One</p>" }),
  campaign: (project) => newCampaign(project, { body: "<p>One</p>" }),
  segment: (project) => newSegment(project),
  workflow: async ({ api }) => (await api.post("/workflows", { name: "Onboarding", eventName: "signup" })).body,
};

function detailsOf({ status, body }: Answer) {
  expect([status, body.error.code]).toEqual([409, "IDEMPOTENCY_KEY_REUSED"]);
  return body.error.details;
}

/** The gate has forgotten what it knew of the keys, as when the call died before it told the gate. */
const forget = ({ id }: TestProject) => keyRows(id, "DELETE FROM idempotency_keys");

describe.each(Object.keys(makers) as TrashType[])("a %s that is restored with an idempotency key", (type) => {
  it("is restored once, and a repeat gets the first answer", async () => {
    const project = await newProject();
    const { id } = await makers[type](project);
    const { body: whole } = await project.api.get(`${pathOf[type]}/${id}`);
    await putAway(project, type, id);
    const first = await restore(project, type, id, keyed);
    expect([first.status, first.body]).toEqual([200, whole]);
    for (const isForgotten of [false, true]) {
      if (isForgotten) await forget(project);
      expect(detailsOf(await restore(project, type, id, keyed))).toMatchObject({
        originalRequest: `POST /trash/${type}/${id}/restore`,
        originalStatusCode: 200,
        sameRequest: true,
        originalResponse: whole,
      });
    }
    // Deleted once more, it is not restored by the old call.
    await putAway(project, type, id);
    await forget(project);
    expect((await restore(project, type, id, keyed)).status).toBe(409);
    expect(await inTrash(project)).toHaveLength(1);
    expect((await restore(project, type, id)).status).toBe(200);
  });

  it("frees the key when it is not in the trash", async () => {
    const project = await newProject();
    const { id } = await makers[type](project);
    expect((await restore(project, type, id, keyed)).status).toBe(404);
    await putAway(project, type, id);
    expect((await restore(project, type, id, keyed)).status).toBe(200);
  });
});

it("the stored answer of a large template leaves out its body", async () => {
  const project = await newProject();
  const { id } = await newTemplate(project, { body: `<p>${large}</p>` });
  await putAway(project, "template", id);
  expect((await restore(project, "template", id, keyed)).body.body).toHaveLength(large.length + 7);
  await forget(project);
  const { originalResponse } = detailsOf(await restore(project, "template", id, keyed));
  expect(originalResponse).toMatchObject({ id, body: "" });
});

it("an upload is begun once for a key, and a repeat gets its URLs again", async () => {
  const project = await newProject();
  const headers = { ...bearer(project.keys.secret).headers, ...keyed };
  const begin = (bytes: number) => call("POST", "/contacts/imports", { bytes }, { headers });
  const first = await begin(9);
  expect(first.status).toBe(201);
  for (const isForgotten of [false, true]) {
    if (isForgotten) await forget(project);
    const { id, parts } = first.body;
    expect(detailsOf(await begin(9))).toMatchObject({
      originalStatusCode: 201,
      sameRequest: true,
      originalResponse: { id, parts, missing: [1], status: "uploading" },
    });
  }
  expect(detailsOf(await begin(10))).not.toHaveProperty("originalResponse");
  const jobs = await project.db
    .prepare("SELECT count(*) AS n FROM jobs WHERE project_id = ?")
    .bind(project.number)
    .first<number>("n");
  expect(jobs).toBe(1);
});
