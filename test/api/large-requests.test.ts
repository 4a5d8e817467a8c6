import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/index";
import { passSeconds } from "../support/pass-seconds";
import { newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { newTemplate } from "../support/template";

const megabyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1_000;
/** How long a body may stop. */
const patienceMs = 15_000;

/** Called as a function: a clock that stands still is no good to a request that workerd itself looks after. */
async function call(
  project: TestProject,
  body: ReadableStream<Uint8Array> | string,
  announced: number | undefined = typeof body === "string" ? body.length : undefined,
  fields: Record<string, string> = {},
): Promise<Response> {
  const headers = new Headers({ Authorization: `Bearer ${project.keys.secret}`, ...fields });
  if (announced !== undefined) headers.set("Content-Length", String(announced));
  const init = { method: "POST", headers, body };
  const request = new Request<unknown, IncomingRequestCfProperties>("https://petrel.example/v1/send", init);
  return worker.fetch(request, env, createExecutionContext());
}

/** Its mail goes out another day: consumers would wait by the clock of the test, which a test must not move for them. */
function large(project: TestProject): string {
  const [day] = new Date(Date.now() + 2 * dayMs).toISOString().split("T");
  const mail = {
    to: "ada@example.com",
    from: `hi@${project.domain}`,
    subject: "Hi",
    body: "Hi",
    scheduledAt: `${day}T00:00:00Z`,
  };
  return JSON.stringify({ ...mail, padding: "x".repeat(5 * megabyte) });
}

/** An upload of which so much arrives, and then nothing more. */
function stalled(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) return new Promise(() => {});
      controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      left -= 64 * 1024;
    },
  });
}

/** An upload that arrives in parts, one every ten seconds, and ends after `seconds`. */
function steady(body: string, seconds: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  const size = Math.ceil((bytes.length * 10) / seconds);
  let from = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      controller.enqueue(bytes.slice(from, from + size));
      from += size;
      if (from >= bytes.length) controller.close();
    },
  });
}

describe("a large request whose body stalls", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ["a large one with a length that was announced", 0, 5 * megabyte],
    ["a large one with a length that was not", 5 * megabyte, undefined],
    ["a small one", 0, 2_000],
    ["a small one with a length that was not announced", 2_000, undefined],
  ])("%s is a 408 after fifteen seconds, and nobody waits for it", async (_, sent, announced) => {
    const project = await newProject();
    const slow = [1, 2].map(() => call(project, stalled(sent), announced));
    await passSeconds(0.5);
    const other = await newProject();
    expect((await call(other, large(other))).status).toBe(200);
    await passSeconds(patienceMs / 1_000);
    for (const response of await Promise.all(slow)) {
      expect(response.status).toBe(408);
      expect(await response.json()).toMatchObject({
        success: false,
        error: { code: "REQUEST_TIMEOUT", statusCode: 408, suggestion: expect.stringMatching(/\.$/) },
      });
    }
  });

  it("is a 408 for a page of the console too, which anybody may call", async () => {
    const url = "https://petrel.example/console/preview";
    const headers = { Origin: new URL(url).origin, "Content-Type": "multipart/form-data; boundary=b" };
    const init = { method: "POST", headers, body: stalled(5 * megabyte) };
    const request = new Request<unknown, IncomingRequestCfProperties>(url, init);
    const slow = worker.fetch(request, env, createExecutionContext());
    await passSeconds(patienceMs / 1_000 + 1);
    expect((await slow).status).toBe(408);
  });

  it("is read when it goes on arriving, over a slow line", async () => {
    const project = await newProject();
    const slow = call(project, steady(large(project), 50), 5 * megabyte + 200);
    await passSeconds(52);
    expect((await slow).status).toBe(200);
  });

  it("is a 408 after a minute, however steadily it arrives", async () => {
    const project = await newProject();
    const slow = call(project, steady(large(project), 100), undefined);
    await passSeconds(61);
    expect((await slow).status).toBe(408);
  });

  it("gives its idempotency key back with the 408", async () => {
    const project = await newProject();
    const key = { "Idempotency-Key": "stalled-1" };
    const slow = call(project, stalled(0), 5 * megabyte, key);
    await passSeconds(patienceMs / 1_000 + 1);
    expect((await slow).status).toBe(408);
    expect((await call(project, large(project), undefined, key)).status).toBe(200);
    expect((await call(project, large(project), undefined, key)).status).toBe(409);
  });

  it("takes no slot before it is known to be large", async () => {
    const project = await newProject();
    for (let upload = 0; upload < 3; upload++) void call(project, stalled(3 * megabyte));
    await passSeconds(0.5);
    expect((await call(project, large(project))).status).toBe(200);
  });
});

describe("a large body", () => {
  it("is read by its route, also by one that may be called without", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project, { body: "<p>{{ plan }}</p>" });
    const body = { data: { plan: "pro" }, padding: "x".repeat(4.5 * megabyte) };
    const preview = await project.api.post(`/templates/${id}/preview`, body);
    expect(preview.body.html).toContain("<p>pro</p>");
  });

  it("that is not JSON is a 400 as a small one is", async () => {
    const project = await newProject();
    const answer = await project.api.post("/v1/send", `{"to": ${"x".repeat(5 * megabyte)}`);
    expectRefusal(answer, 400, "BAD_REQUEST");
  });
});
