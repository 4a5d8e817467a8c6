import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { buildClient, packCli } from "../../scripts/lib/client/pack.mjs";
import { BIN, machinePath } from "../../scripts/lib/paths.mjs";

const { base, adminToken } = inject("product");
const run = promisify(execFile);
/** A user's project that has installed the package. */
const folder = mkdtempSync(join(tmpdir(), "petrel-cli-"));

beforeAll(async () => {
  await buildClient();
  const file = await packCli(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const onThisMachine = { cwd: folder, env: { ...process.env, PATH: machinePath } };
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", file], onThisMachine);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function admin(path: string, body: unknown) {
  const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
  const response = await fetch(`${base}/admin${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return response.json();
}

/** A project, and a folder of files for it. */
async function newDesk() {
  const { keys } = await admin("/projects", { name: "Command line" });
  const domain = `cli-${crypto.randomUUID()}.test`;
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${keys.secret}`, "Content-Type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(base + path, init);
    return response.status === 204 ? null : response.json();
  };
  await call("POST", "/domains", { domain });
  const desk = mkdtempSync(join(folder, "desk-"));
  const env = { ...process.env, PATH: machinePath, PETREL_URL: base, PETREL_KEY: keys.secret, NO_COLOR: "1" };
  return { call, from: `hello@${domain}`, folder: desk, env, petrel: (...args: string[]) => petrel(args, desk, env) };
}

/** Runs the installed command, as npx does. */
function petrel(args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(join(folder, "node_modules", ".bin", "petrel"), args, { cwd, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

describe("the command line", () => {
  it("has no dependencies", () => {
    const installed = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["petrel-cli"]);
  });

  it("says what is missing, and which command there is none of", async () => {
    const { folder: cwd, env } = await newDesk();
    const unset = await petrel(["tail"], cwd, { ...env, PETREL_KEY: "" });
    expect(unset).toMatchObject({ code: 2, err: expect.stringContaining("PETREL_KEY must be set") });
    expect(await petrel(["sned"], cwd, env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("no command sned"),
    });
    expect(await petrel(["send", "--cc", "x"], cwd, env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--cc"),
    });
    const help = await petrel(["send", "--help"], cwd, env);
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining("--template <name>"), err: "" });
  });

  it.each([
    ["the Node of this machine", machinePath],
    ["the Node of the lockfile", BIN + delimiter + machinePath],
  ])("sends a mail on %s, and shows why one is refused", async (_, path) => {
    const desk = await newDesk();
    writeFileSync(
      join(desk.folder, "mail.md"),
      `---\nsubject: Hi {{ name }}\nfrom: ${desk.from}\n---\n\n# Hello {{ name ?? "you" }}\n`,
    );
    writeFileSync(join(desk.folder, ".env"), `PETREL_URL=${base}\nPETREL_KEY=${desk.env.PETREL_KEY}\n`);
    const { PETREL_URL: _url, PETREL_KEY: _key, ...env } = { ...desk.env, PATH: path };
    const args = ["send", "--to", "ada@example.com", "--file", "mail.md", "--data", "name=Ada"];
    expect(await petrel(args, desk.folder, env)).toMatchObject({
      code: 0,
      out: expect.stringContaining("✓ ada@example.com  QUEUED"),
    });
    const { data } = await desk.call("GET", "/emails");
    expect(data).toMatchObject([{ to: "ada@example.com", subject: "Hi Ada" }]);
    const refused = await petrel([...args, "--from", "hello@nobody.example.org"], desk.folder, env);
    expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("nobody.example.org") });
  });

  it("shows what happens as it happens, until Ctrl-C", async () => {
    const desk = await newDesk();
    await desk.call("POST", "/events/track", { email: "ada@example.com", event: "first" });
    const args = ["tail", "--types", "event.triggered"];
    const child = spawn(join(folder, "node_modules", ".bin", "petrel"), args, { cwd: desk.folder, env: desk.env });
    child.stdout.setEncoding("utf8");
    const shown = { text: "" };
    const until = (word: string) =>
      new Promise<void>((resolve) => {
        const look = () => shown.text.includes(word) && resolve();
        child.stdout.on("data", look);
        look();
      });
    child.stdout.on("data", (chunk) => (shown.text += chunk));
    const ended = new Promise((resolve) => child.on("close", resolve));
    await until("first");
    await desk.call("POST", "/events/track", { email: "ada@example.com", event: "second" });
    await until("second");
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(shown.text.split("\n").filter((line) => line.includes("ada@example.com"))).toHaveLength(2);
  });

  it("imports a CSV file, and names the rows that it skipped", async () => {
    const desk = await newDesk();
    writeFileSync(join(desk.folder, "contacts.csv"), "email,subscribed,plan\nada@example.com,no,pro\nnope,yes,free\n");
    const { code, out } = await desk.petrel("import", "contacts.csv", "--subscribed", "column");
    expect([code, out.split("\n").slice(0, 2)]).toEqual([
      0,
      ["✓ 2 rows: 1 new, 0 updated, 1 skipped", "  row 3  invalid_email  nope"],
    ]);
    const { data } = await desk.call("GET", "/contacts");
    expect(data).toMatchObject([{ email: "ada@example.com", subscribed: false, data: { plan: "pro" } }]);
    expect(await desk.petrel("import", "none.csv")).toMatchObject({
      code: 1,
      err: expect.stringContaining("No such file: none.csv"),
    });
  });
});
