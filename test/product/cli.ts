import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { packCli } from "../../scripts/lib/client/pack.mjs";
import { machinePath } from "../../scripts/lib/paths.mjs";

const { base, adminToken } = inject("product");
const run = promisify(execFile);
/** A user's project that has installed the package. */
export const folder = mkdtempSync(join(tmpdir(), "petrel-cli-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

let installed: Promise<void> | undefined;

/** Installs the package as a user does, once for all files that ask. */
export function installCli(): Promise<void> {
  installed ??= install();
  return installed;
}

async function install() {
  const file = await packCli(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const onThisMachine = { cwd: folder, env: { ...process.env, PATH: machinePath } };
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", file], onThisMachine);
}

async function admin(path: string, body: unknown) {
  const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
  const response = await fetch(`${base}/admin${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return response.json<{ keys: { secret: string } }>();
}

/** A project, and a folder of files for it. */
export async function newDesk() {
  const { keys } = await admin("/projects", { name: "Command line" });
  const domain = `cli-${crypto.randomUUID().slice(0, 8)}.test`;
  const call = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = { Authorization: `Bearer ${keys.secret}`, "Content-Type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(base + path, init);
    return response.json();
  };
  await call("POST", "/domains", { domain });
  const desk = mkdtempSync(join(folder, "desk-"));
  const env = { ...process.env, PATH: machinePath, PETREL_URL: base, PETREL_KEY: keys.secret, NO_COLOR: "1" };
  return { call, from: `hello@${domain}`, folder: desk, env, petrel: (...args: string[]) => petrel(args, desk, env) };
}

/** Runs the installed command, as npx does. */
export function petrel(args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(join(folder, "node_modules", ".bin", "petrel"), args, { cwd, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}
