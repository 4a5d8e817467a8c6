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

async function api<Body>({ base, secretKey }: Ready, path: string, init: RequestInit = {}): Promise<Body> {
  const response = await fetch(base + path, { ...init, headers: { Authorization: `Bearer ${secretKey}` } });
  expect(response.ok, path).toBe(true);
  return response.json();
}

/** So many people that the import is under way for a while. */
const people = 5_000;

it("has one of two starts on one folder, and after a kill goes on at once with what was under way", async () => {
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

  const form = new FormData();
  const lines = Array.from({ length: people }, (_, n) => `p${n}@example.com\n`);
  form.append("file", new File([`email\n${lines.join("")}`], "contacts.csv", { type: "text/csv" }));
  const { jobId } = await api<{ jobId: string }>(winner.value, "/contacts/import", { method: "POST", body: form });
  const statusOn = async (petrel: Ready) => (await api<{ status: string }>(petrel, `/contacts/import/${jobId}`)).status;
  await expect.poll(() => statusOn(winner.value), { interval: 20, timeout: 10_000 }).toBe("processing");
  owner.kill();
  await owner.ended;

  // On the same port, which the Worker of the killed one has until it has ended.
  const again = await (await start(new URL(winner.value.base).port)).ready;
  await expect.poll(() => statusOn(again), { interval: 200, timeout: 20_000 }).toBe("completed");
  expect((await api<{ total: number }>(again, "/contacts?limit=1")).total).toBe(people);
}, 180_000);
