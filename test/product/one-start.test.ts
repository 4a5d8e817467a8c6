import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findFreePort } from "../../scripts/lib/port.mjs";
import { OWN_SECRETS } from "../../scripts/lib/settings.mjs";
import { startPetrel } from "../../scripts/lib/start-as-user.mjs";

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
function reset(): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, ["scripts/reset.mjs"], { env: { ...process.env, STATE_DIR: stateDir } });
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
const instants = 40;

interface Work {
  /** Of the import, and of the advance. */
  statuses(petrel: Ready): Promise<string[]>;
  /** What came of them. */
  results(petrel: Ready): Promise<{ people: number; instants: number }>;
}

/** An import, and an advance of a test clock that ends a snooze at each of its instants, in projects of their own. */
async function beginWork(petrel: Ready): Promise<Work> {
  const importing = await newProject(petrel, {});
  const advancing = await newProject(petrel, { testClock: true });
  for (let day = 1; day <= instants; day++) {
    const contact = await api<{ id: string }>(
      petrel,
      advancing.key,
      "/contacts",
      post({ email: `p${day}@example.com` }),
    );
    const until = new Date(Date.parse(advancing.createdAt) + day * 86_400_000).toISOString();
    await api(petrel, advancing.key, `/contacts/${contact.id}/snooze`, post({ until }));
  }
  const form = new FormData();
  const lines = Array.from({ length: people }, (_, n) => `p${n}@example.com\n`);
  form.append("file", new File([`email\n${lines.join("")}`], "contacts.csv", { type: "text/csv" }));
  const clock = `/admin/projects/${advancing.id}/clock`;
  const jobs = await Promise.all([
    api<{ jobId: string }>(petrel, importing.key, "/contacts/import", { method: "POST", body: form }),
    api<{ jobId: string }>(petrel, asOperator, clock, post({ advance: `${instants + 1}d` })),
  ]);
  const paths = [`/contacts/import/${jobs[0].jobId}`, `/jobs/${jobs[1].jobId}`] as const;
  const advance = (on: Ready) => api<{ status: string; result: { instants: number } }>(on, advancing.key, paths[1]);
  return {
    statuses: async (on) => {
      const ofImport = api<{ status: string }>(on, importing.key, paths[0]);
      return (await Promise.all([ofImport, advance(on)])).map(({ status }) => status);
    },
    results: async (on) => ({
      people: (await api<{ total: number }>(on, importing.key, "/contacts?limit=1")).total,
      instants: (await advance(on)).result.instants,
    }),
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
  expect(readdirSync(stateDir)).toContain("settings.env");

  let [petrel, ready] = [owner, winner.value];
  for (const end of ["kill", "stop"] as const) {
    const work = await beginWork(ready);
    await expect
      .poll(() => work.statuses(ready), { interval: 10, timeout: 20_000 })
      .toEqual(["processing", "processing"]);
    petrel[end]();
    await petrel.ended;

    // On the same port, which the Worker of one that was killed has until it has ended.
    petrel = await start(new URL(ready.base).port);
    ready = await petrel.ready;
    // A job that nobody is known to have left waits for five minutes.
    await expect
      .poll(() => work.statuses(ready), { interval: 200, timeout: 30_000 })
      .toEqual(["completed", "completed"]);
    expect(await work.results(ready)).toEqual({ people, instants });
  }
}, 240_000);
