import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readHealth } from "../../scripts/lib/doctor/health.mjs";
import { mailEnd } from "../../scripts/lib/doctor/mail-report.mjs";
import { takeLock } from "../../scripts/lib/lock.mjs";
import { findFreePort } from "../../scripts/lib/port.mjs";
import {
  closeCheckouts,
  healthy,
  openCheckout,
  secretsNamed,
  startStubWorker,
  widest,
} from "../support/deploy-checkout";

const adminToken = "t".repeat(32);
const key = `sk_${"c".repeat(64)}`;
const given = { ADMIN_TOKEN: adminToken, PETREL_KEY: key };

const lostDomain = {
  name: "sender_domains",
  status: "warn",
  summary: "1 verified sender domain lost DNS records.",
  detail: "mail.acme.example since 2026-01-31T07:00:00.000Z",
  mend: "GET /domains/{id}/verify says which records are missing. After three days without them, the domain can no longer send.",
};
const shortTables = {
  name: "migrations",
  status: "fail",
  summary: "1 database without the tables of this version, which needs the migration 0000_tables.sql.",
  detail: "\u001b[2JDB: no migration",
  mend: "Run `npm run deploy`, which applies the migrations before it uploads the code.",
};
const warned = { ...healthy, status: "warn", checks: [...healthy.checks, lostDomain] };
const failed = { ...healthy, status: "fail", checks: [shortTables, ...warned.checks] };

type Others = NonNullable<Parameters<typeof startStubWorker>[0]>["others"];

/** A checkout whose petrel.toml names an installation that answers like this. */
async function deployedWorker(others: Others = {}) {
  const worker = await startStubWorker({ others });
  const checkout = openCheckout();
  checkout.write("petrel.toml", `[deployed]\naddress = "${worker.base}"\n`);
  const doctor = async (args: string[] = [], environment: Record<string, string> = given) => {
    const { code, out, err } = await checkout.run("doctor", ["--deployed", ...args], environment, {
      isTerminal: false,
    });
    for (const secret of [adminToken, key]) expect(out + err).not.toContain(secret);
    return { code, out, err, words: (out + err).replaceAll(/\s+/g, " ") };
  };
  return { ...worker, doctor };
}

/** Answers that give a mail these states, one a look. */
function mailOf(...states: string[]): Others {
  const left = [...states];
  return {
    "GET /domains": [
      200,
      [
        { domain: "new.example", verified: false },
        { domain: "acme.example", verified: true },
      ],
    ],
    "POST /v1/send": [200, { success: true, data: { emails: [{ email: "m1", status: left.shift() }] } }],
    "GET /emails/m1": () => {
      const status = left.length > 1 ? left.shift() : left[0];
      return [200, { id: "m1", status, error: status === "BOUNCED" ? "550 no such user" : null, provider: "ses" }];
    },
  };
}

afterEach(closeCheckouts);

describe("npm run doctor", () => {
  it("begins with the verdict, and has a line for each check that is ok", async () => {
    const { doctor, base, calls } = await deployedWorker();
    const { code, out } = await doctor();
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      "  ● Petrel is healthy: 1 ok",
      `    ${base}, version 1.0.0, checked at 2026-01-31T09:00:00.000Z`,
      "",
      "  ok    crons  Each schedule runs.",
      "",
      "",
    ]);
    expect(calls).toEqual([{ call: "GET /admin/health", key: `Bearer ${adminToken}`, body: "" }]);
  });

  it("says what a warning means and what mends it, and does not fail by it", async () => {
    const { doctor } = await deployedWorker({ "GET /admin/health": [200, warned] });
    const { code, out, words } = await doctor();
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}! Petrel needs a look today: 1 ok, 1 warn\n/);
    expect(words).toContain(`warn sender_domains ${lostDomain.summary} ${lostDomain.detail} → ${lostDomain.mend}`);
  });

  it("ends with 1 when a check fails, in 80 columns and without what would move the cursor", async () => {
    const { doctor } = await deployedWorker({ "GET /admin/health": [200, failed] });
    const { code, out, words } = await doctor();
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}✗ Petrel needs help now: 1 ok, 1 warn, 1 fail\n/);
    expect(words).toContain(`fail migrations ${shortTables.summary} [2JDB: no migration → ${shortTables.mend}`);
    expect(out).not.toContain("\u001b");
    expect(widest(out)).toBeLessThanOrEqual(80);
  });

  it("prints the answer itself with --json", async () => {
    const { doctor } = await deployedWorker({ "GET /admin/health": [200, failed] });
    const { code, out } = await doctor(["--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual(failed);
  });

  it.each<[string, Others, string]>([
    ["the Worker is of an earlier version", { "GET /admin/health": [404, {}] }, "is of an earlier version"],
    [
      "the Worker has no ADMIN_TOKEN",
      { "GET /admin/health": [404, {}], "GET /admin/projects?limit=1": [404, {}] },
      "the Worker has no ADMIN_TOKEN, or something else",
    ],
    [
      "the Worker is in trouble",
      { "GET /admin/health": [503, { message: "D1 does not answer." }] },
      "answered 503 to GET /admin/health: D1 does not answer.",
    ],
    ["something else answers", { "GET /admin/health": [200, { status: "up" }] }, "answers, but not as Petrel"],
  ])("says what to do when %s", async (_, others, sentence) => {
    const { base } = await startStubWorker({ others });
    await expect(readHealth({ base, adminToken })).rejects.toThrow(sentence);
  });

  it("says what to do when nothing listens at the address", async () => {
    const base = `http://127.0.0.1:${await findFreePort()}`;
    const sentence = `${base} gave no answer (ECONNREFUSED): check the address`;
    await expect(readHealth({ base, adminToken })).rejects.toThrow(sentence);
  });

  it("ends with a sentence and 1 when the token is wrong or something is missing", async () => {
    const { doctor } = await deployedWorker({ "GET /admin/health": [401, {}] });
    for (const [args, environment, sentence] of [
      [[], given, "does not take this ADMIN_TOKEN"],
      [["--send", "ada@acme.com"], { ...given, PETREL_KEY: "" }, "set PETREL_KEY in the environment"],
      [["--sent"], given, "Unknown option '--sent'"],
    ] as const) {
      const { code, out, err } = await doctor([...args], environment);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain(sentence);
      expect(err).not.toMatch(/^ +at /m);
    }
  });

  it("says what it takes with --help, in 80 columns", async () => {
    const { code, out } = await openCheckout().run("doctor", ["--help"]);
    expect([code, widest(out) <= 80]).toEqual([0, true]);
    expect(out).toContain("--deployed");
  });
});

describe("npm run doctor -- --send", () => {
  it("follows a mail from accepted to delivered, from the verified domain", async () => {
    const { doctor, calls } = await deployedWorker(mailOf("QUEUED", "SENDING", "SENT", "DELIVERED"));
    const { code, out } = await doctor(["--send", "ada@acme.com"]);
    expect(code).toBe(0);
    expect(out).toContain("  Mail from doctor@acme.example to ada@acme.com\n");
    const shown = [...out.matchAll(/^ +\d+\.\d s {2}([A-Z]+)$/gm)].map(([, status]) => status);
    expect(shown).toEqual(["QUEUED", "SENDING", "SENT", "DELIVERED"]);
    expect(out).toContain("  ● Delivered to the mailbox.\n");
    const sent = calls.find(({ call }) => call === "POST /v1/send");
    expect(sent?.key).toBe(`Bearer ${key}`);
    expect(JSON.parse(sent?.body ?? "")).toMatchObject({ to: "ada@acme.com", from: "doctor@acme.example" });
  });

  it("ends with 1 when the mail comes back, and says why", async () => {
    const { doctor } = await deployedWorker(mailOf("QUEUED", "BOUNCED"));
    const { code, out } = await doctor(["--send", "ada@acme.com"]);
    expect(code).toBe(1);
    expect(out).toContain("  ✗ The mail is BOUNCED: 550 no such user\n");
  });

  it("shows the health nevertheless when the mail is refused, also with --json", async () => {
    const refusal = { message: "to: Must be an email address such as ada@example.com." };
    const { doctor } = await deployedWorker({ ...mailOf("QUEUED"), "POST /v1/send": [422, refusal] });
    const { code, out } = await doctor(["--send", "nope", "--json"]);
    expect(code).toBe(1);
    const error = `POST /v1/send answered 422: ${refusal.message}`;
    expect(JSON.parse(out)).toEqual({ ...healthy, mail: { to: "nope", status: null, error, sent: false } });
  });

  it.each([
    [
      { status: "SENT", provider: "ses", sent: true },
      "! ses accepted the mail, and reported no delivery within a minute.",
    ],
    [{ status: "QUEUED", provider: null, sent: false }, "✗ The mail was not sent within a minute: look at the checks"],
    [{ status: "SUPPRESSED", provider: null, sent: false }, "✗ The mail is SUPPRESSED."],
    [{ status: "DELIVERED", provider: "outbox", sent: true }, "● Delivered to the outbox: https://a.example/outbox"],
  ])("says what became of a mail that is %j", (mail, sentence) => {
    const said = mailEnd("https://a.example", { ...mail, error: null });
    expect(said.replaceAll(/\s+/g, " ")).toContain(sentence);
    expect(widest(said)).toBeLessThanOrEqual(80);
  });

  it("sends nothing without a verified domain", async () => {
    const { doctor, calls } = await deployedWorker({ "GET /domains": [200, []] });
    const { code, words } = await doctor(["--send", "ada@acme.com"]);
    expect(code).toBe(1);
    expect(words).toContain("has no verified domain to send from");
    expect(calls.map(({ call }) => call)).not.toContain("POST /v1/send");
  });
});

describe("the end of a deploy", () => {
  it("shows the verdict and only what is not ok, in a log too when the token is given", async () => {
    const { base } = await startStubWorker({ projects: 1, others: { "GET /admin/health": [200, failed] } });
    const checkout = openCheckout({
      address: base,
      secrets: secretsNamed("ADMIN_TOKEN", "LINK_SECRETS", "WEBHOOK_SECRETS"),
    });
    for (const isTerminal of [true, false]) {
      const { code, said } = await checkout.deploy(["--sandbox"], { ADMIN_TOKEN: adminToken }, { isTerminal });
      expect(code).toBe(0);
      expect(said).toContain("  ✗ Petrel needs help now: 1 ok, 1 warn, 1 fail\n");
      expect(said.replaceAll(/\s+/g, " ")).toContain(shortTables.mend);
      expect(said).not.toContain("Each schedule runs.");
      expect(said).not.toContain(adminToken);
      expect(widest(said)).toBeLessThanOrEqual(80);
    }
  });

  it("does not fail when the health cannot be read", async () => {
    const { base } = await startStubWorker({ others: { "GET /admin/health": [500, { message: "Out of order." }] } });
    const { code, said } = await openCheckout({ address: base }).deploy(["--sandbox"]);
    expect(code).toBe(0);
    expect(said).toContain("Petrel is deployed");
    expect(said.replaceAll(/\s+/g, " ")).toContain("answered 500 to GET /admin/health: Out of order.");
  });
});

it("finds the Petrel that runs here, and sends from its demo project", async () => {
  const stateDir = mkdtempSync(join(tmpdir(), "petrel-doctor-test-"));
  const { base, calls } = await startStubWorker({ others: mailOf("QUEUED", "DELIVERED") });
  const lock = await takeLock(join(stateDir, "lock"), { command: "npm start", port: new URL(base).port });
  try {
    writeFileSync(join(stateDir, "settings.env"), `ADMIN_TOKEN='${adminToken}'\n`);
    writeFileSync(join(stateDir, "demo.json"), JSON.stringify({ secretKey: key }));
    const { code, out } = await openCheckout().run("doctor", ["--send", "ada@example.com"], { STATE_DIR: stateDir });
    expect(code).toBe(0);
    expect(out).toContain("Delivered");
    expect(calls.find(({ call }) => call === "GET /admin/health")?.key).toBe(`Bearer ${adminToken}`);
    expect(calls.find(({ call }) => call === "POST /v1/send")?.key).toBe(`Bearer ${key}`);
  } finally {
    lock.release?.();
    rmSync(stateDir, { recursive: true });
  }
});
