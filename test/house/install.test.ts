import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const scripts = fileURLToPath(new URL("../../scripts", import.meta.url).href);
const waits = /Waiting for process \d+, which is installing the packages/;

// As npm ci does: it empties node_modules, takes a while, and says at its end what it installed.
const npm = `#!${process.execPath}
const { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } = require("node:fs");
appendFileSync("calls", process.argv.slice(2, 3) + "\\n");
rmSync("node_modules", { recursive: true, force: true });
mkdirSync("node_modules/.bin", { recursive: true });
symlinkSync(process.execPath, "node_modules/.bin/node");
setTimeout(() => {
  if (existsSync("fails-once")) {
    rmSync("fails-once");
    console.error("npm error code E500");
    process.exit(1);
  }
  writeFileSync("node_modules/.package-lock.json", '{ "packages": {} }');
}, 1_000);
`;

vi.setConfig({ testTimeout: 30_000 });

let checkout: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "petrel-install-"));
  cpSync(scripts, join(checkout, "scripts"), { recursive: true });
  writeFileSync(join(checkout, "package-lock.json"), '{ "packages": {} }');
  mkdirSync(join(checkout, "bin"));
  writeFileSync(join(checkout, "bin", "npm"), npm);
  chmodSync(join(checkout, "bin", "npm"), 0o755);
  symlinkSync(process.execPath, join(checkout, "bin", "node"));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  // npm goes on where its caller was killed.
  await expect
    .poll(() => existsSync(join(checkout, "node_modules", ".package-lock.json")), { timeout: 20_000 })
    .toBe(true);
  rmSync(checkout, { recursive: true });
});

/** A command that needs the packages: `said` is what it printed, `ended` its exit code. */
function command() {
  const script = `
    import { ensureInstalled } from "./scripts/lib/install.mjs";
    await ensureInstalled().catch((error) => { console.log(error.message); process.exit(1); });`;
  const PATH = join(checkout, "bin") + delimiter + process.env.PATH;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: checkout,
    env: { ...process.env, PATH },
  });
  children.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const ended = new Promise((resolve) => child.on("close", resolve));
  return { child, ended, said: () => said };
}

const calls = () => (existsSync(join(checkout, "calls")) ? readFileSync(join(checkout, "calls"), "utf8") : "");

it("installs once for two commands that start at the same time: the second says that it waits", async () => {
  const both = [command(), command()];
  expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0]);
  expect(calls()).toBe("ci\n");
  expect(both.filter(({ said }) => said().includes("Installing the packages"))).toHaveLength(1);
  expect(both.filter(({ said }) => waits.test(said()))).toHaveLength(1);
});

it("installs in the second command when the first one could not", async () => {
  writeFileSync(join(checkout, "fails-once"), "");
  const both = [command(), command()];
  const codes = await Promise.all(both.map(({ ended }) => ended));
  expect(codes.toSorted()).toEqual([0, 1]);
  expect(calls()).toBe("ci\nci\n");
});

it("waits for npm also where the command that called it was killed", async () => {
  const first = command();
  await expect.poll(calls, { interval: 10, timeout: 20_000 }).toBe("ci\n");
  first.child.kill("SIGKILL");
  await first.ended;
  const second = command();
  expect(await second.ended).toBe(0);
  expect(second.said()).toMatch(waits);
  expect(calls()).toBe("ci\n");
});

it("ends npm on Ctrl-C, and lets the next command install", async () => {
  const first = command();
  await expect.poll(calls, { interval: 10, timeout: 20_000 }).toBe("ci\n");
  first.child.kill("SIGINT");
  expect(await first.ended).toBe(1);
  expect(existsSync(join(checkout, "node_modules", ".package-lock.json"))).toBe(false);
  expect(await command().ended).toBe(0);
  expect(calls()).toBe("ci\nci\n");
});
