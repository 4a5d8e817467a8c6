import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it, vi } from "vitest";
import { readHolder, takeLock } from "../../scripts/lib/lock.mjs";
import { claimState, locateState } from "../../scripts/lib/state.mjs";

// Processes start slowly on a machine that is busy.
vi.setConfig({ testTimeout: 30_000 });

const lockModule = new URL("../../scripts/lib/lock.mjs", import.meta.url).href;
const root = fileURLToPath(new URL("../..", import.meta.url).href);

const folders: string[] = [];
const children: ChildProcess[] = [];
const groups: number[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const group of groups.splice(0)) process.kill(-group, "SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function lockFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "petrel-lock-"));
  folders.push(folder);
  return join(folder, "lock");
}

/** A process that takes the locks that it is told, and says how each went. */
function contender() {
  const script = `
    import { createInterface } from "node:readline";
    import { takeLock } from ${JSON.stringify(lockModule)};
    for await (const folder of createInterface({ input: process.stdin })) {
      const { release } = await takeLock(folder, { pid: process.pid });
      console.log(release ? "owner" : "refused");
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid,
    ask: (folder: string) => child.stdin.write(`${folder}\n`),
    answer: async () => (await lines.next()).value,
    kill: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill("SIGKILL");
      }),
  };
}

it("has one owner, of two processes that take it at once", async () => {
  const both = [contender(), contender()];
  for (let round = 0; round < 20; round++) {
    const folder = lockFolder();
    for (const one of both) one.ask(folder);
    const answers = await Promise.all(both.map((one) => one.answer()));
    expect(answers.sort()).toEqual(["owner", "refused"]);
  }
});

it("outlives no process that was killed, and then has one owner again", async () => {
  const both = [contender(), contender()];
  for (let round = 0; round < 20; round++) {
    const folder = lockFolder();
    const killed = contender();
    killed.ask(folder);
    expect(await killed.answer()).toBe("owner");
    expect(readHolder(folder)).toEqual({ pid: killed.pid });
    await killed.kill();
    expect(readHolder(folder)).toBeNull();
    for (const one of both) one.ask(folder);
    const answers = await Promise.all(both.map((one) => one.answer()));
    expect(answers.sort()).toEqual(["owner", "refused"]);
  }
});

it("is not held by a later process with the id of one that was killed", async () => {
  const folder = lockFolder();
  const { release } = await takeLock(folder, {});
  release?.();
  for (const name of [`${process.pid}-1-0011223344556677`, `${process.pid}-1-0011223344556677.held`]) {
    writeFileSync(join(folder, name), "{}");
  }
  expect(readHolder(folder)).toBeNull();
  expect((await takeLock(folder, { port: 1 })).release).toBeDefined();
});

it("is released by its owner alone, and leaves nothing behind", async () => {
  const folder = lockFolder();
  const first = await takeLock(folder, { port: 1 });
  const refused = await takeLock(folder, { port: 2 });
  expect(refused).toEqual({ holder: { port: 1 } });
  first.release?.();
  expect(readdirSync(folder)).toEqual([]);
  const second = await takeLock(folder, { port: 3 });
  first.release?.();
  expect(readHolder(folder)).toEqual({ port: 3 });
  second.release?.();
  expect(readdirSync(folder)).toEqual([]);
});

/** A process that took the lock, gave it to a process group of its own as well, and was killed. */
async function leaveGroupBehind(folder: string) {
  const script = `
    import { spawn } from "node:child_process";
    import { takeLock } from ${JSON.stringify(lockModule)};
    const { shareWith } = await takeLock(${JSON.stringify(folder)}, { command: "npm start", pid: process.pid, port: 1, since: "2026-01-31T09:00:00.000Z" });
    const { pid } = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" });
    shareWith(pid);
    console.log(pid);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const group = Number(value);
  groups.push(group);
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
  return { pid: child.pid, group };
}

function endGroup(group: number): void {
  groups.splice(groups.indexOf(group), 1);
  process.kill(-group, "SIGKILL");
}

it("is held for a process group until that has ended too", async () => {
  const folder = lockFolder();
  const { pid, group } = await leaveGroupBehind(folder);
  expect(await takeLock(folder, {})).toMatchObject({ holder: { pid }, group });
  expect(readHolder(folder)).toMatchObject({ pid });
  endGroup(group);
  await expect.poll(async () => (await takeLock(folder, {})).release !== undefined).toBe(true);
});

it("lets a start wait for the Worker of one that was killed, and then have the folder", async () => {
  const state = locateState({ STATE_DIR: join(lockFolder(), "..") });
  const { group } = await leaveGroupBehind(state.lock);
  const order: string[] = [];
  const claim = claimState(state, 2).then((claimed) => {
    order.push("claimed");
    return claimed;
  });
  // A second look at the least: it was refused before.
  const watcher = watch(state.lock);
  for (let looks = 0; looks < 10; looks++) await new Promise((resolve) => watcher.once("change", resolve));
  watcher.close();
  order.push("ended");
  endGroup(group);
  (await claim).release();
  expect(order).toEqual(["ended", "claimed"]);
  expect(readdirSync(state.lock)).toEqual([]);
});

it("refuses a start when the Worker of a killed one does not end, and says which it is", async () => {
  const state = locateState({ STATE_DIR: join(lockFolder(), "..") });
  const { pid, group } = await leaveGroupBehind(state.lock);
  const refusal = await claimState(state, 2, { waitMs: 200 }).catch((error: Error) => error.message);
  expect(refusal).toContain(`npm start (process ${pid}, port 1, since 2026-01-31 09:00:00 UTC) was killed`);
  expect(refusal).toContain(`process group ${group}, still uses`);
  expect(refusal).toContain(`kill -9 -- -${group}`);
});
