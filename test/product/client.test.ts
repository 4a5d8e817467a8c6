import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { packClient } from "../../scripts/lib/client/pack.mjs";
import { BIN, CLIENT, machinePath } from "../../scripts/lib/paths.mjs";
import { newWebhookSecret, signedHeaders } from "../../src/core/webhooks/signature";
import { blocksOf } from "./blocks/read";
import { runBlocks } from "./blocks/run";

const product = inject("product");
const { base, adminToken } = product;
const run = promisify(execFile);
/** A user's project that has installed the package. */
const folder = mkdtempSync(join(tmpdir(), "petrel-client-"));
const onThisMachine = { cwd: folder, env: { ...process.env, PATH: machinePath } };

beforeAll(async () => {
  const file = await packClient(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", file], onThisMachine);
  cpSync(join(CLIENT, ".tests"), folder, { recursive: true });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function expectAllRight(faults: Record<string, string>) {
  expect(Object.entries(faults).filter(([, fault]) => fault !== "")).toEqual([]);
  expect(Object.keys(faults).length).toBeGreaterThan(40);
}

it.concurrent.each([
  ["the Node of this machine", machinePath],
  ["the Node of the lockfile", BIN + delimiter + machinePath],
])("does what it promises on %s", async (_, path) => {
  const { stdout } = await run("node", ["run.js", base, adminToken], {
    cwd: folder,
    env: { ...process.env, PATH: path },
  });
  expectAllRight(JSON.parse(stdout));
});

it.concurrent("does what it promises in a Worker", async () => {
  // As wrangler bundles it.
  const outfile = join(folder, "bundled.js");
  await build({ entryPoints: [join(folder, "worker.js")], bundle: true, format: "esm", external: ["node:*"], outfile });
  writeFileSync(join(folder, "checks.capnp"), checksInWorker);
  const { stdout } = await run(join(BIN, "workerd"), ["test", "checks.capnp"], onThisMachine);
  expectAllRight(JSON.parse(stdout));
});

const checksInWorker = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "checks", worker = (
    modules = [(name = "worker.js", esModule = embed "bundled.js")],
    compatibilityDate = "2026-11-02",
    bindings = [(name = "baseUrl", text = "${base}"), (name = "adminToken", text = "${adminToken}")],
  )),
  (name = "internet", network = (allow = ["local"])),
]);
`;

/** The names that the blocks of the README take for granted. */
const given = `import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Petrel } from "petrel-client";
const petrel = new Petrel({ key: "sk_…", baseUrl: "http://localhost:8080" });
const { id } = await petrel.contacts.upsert({ email: "known@example.com" });
const mail = { to: "ada@example.com", from: "hello@petrel.test", subject: "Hi", body: "<p>Hi</p>" };
const [receipt, order] = [mail, { id: 7 }];
writeFileSync("contacts.csv", "email,subscribed\\nada@example.com,yes\\n");
`;

it("does what its README shows", async () => {
  const [install, first, ...others] = blocksOf(readFileSync(join(CLIENT, "README.md"), "utf8"));
  if (!install || !first) throw new Error("The README shows no code");
  const packages = join(folder, "node_modules");
  const reader = {
    line: 0,
    about: "",
    language: "js",
    code: `${given}await petrel.contacts.update(id, { subscribed: true });`,
  };
  const blocks = [
    install,
    reader,
    first,
    { ...first, language: "text", code: "known@example.com" },
    ...others.map((block) => ({ ...block, code: given + block.code })),
  ];
  await runBlocks("client", blocks, product, packages);
});

it("takes what the product has signed, also while a webhook has two secrets", async () => {
  const { webhooks } = await import(join(folder, "node_modules", "petrel-client", "dist", "index.js"));
  const [secret, next] = [newWebhookSecret(), newWebhookSecret()];
  const body = JSON.stringify({ type: "email.delivered", timestamp: "", data: { subject: "Grüße" } });
  const headers = await signedHeaders([secret, next], { id: "1", at: Date.now(), body });
  for (const one of [secret, next]) expect(await webhooks.verify(body, headers, one)).toEqual(JSON.parse(body));
  await expect(webhooks.verify(body, headers, newWebhookSecret())).rejects.toThrow(/No signature fits/);
});

it("has no dependencies, and 8 KB of code at most, compressed", async () => {
  const installed = join(folder, "node_modules");
  expect(readdirSync(installed).filter((name) => !name.startsWith("."))).toEqual(["petrel-client"]);
  const scripts = readdirSync(join(installed, "petrel-client", "dist"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .map((name) => readFileSync(join(installed, "petrel-client", "dist", name), "utf8"));
  expect(gzipSync(scripts.join("")).length).toBeLessThan(8 * 1024);
});
