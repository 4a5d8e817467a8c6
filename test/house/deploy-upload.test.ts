import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { reasonFor } from "../../scripts/lib/reasons.mjs";

vi.setConfig({ testTimeout: 60_000 });

const bin = fileURLToPath(new URL("../../node_modules/wrangler/bin/wrangler.js", import.meta.url).href);
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Refusal {
  code: number;
  message: string;
}

/** Cloudflare's API as far as an upload calls it, of an account without Workers. */
async function openApi(refusalOfUpload: Refusal | null) {
  const uploads: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const url = request.url ?? "";
    const answer = (result: unknown, refusal: Refusal | null = null) =>
      response
        .writeHead(refusal ? 400 : 200, { "Content-Type": "application/json" })
        .end(JSON.stringify({ success: refusal === null, errors: refusal ? [refusal] : [], messages: [], result }));
    if (request.method === "PUT" && url.includes("/workers/scripts/")) {
      uploads.push(body);
      return answer({ id: "petrel", deployment_id: "1" }, refusalOfUpload);
    }
    if (/\/(services|deployments|settings)/.test(url)) return answer(null, { code: 10007, message: "Not found" });
    return answer(url.endsWith("/workers/subdomain") ? { subdomain: "acme" } : { enabled: true });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return { base: `http://127.0.0.1:${address.port}`, uploads };
}

function environmentIn(folder: string, base: string) {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    CLOUDFLARE_API_BASE_URL: `${base}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "acme",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_WRITE_LOGS: "false",
    NO_COLOR: "1",
  };
}

/** Deploys a small Worker, with a secret, by the wrangler of the lockfile. */
async function upload(base: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "petrel-upload-test-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  const config = { name: "petrel", main: "index.js", compatibility_date: "2026-11-02", limits: { cpu_ms: 60_000 } };
  writeFileSync(join(folder, "wrangler.json"), JSON.stringify({ ...config, workers_dev: true }));
  writeFileSync(join(folder, "index.js"), 'export default { fetch: () => new Response("the code") };');
  writeFileSync(join(folder, "secrets.json"), JSON.stringify({ ADMIN_TOKEN: "the-secret" }));
  const env = environmentIn(folder, base);
  const args = [bin, "deploy", "--secrets-file", "secrets.json", "--config", "wrangler.json"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch(
    (ended: { stdout: string; stderr: string }) => ended,
  );
  return stdout + stderr;
}

it("wrangler sends code, secrets and the CPU limit in one call", async () => {
  const api = await openApi(null);
  await upload(api.base);
  expect(api.uploads).toHaveLength(1);
  expect(api.uploads[0]).toContain("the code");
  expect(api.uploads[0]).toContain('{"name":"ADMIN_TOKEN","type":"secret_text","text":"the-secret"}');
  expect(api.uploads[0]).toContain('"limits":{"cpu_ms":60000}');
});

it.each([
  [{ code: 100_328, message: "CPU limits are not supported for the Free plan." }, "Workers Paid plan"],
  [{ code: 10_000, message: "Authentication error" }, "permission Workers Scripts: Edit"],
])("what wrangler prints of the refusal %j is recognised", async (refusal, reason) => {
  const api = await openApi(refusal);
  expect(reasonFor("Workers Scripts", await upload(api.base))).toContain(reason);
});

it("wrangler says by which token it calls, for calls that it has no command for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "petrel-upload-test-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  const env = environmentIn(folder, "http://127.0.0.1:1");
  const args = [bin, "auth", "token", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual({ type: "api_token", token: "token" });
});
