import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findFreePort } from "../../scripts/lib/port.mjs";
import { OWN_SECRETS } from "../../scripts/lib/settings.mjs";
import { startPetrel } from "../../scripts/lib/start-as-user.mjs";
import { sample } from "../support/sample";

const stateDir = mkdtempSync(join(tmpdir(), "petrel-product-"));
const secrets = Object.fromEntries(OWN_SECRETS.map(({ name, make }) => [name, make()]));
const started: ReturnType<typeof startPetrel>[] = [];

afterAll(async () => {
  for (const { stop } of started) stop();
  await Promise.all(started.map(({ ended }) => ended));
  rmSync(stateDir, { recursive: true, force: true });
});

async function start(port?: string) {
  const settings = { ENVIRONMENT: "development", MAIL_PROVIDER: "outbox", ...secrets };
  const petrel = startPetrel({ PORT: port ?? String(await findFreePort()), STATE_DIR: stateDir, ...settings });
  started.push(petrel);
  return petrel;
}

/** Runs `npm run reset`'s script, and returns how it ended and what it said. */
function reset(...args: string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, ["scripts/reset.mjs", ...args], {
    env: { ...process.env, STATE_DIR: stateDir },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, said })));
}

type Ready = Awaited<ReturnType<typeof startPetrel>["ready"]>;

async function api<Body>({ base }: Ready, key: string, path: string, init: RequestInit = {}): Promise<Body> {
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(typeof init.body === "string" ? { "Content-Type": "application/json" } : {}),
  };
  const response = await fetch(base + path, { ...init, headers });
  expect(response.ok, path).toBe(true);
  return response.json();
}

const post = (body: unknown) => ({ method: "POST", body: JSON.stringify(body) });
const asOperator = secrets.ADMIN_TOKEN ?? "";

/** So many people that an import is under way for a while, and so many instants that an advance is. */
const people = 5_000;
const instants = 60;

/** A job of a project, and what it must have done in the end. */
interface Work {
  job(on: Ready): Promise<{ status: string; result?: unknown }>;
  expectDone(on: Ready): Promise<void>;
}

async function beginImport(petrel: Ready): Promise<Work> {
  const { key } = await newProject(petrel, {});
  const form = new FormData();
  const lines = Array.from({ length: people }, (_, n) => `p${n}@example.com\n`);
  form.append("file", new File([`email\n${lines.join("")}`], "contacts.csv", { type: "text/csv" }));
  const { jobId } = await api<{ jobId: string }>(petrel, key, "/contacts/import", { method: "POST", body: form });
  return {
    job: (on) => api(on, key, `/contacts/import/${jobId}`),
    async expectDone(on) {
      expect((await api<{ total: number }>(on, key, "/contacts?limit=1")).total).toBe(people);
    },
  };
}

/** Of a test clock, at each of whose instants a snooze ends. */
async function beginAdvance(petrel: Ready): Promise<Work> {
  const { id, key, createdAt } = await newProject(petrel, { testClock: true });
  for (let day = 1; day <= instants; day++) {
    const contact = await api<{ id: string }>(petrel, key, "/contacts", post({ email: `p${day}@example.com` }));
    const until = new Date(Date.parse(createdAt) + day * 86_400_000).toISOString();
    await api(petrel, key, `/contacts/${contact.id}/snooze`, post({ until }));
  }
  const body = post({ advance: `${instants + 1}d` });
  const { jobId } = await api<{ jobId: string }>(petrel, asOperator, `/admin/projects/${id}/clock`, body);
  const job: Work["job"] = (on) => api(on, key, `/jobs/${jobId}`);
  return {
    job,
    async expectDone(on) {
      expect((await job(on)).result).toMatchObject({ instants });
    },
  };
}

async function newProject(petrel: Ready, settings: Record<string, unknown>) {
  const made = await api<{ project: { id: string; createdAt: string }; keys: { secret: string } }>(
    petrel,
    asOperator,
    "/admin/projects",
    post({ name: "Work", ...settings }),
  );
  return { ...made.project, key: made.keys.secret };
}

it("has one of two starts on one folder, and after a kill or Ctrl-C goes on at once with what was under way", async () => {
  const both = [await start(), await start()];
  const results = await Promise.allSettled(both.map(({ ready }) => ready));
  const [first, second] = results.map(({ status }) => status).join() === "fulfilled,rejected" ? [0, 1] : [1, 0];
  const [owner, winner, refusal] = [both[first], results[first], results[second]];
  if (winner?.status !== "fulfilled" || refusal?.status !== "rejected" || owner === undefined) {
    throw new Error(`Not exactly one is ready: ${JSON.stringify(results)}`);
  }
  const named = `npm start (process ${owner.pid}, port ${new URL(winner.value.base).port}, since `;
  expect(refusal.reason.message).toContain(named);
  expect(await both[second]?.ended).toBe(1);
  const refused = await reset();
  expect(refused.code).toBe(1);
  expect(refused.said).toContain(named);
  expect((await reset("--help")).said).toContain("Usage: npm run reset");
  expect((await reset("--all")).said).toContain("npm run reset takes no --all");
  expect(readdirSync(stateDir)).toContain("settings.env");

  let [petrel, ready] = [owner, winner.value];
  const ends = (["kill", "stop"] as const).flatMap((end) => [
    { begin: beginImport, end },
    { begin: beginAdvance, end },
  ]);
  // Each takes a start, which takes long.
  for (const { begin, end } of sample(ends, { of: 4 })) {
    const work = await begin(ready);
    const status = async () => (await work.job(ready)).status;
    await expect.poll(status, { interval: 10, timeout: 20_000 }).toBe("processing");
    petrel[end]();
    await petrel.ended;

    // On the same port, which the Worker of one that was killed has until it has ended.
    petrel = await start(new URL(ready.base).port);
    ready = await petrel.ready;
    // A job that nobody is known to have left waits for five minutes.
    await expect.poll(status, { interval: 200, timeout: 60_000 }).toBe("completed");
    await work.expectDone(ready);
  }
}, 300_000);
