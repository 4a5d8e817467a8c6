import { execFile, execFileSync, spawnSync } from "node:child_process";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { mailLine } from "../../scripts/lib/mail-log.mjs";
import { findFreePort } from "../../scripts/lib/port.mjs";
import { welcome } from "../../scripts/lib/welcome.mjs";
import { watchLog, withoutTokens } from "../../scripts/lib/worker-log.mjs";

const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

const shown = welcome({
  base: "http://localhost:8080",
  demo: { secretKey: `sk_${"a".repeat(64)}`, publicKey: `pk_${"b".repeat(64)}` },
  settings: { MAIL_PROVIDER: "outbox" },
  state: { shownAs: ".wrangler/state" },
  tokenPlace: ".dev.vars",
  notes: [],
});

it("welcomes in 80 columns, with a curl line that a shell takes as one command", () => {
  expect(widest(shown)).toBeLessThanOrEqual(80);
  const [curlLine = ""] = shown.match(/^curl [\s\S]+?\}'$/m) ?? [];
  const script = `curl() { printf '%s\\n' "$@"; }\n${curlLine}`;
  const [url, , type, , key, , ...body] = execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\n");
  expect([url, type, key]).toEqual([
    "http://localhost:8080/v1/send",
    "Content-Type: application/json",
    `Authorization: Bearer sk_${"a".repeat(64)}`,
  ]);
  expect(JSON.parse(body.join("\n"))).toMatchObject({ to: "ada@example.com", data: { name: "Ada" } });
});

it("says where the operator's token stands, and does not show it", () => {
  expect(shown).toContain("ADMIN_TOKEN, in .dev.vars, for /admin");
});

it.each([
  ["sendgrid", /^MAIL_PROVIDER is sendgrid, .* It can be ses, resend, postmark, smtp, cloudflare or outbox\.$/],
  [
    "resend",
    /^MAIL_PROVIDER is resend, which needs RESEND_API_KEY: set what is missing in \.dev\.vars or the environment\.$/,
  ],
])("ends in one sentence when MAIL_PROVIDER is %s, and starts nothing", async (provider, sentence) => {
  const environment = {
    ...process.env,
    MAIL_PROVIDER: provider,
    PORT: String(await findFreePort()),
    RESEND_API_KEY: "",
  };
  const ended = spawnSync(process.execPath, ["scripts/start.mjs"], { encoding: "utf8", env: environment });
  expect([ended.status, ended.stdout]).toEqual([1, ""]);
  expect(ended.stderr.trim()).toMatch(sentence);
});

it("says what it takes with --help, in 80 columns, and starts nothing", () => {
  const said = execFileSync(process.execPath, ["scripts/start.mjs", "--help"], { encoding: "utf8" });
  expect(said).toContain("PORT");
  expect(widest(said)).toBeLessThanOrEqual(80);
});

it("has one line for a mail, whatever it says", () => {
  const line = mailLine({
    to: "ada@example.com",
    subject: `\u001b[2J\n${"long ".repeat(50)}`,
    createdAt: "2026-01-31T09:00:00.000Z",
  });
  expect(line).toMatch(/^\d\d:\d\d:\d\d {2}mail {2}ada@example\.com {2}.+…$/);
  expect(line.length).toBeLessThanOrEqual(80);
  expect(/\p{Cc}/u.test(line)).toBe(false);
});

it("shows a DNS resolver that is away once, without the runtime's stacks", async () => {
  const child = { stdout: new PassThrough(), stderr: new PassThrough() };
  const lines: string[] = [];
  const log = watchLog(child, { verbose: false, print: (line) => lines.push(line) });
  const away = { level: "warn", message: "A DNS resolver does not answer", resolver: "cloudflare-dns.com" };
  for (const type of ["MX", "A", "AAAA"]) {
    child.stderr.write("✘ [ERROR] e = rust/worker/ffi.rs:110: failed: failed to lookup address information: no name\n");
    child.stderr.write("  stack: /bin/workerd@383c3f9 /bin/workerd@28a3c\n");
    child.stderr.write(`✘ [WARNING] ${JSON.stringify({ ...away, type })}\n`);
  }
  child.stderr.end('✘ [ERROR] {"level":"error","message":"Request failed","trace":"    at send (src/send.ts:1)"}\n');
  await expect.poll(() => lines.length).toBe(2);
  expect(lines[0]).toContain("A DNS resolver does not answer");
  expect(lines[1]).toContain("at send");
  expect(log.sawError()).toBe(true);
});

it("shows no token of a recipient, however verbose it is", () => {
  const child = { stdout: new PassThrough(), stderr: new PassThrough() };
  const lines: string[] = [];
  watchLog(child, { verbose: true, print: (line) => lines.push(line) });
  const token = "Af-_".repeat(30);
  expect(withoutTokens(`GET /contacts/0199a0f2-6c1e 200 OK`)).toBe("GET /contacts/0199a0f2-6c1e 200 OK");
  for (const page of ["unsubscribe", "subscribe", "manage", "confirm", "c", "o"]) {
    expect(withoutTokens(`POST /${page}/${token} 200 OK (3ms)`)).toBe(`POST /${page}/… 200 OK (3ms)`);
  }
  child.stdout.end(`GET /unsubscribe/${token} 200 OK\n`);
  return expect.poll(() => lines).toEqual(["GET /unsubscribe/… 200 OK"]);
});

it("is examined by npm run doctor, which follows a mail into the outbox and shows no secret", async () => {
  const { stateDir, adminToken, secretKey, base } = inject("product");
  const args = ["scripts/doctor.mjs", "--json", "--send", "doctor@example.com"];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, STATE_DIR: stateDir },
  });
  const { status, checks, mail } = JSON.parse(stdout);
  // A machine at its limits may warn of slow work.
  expect(["ok", "warn"]).toContain(status);
  expect(checks.length).toBeGreaterThan(10);
  expect(checks).toContainEqual(expect.objectContaining({ name: "migrations", status: "ok" }));
  expect(mail).toMatchObject({ from: "doctor@petrel.test", status: "DELIVERED", provider: "outbox", sent: true });
  expect(mail.steps[0].status).toBe("QUEUED");
  const { data } = (await (await fetch(`${base}/outbox/messages?to=doctor@example.com`)).json()) as { data: unknown[] };
  expect(data).toHaveLength(1);
  for (const secret of [adminToken, secretKey]) expect(stdout).not.toContain(secret);
});
