import assert from "node:assert/strict";
import { type Job, JobFailedError, NotFoundError } from "petrel-client";
import { json, refusal, scripted } from "./scripted.js";

const ids = (...all: string[]) => all.map((id) => ({ id }));

async function idsOf(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { id } of list) found.push(id);
  return found;
}

const job = (status: Job["status"], progress: number, more: Partial<Job> = {}) =>
  json({
    jobId: "j",
    type: "contacts.import",
    status,
    progress,
    result: null,
    errors: [],
    createdAt: "",
    completedAt: null,
    ...more,
  });

export const lists: Record<string, () => Promise<void>> = {
  async "a list with a cursor is read to its end"() {
    const { petrel, seen } = scripted(
      json({
        data: ids("1", "2"),
        cursor: "next",
        hasMore: true,
        total: 3,
        warnings: [{ field: "limit", message: "" }],
      }),
      json({ data: ids("3"), cursor: "", hasMore: false, total: 0 }),
    );
    assert.deepEqual(await idsOf(petrel.contacts.list({ limit: 2, search: "a" })), ["1", "2", "3"]);
    assert.equal(seen[1]?.url, "https://mail.example.com/contacts?limit=2&search=a&cursor=next");
  },

  async "a list with page numbers is read to its end"() {
    const { petrel, seen } = scripted(
      json({ data: ids("1", "2"), page: 1, pageSize: 2, total: 3, totalPages: 2 }),
      json({ data: ids("3"), page: 2, pageSize: 2, total: 3, totalPages: 2 }),
    );
    assert.deepEqual(await idsOf(petrel.templates.list({ pageSize: 2 })), ["1", "2", "3"]);
    assert.match(seen[1]?.url ?? "", /pageSize=2&page=2$/);
  },

  async "a list without pages is read"() {
    const { petrel } = scripted(json(ids("1", "2")), json({ names: ["signup"] }), json({ data: [] }));
    assert.deepEqual(await idsOf(petrel.segments.list()), ["1", "2"]);
    for await (const name of petrel.events.listNames()) assert.equal(name, "signup");
    for await (const link of petrel.campaigns.listLinks("1")) assert.fail(link.url);
  },

  async "the first page alone is one call"() {
    const { petrel, seen } = scripted(json({ data: ids("1"), cursor: "next", hasMore: true, total: 9 }));
    const page = await petrel.contacts.list();
    assert.equal(page.total, 9);
    assert.equal(seen.length, 1);
  },

  async "a list that is left reads no further page"() {
    const { petrel, seen } = scripted(json({ data: ids("1"), cursor: "next", hasMore: true, total: 9 }));
    for await (const contact of petrel.contacts.list()) if (contact.id) break;
    assert.equal(seen.length, 1);
  },

  async "the error of a list is thrown once"() {
    const { petrel } = scripted(refusal(404, "SEGMENT_NOT_FOUND"));
    await assert.rejects(idsOf(petrel.segments.listContacts("1")), NotFoundError);
    // A promise that nobody awaits would end the process by now.
    await new Promise((resolve) => setTimeout(resolve, 5));
  },

  async "until waits for a job and tells its progress"() {
    const { petrel, seen } = scripted(
      json({ jobId: "j", status: "queued" }, 202),
      job("processing", 40),
      job("completed", 100, { result: { imported: 2 } }),
    );
    const progress: number[] = [];
    const { result } = await petrel.until(petrel.contacts.import({ file: "email\na@b.example" }), {
      onProgress: (one) => progress.push(one.progress),
    });
    assert.deepEqual([result, progress], [{ imported: 2 }, [40, 100]]);
    assert.equal(seen[1]?.url, "https://mail.example.com/jobs/j");
  },

  async "until throws when the job fails"() {
    const { petrel } = scripted(job("failed", 10, { errors: [{ reason: "no email column" }] }));
    const error = await petrel.until("j").catch((thrown: unknown) => thrown);
    assert.ok(error instanceof JobFailedError);
    assert.match(error.message, /contacts.import.*no email column/);
    assert.equal(error.job.progress, 10);
  },

  async "until has the answer of work that was done at once"() {
    const { petrel } = scripted(json({ added: 1, removed: 0, total: 4 }));
    const { status, result } = await petrel.until(petrel.segments.compute("1"));
    assert.deepEqual([status, result?.added, result?.total], ["completed", 1, 4]);
  },

  async "until ends with its caller"() {
    const controller = new AbortController();
    const { petrel } = scripted(job("queued", 0));
    const wait = petrel.until("j", {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error("Left")),
    });
    await assert.rejects(wait, /Left/);
  },
};
