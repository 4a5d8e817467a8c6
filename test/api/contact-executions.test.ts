import { describe, expect, it, vi } from "vitest";
import { publicId } from "../../src/core/ids";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { newContact } from "../support/segment";
import { type GivenWorkflow, newWorkflow } from "../support/workflow";

const sleeping: GivenWorkflow = {
  allowReentry: true,
  steps: { later: ["DELAY", { amount: 1, unit: "days" }] },
  ways: [["TRIGGER", "later"]],
};

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

/** An execution that waits, or one that was cancelled there. */
async function started({ api }: TestProject, workflowId: string, contactId: string, { ends = false } = {}) {
  const path = `/workflows/${workflowId}/executions`;
  const { id } = (await api.post(path, { contactId, context: { n: 1 } })).body;
  await vi.waitFor(
    async () =>
      expect((await api.get(path)).body.data.find((one: { id: string }) => one.id === id)?.status).toBe("WAITING"),
    { timeout: 10_000, interval: 20 },
  );
  if (ends) await api.delete(`${path}/${id}`);
  return id;
}

async function set() {
  const project = await newProject();
  const [one, two] = [
    publicId((await newWorkflow(project, sleeping)).id),
    publicId((await newWorkflow(project, sleeping)).id),
  ];
  const [ada, bob] = [await newContact(project, "ada@example.com"), await newContact(project, "bob@example.com")];
  const all = [
    await started(project, one, ada.id, { ends: true }),
    await started(project, two, ada.id),
    await started(project, one, ada.id),
  ];
  const others = await started(project, one, bob.id);
  return { project, api: project.api, one, two, ada, bob, newestFirst: all.toReversed(), others };
}

describe("GET /contacts/{id}/executions", () => {
  it("lists those of all workflows, newest first, page by page, and says where they stand", async () => {
    const { api, ada, bob, one, newestFirst, others } = await set();
    const path = `/contacts/${ada.id}/executions`;
    const { body } = await api.get(path);
    expect(body).toMatchObject({ total: 3, hasMore: false, cursor: "" });
    expect(idsOf(body.data)).toEqual(newestFirst);
    expect(body.data[0]).toMatchObject({
      ...{ workflowId: one, contactId: ada.id, status: "WAITING", context: { n: 1 } },
      ...{ workflowName: expect.any(String), currentStepName: "later" },
    });
    const first = (await api.get(`${path}?limit=2`)).body;
    expect([idsOf(first.data), first.hasMore]).toEqual([newestFirst.slice(0, 2), true]);
    const rest = (await api.get(`${path}?limit=2&cursor=${first.cursor}`)).body;
    expect([idsOf(rest.data), rest.hasMore]).toEqual([newestFirst.slice(2), false]);
    expect(idsOf((await api.get(`/contacts/${bob.id}/executions`)).body.data)).toEqual([others]);
    expectRefusal(await api.get(`/contacts/${bob.id}/executions?cursor=${first.cursor}`), 400, "BAD_REQUEST");
  });

  it("is empty for who never entered one, and 404 for a contact of another project", async () => {
    const project = await newProject();
    const ada = await newContact(project, "ada@example.com");
    const empty = { data: [], cursor: "", hasMore: false, total: 0 };
    expect((await project.api.get(`/contacts/${ada.id}/executions`)).body).toEqual(empty);
    expectRefusal(await (await newProject()).api.get(`/contacts/${ada.id}/executions`), 404, "CONTACT_NOT_FOUND", {
      details: { resource: "contact", id: ada.id },
    });
  });
});

it("GET /workflows/{id}/executions takes a contact, also with a status", async () => {
  const { api, one, two, ada, newestFirst } = await set();
  const [third, second, first] = newestFirst;
  const found = async (id: string, query: string) => {
    const { body } = await api.get(`/workflows/${id}/executions?contactId=${query}`);
    return [idsOf(body.data), body.total];
  };
  expect(await found(one, ada.id)).toEqual([[third, first], 2]);
  expect(await found(one, `${ada.id}&status=CANCELLED`)).toEqual([[first], 1]);
  expect(await found(one, `${ada.id}&pageSize=1&page=2`)).toEqual([[first], 2]);
  expect(await found(two, ada.id)).toEqual([[second], 1]);
  expect(await found(two, "0199a0f2-0000-7000-8000-000000000000")).toEqual([[], 0]);
  expectInvalid(await api.get(`/workflows/${one}/executions?contact=x`), "contact", "custom");
});
