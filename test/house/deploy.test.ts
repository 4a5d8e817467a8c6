import { readdirSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { credentialObstacles, PROVIDERS, withProviderBindings } from "../../scripts/lib/provider.mjs";
import { isSetting, OWN_SECRETS } from "../../scripts/lib/settings.mjs";
import { providers } from "../../src/platform/mailer/providers";
import {
  allQueues,
  cleanAccount,
  closeCheckouts,
  curlIn,
  keys,
  located,
  openCheckout,
  secretsNamed,
  startStubWorker,
  widest,
} from "../support/deploy-checkout";

const own = secretsNamed(...OWN_SECRETS.map(({ name }) => name));

vi.setConfig({ testTimeout: 30_000 });
afterEach(closeCheckouts);

describe("secrets", () => {
  it("go to the Worker alone, in one upload with the code, and are shown once", async () => {
    const checkout = openCheckout({ ...cleanAccount, address: (await startStubWorker()).base });
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code).toBe(0);
    const secrets = checkout.secrets();
    expect(Object.keys(secrets)).toEqual(expect.arrayContaining(["ADMIN_TOKEN", "LINK_SECRETS", "WEBHOOK_SECRETS"]));
    for (const value of Object.values(secrets)) {
      expect(said.split(value)).toHaveLength(2);
      expect(checkout.calls().join("\n")).not.toContain(value);
      for (const file of ["petrel.toml", ".petrel.deploy.json"]) expect(checkout.read(file)).not.toContain(value);
    }
    // The first version that has the code has the secrets as well.
    expect(checkout.deployed().map((version) => version.secrets)).toEqual([Object.keys(secrets)]);
    expect(checkout.account().secretsMode).toBe("600");
    expect(readdirSync(checkout.temporary)).toEqual([]);
  });

  it("leave no file behind when the upload fails or is interrupted", async () => {
    const upload = "deploy --secrets-file FILE";
    const checkout = openCheckout({ fault: { call: upload, when: "before" } });
    expect((await checkout.deploy(["--sandbox"])).code).toBe(1);
    expect(readdirSync(checkout.temporary)).toEqual([]);
    checkout.change({ fault: { call: upload, when: "interrupted" } });
    expect((await checkout.deploy(["--sandbox"])).code).toBe(143);
    expect(readdirSync(checkout.temporary)).toEqual([]);
  });

  it("are not printed where the output is no terminal, and no project is made whose keys would be", async () => {
    const worker = await startStubWorker();
    const checkout = openCheckout({ address: worker.base });
    const { said, code } = await checkout.deploy(["--sandbox"], {}, { isTerminal: false });
    expect(code).toBe(0);
    for (const value of Object.values(checkout.secrets())) expect(said).not.toContain(value);
    expect(worker.calls).toEqual([]);
    const text = said.replaceAll(/\s+/g, " ");
    expect(text).toContain("not shown, as this is no terminal");
    expect(text).toContain("npx wrangler secret put ADMIN_TOKEN --name petrel");
    expect(widest(said)).toBeLessThanOrEqual(80);
  });

  it("may begin with an ADMIN_TOKEN that the environment gives, if it is one", async () => {
    const checkout = openCheckout({ address: (await startStubWorker()).base });
    const { said, code } = await checkout.deploy(["--sandbox"], { ADMIN_TOKEN: "short" });
    expect(code).toBe(1);
    expect(said).toContain("ADMIN_TOKEN in the environment must be");
    await checkout.deploy(["--sandbox"], { ADMIN_TOKEN: "t".repeat(32) });
    expect(checkout.secrets().ADMIN_TOKEN).toBe("t".repeat(32));
  });
});

describe("the first deploy", () => {
  it("makes a project, and ends with its keys and a curl line that sends a mail", async () => {
    const worker = await startStubWorker({ opensLate: true });
    const checkout = openCheckout({ address: worker.base });
    const { said } = await checkout.deploy(["--sandbox"]);
    expect(widest(said)).toBeLessThanOrEqual(80);
    expect(said).toContain(worker.base);
    expect(said).toContain(keys.public);
    const admin = `Bearer ${checkout.secrets().ADMIN_TOKEN}`;
    expect(worker.calls.filter(({ call }) => call !== "GET /health")).toEqual([
      { call: "GET /admin/projects?limit=1", key: admin, body: "" },
      { call: "GET /admin/projects?limit=1", key: admin, body: "" },
      { call: "GET /admin/people?limit=1", key: admin, body: "" },
      { call: "POST /admin/people/link", key: admin, body: "{}" },
      { call: "POST /admin/projects", key: admin, body: '{"name":"First project"}' },
      { call: "POST /domains", key: `Bearer ${keys.secret}`, body: '{"domain":"petrel.test"}' },
      { call: "GET /admin/health", key: admin, body: "" },
    ]);
    const [url, , , , key, , body = ""] = await curlIn(said);
    expect([url, key]).toEqual([`${worker.base}/v1/send`, `Authorization: Bearer ${keys.secret}`]);
    expect(JSON.parse(body)).toMatchObject({ to: "ada@example.com", from: "hello@petrel.test" });
  });

  it("says how to verify a domain before the first mail, with a real provider", async () => {
    const worker = await startStubWorker();
    const checkout = openCheckout({ address: worker.base, secrets: secretsNamed("RESEND_API_KEY") });
    checkout.write("petrel.toml", '[vars]\nMAIL_PROVIDER = "resend"\n');
    const { said } = await checkout.deploy();
    expect(widest(said)).toBeLessThanOrEqual(80);
    expect(said).toMatch(/Before the first mail, verify the domain/);
    expect(said).toContain(`${worker.base}/hooks/resend`);
    const [url, , , , key, , body = ""] = await curlIn(said);
    expect([url, key]).toEqual([`${worker.base}/domains`, `Authorization: Bearer ${keys.secret}`]);
    expect(JSON.parse(body)).toEqual({ domain: "your-domain" });
    expect(worker.calls.map(({ call }) => call)).not.toContain("POST /domains");
  });

  it("writes petrel.toml with the account, the address and each database's id, and sets PUBLIC_URL", async () => {
    const worker = await startStubWorker();
    const checkout = openCheckout({ address: worker.base });
    await checkout.deploy(["--sandbox"]);
    const notes = [`account = "acme"`, `address = "${worker.base}"`, `DB = "id-of-petrel"`];
    expect(checkout.read("petrel.toml")).toMatch(new RegExp(`\\[deployed\\]\\n${notes.join("\\n")}\\n$`));
    const [version, ...more] = checkout.deployed();
    expect(version.vars).toMatchObject({ PUBLIC_URL: worker.base, SANDBOX: "true" });
    expect(version).toMatchObject({
      account_id: "acme",
      d1_databases: [{ binding: "DB", database_id: "id-of-petrel", migrations_dir: "migrations" }],
    });
    expect(more).toEqual([]);
  });

  it("takes the name with a placeholder that has nothing, as that tells the address", async () => {
    const checkout = openCheckout({ ...cleanAccount, address: (await startStubWorker()).base });
    await checkout.deploy(["--sandbox"]);
    expect(checkout.placeholders()).toHaveLength(1);
    const { name, workers_dev, limits, secrets, ...rest } = checkout.placeholders()[0];
    expect({ name, workers_dev, limits, secrets }).toEqual({
      name: "petrel",
      workers_dev: true,
      limits: { cpu_ms: 60000 },
      secrets: [],
    });
    expect(Object.keys(rest)).toEqual(["main", "compatibility_date"]);
    expect(checkout.calls().indexOf("deploy a placeholder")).toBeLessThan(
      checkout.calls().indexOf(`queues create ${allQueues[0]}`),
    );
  });

  it("sets PUBLIC_URL by a second upload where the Worker is there and petrel.toml is lost", async () => {
    const checkout = openCheckout({ secrets: own });
    await checkout.deploy(["--sandbox"]);
    expect(checkout.placeholders()).toEqual([]);
    expect(checkout.deployed().map(({ vars }) => vars.PUBLIC_URL)).toEqual(["", checkout.account().address]);
  });

  it("creates what the account lacks, and nothing that is there", async () => {
    const checkout = openCheckout({
      queues: allQueues.slice(1),
      databases: [],
      secrets: own,
    });
    checkout.write("petrel.toml", '[vars]\nDATA_LOCATION = "weur"\n');
    const { said } = await checkout.deploy(["--sandbox"]);
    expect(checkout.calls().filter((call) => call.includes("create"))).toEqual([
      `queues create ${allQueues[0]}`,
      "d1 create petrel --location weur",
    ]);
    expect(said).toMatch(/Queues .* created 1\n/);
    expect(said).toMatch(/R2 bucket .* there\n/);
    expect(checkout.read("petrel.toml")).toContain('DB = "id-of-petrel"');
  });
});

describe("a later deploy", () => {
  it("changes nothing in petrel.toml, deploys once, and makes no second project", async () => {
    const worker = await startStubWorker({ projects: 1 });
    const checkout = openCheckout({ address: worker.base });
    await checkout.deploy(["--sandbox"]);
    const settings = checkout.read("petrel.toml");
    const before = checkout.deployed().length;
    const { said, code } = await checkout.deploy(["--sandbox"], { ADMIN_TOKEN: "t".repeat(32) });
    expect(code).toBe(0);
    expect(said).toContain("There are projects already");
    expect(checkout.read("petrel.toml")).toBe(settings);
    expect(checkout.deployed()).toHaveLength(before + 1);
    expect(worker.calls.map(({ call }) => call)).not.toContain("POST /admin/projects");
  });

  it("keeps to its database, also when that got another name", async () => {
    const checkout = openCheckout({ secrets: own, databases: [{ name: "renamed", uuid: "ours" }] });
    checkout.write("petrel.toml", '[deployed]\naccount = "acme"\nDB = "ours"\n');
    expect((await checkout.deploy(["--sandbox"])).code).toBe(0);
    expect(checkout.calls().filter((call) => call.includes("create"))).toEqual([]);
    expect(checkout.deployed()[0].d1_databases).toMatchObject([{ database_id: "ours" }]);
  });

  it("prints the call that makes a project when it has no ADMIN_TOKEN", async () => {
    const worker = await startStubWorker();
    const checkout = openCheckout({
      address: worker.base,
      secrets: own,
    });
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code).toBe(0);
    expect(widest(said)).toBeLessThanOrEqual(80);
    expect(worker.calls).toEqual([]);
    const [url, , , , key, , body = ""] = await curlIn(said, { ADMIN_TOKEN: "the-token" });
    expect([url, key]).toEqual([`${worker.base}/admin/projects`, "Authorization: Bearer the-token"]);
    expect(JSON.parse(body)).toEqual({ name: "First project" });
  });
});

describe("petrel.toml", () => {
  const operators = `# Ours.
name = "acme-mail"

[vars]
MAIL_PROVIDER = "resend"
RATE_LIMIT_ENABLED = "true" # since March
DATA_LOCATION = "weur"

[[routes]]
pattern = "mail.acme.com"
custom_domain = true

[[d1_databases]]
binding = "DB_01"
database_name = "acme-mail-01"
`;

  it("lies over wrangler.toml: settings, a domain, another database, and the name of everything", async () => {
    const checkout = openCheckout({ secrets: { ...secretsNamed("RESEND_API_KEY"), ...own } });
    checkout.write("petrel.toml", operators);
    const { said } = await checkout.deploy();
    expect(said).toContain("Petrel is deployed");
    const [config] = checkout.deployed();
    expect(config).toMatchObject({
      name: "acme-mail",
      main: "src/index.ts",
      routes: [{ pattern: "mail.acme.com", custom_domain: true }],
      vars: {
        MAIL_PROVIDER: "resend",
        RATE_LIMIT_ENABLED: "true",
        PUBLIC_URL: "https://mail.acme.com",
        SANDBOX: "false",
      },
      d1_databases: [
        { binding: "DB", database_name: "acme-mail", database_id: "id-of-acme-mail" },
        { binding: "DB_01", database_name: "acme-mail-01", database_id: "id-of-acme-mail-01" },
      ],
      r2_buckets: [{ binding: "BLOBS", bucket_name: "acme-mail" }],
      durable_objects: { bindings: [{ name: "PACE" }, { name: "GATE" }, { name: "WORKFLOWS" }, { name: "SWEEPS" }] },
      ratelimits: [{ name: "FLOOD_BRAKE", simple: { limit: 1000, period: 10 } }],
      observability: { enabled: true, traces: { enabled: false } },
      triggers: { crons: expect.arrayContaining(["* * * * *"]) },
    });
    expect(JSON.stringify(config)).not.toContain("petrel-");
    expect(config).not.toHaveProperty("deployed");
    expect(checkout.calls()).toContain("d1 migrations apply DB_01 --remote");
    // What the operator wrote stays as it is.
    expect(checkout.read("petrel.toml")).toMatch(
      new RegExp(`^${operators.replaceAll(/[[\]]/g, "\\$&")}\n# Written by`),
    );
  });

  it("has an example whose every line can be uncommented", async () => {
    const checkout = openCheckout({ secrets: { ...secretsNamed("RESEND_API_KEY"), ...own }, databases: [] });
    const example = checkout.read("petrel.example.toml");
    checkout.write("petrel.toml", example.replaceAll(/^# (?=\[|[\w]+ = )/gm, ""));
    const { said } = await checkout.deploy();
    expect(said).toContain("Petrel is deployed");
    const [config] = checkout.deployed();
    expect(config.vars).toMatchObject({
      MAIL_PROVIDER: "resend",
      PUBLIC_URL: "https://mail.acme.com",
      DATA_LOCATION: "eu",
    });
    expect(config).toMatchObject({ routes: [{ custom_domain: true }], d1_databases: [{}, { binding: "DB_01" }] });
    expect(config.observability).toMatchObject({
      logs: { invocation_logs: false },
      traces: { enabled: true, head_sampling_rate: 0.05 },
    });
  });

  it("gives each name counters of its own, and the same name the same ones", async () => {
    const numbers = [];
    for (const name of ["petrel", "acme-mail", "petrel"]) {
      const checkout = openCheckout({ secrets: own });
      checkout.write("petrel.toml", `name = "${name}"\n${located}`);
      await checkout.deploy(["--sandbox"]);
      numbers.push(checkout.deployed()[0].ratelimits[0].namespace_id);
    }
    expect(numbers[0]).toBe(numbers[2]);
    expect(numbers[0]).not.toBe(numbers[1]);
    for (const number of numbers) expect(number).toMatch(/^[1-9]\d{0,9}$/);
  });

  it("may give the counters another number", async () => {
    const checkout = openCheckout({ secrets: own });
    checkout.write("petrel.toml", '[[ratelimits]]\nname = "FLOOD_BRAKE"\nnamespace_id = "77"\n');
    await checkout.deploy(["--sandbox"]);
    expect(checkout.deployed()[0].ratelimits).toEqual([
      { name: "FLOOD_BRAKE", namespace_id: "77", simple: { limit: 1000, period: 10 } },
    ]);
  });

  it("is left alone when nothing is deployed", async () => {
    const checkout = openCheckout();
    expect((await checkout.deploy()).code).toBe(1);
    expect(checkout.has("petrel.toml")).toBe(false);
  });

  it.each([
    ['[vars]\nroutes = { pattern = "a" }\n', "petrel.toml, line 2, cannot be read"],
    ["[vars]\nMAIL_PROVIDER = 'ses'\n", "petrel.toml, line 2, cannot be read"],
    ["MAIL_PROVIDER: ses\n", "petrel.toml, line 1, cannot be read"],
    ['[vars]\nPUBLIC_URL = "https://a" "b"\n', "petrel.toml, line 2, cannot be read"],
  ])("is refused rather than misread: %j", async (text, reason) => {
    const checkout = openCheckout();
    checkout.write("petrel.toml", text);
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code).toBe(1);
    expect(said).toContain(reason);
    expect(checkout.calls()).toEqual([]);
  });

  it("knows every setting of the mail providers that the Worker knows", () => {
    const known = Object.entries(PROVIDERS).map(([name, { needs, takes }]) => [
      name,
      needs,
      [...needs, ...takes].sort(),
    ]);
    const others = providers.filter(({ name }) => name !== "outbox");
    expect(known).toEqual(others.map(({ name, needs, settings }) => [name, needs, Object.keys(settings).sort()]));
  });

  it("gives the Worker the binding and the queue of Cloudflare Email Service, if it is chosen", () => {
    const config = { name: "acme", queues: { consumers: [{ queue: "acme-mail" }] } };
    const none = { ...config, vars: { MAIL_PROVIDER: "ses" } };
    expect(withProviderBindings(none)).toEqual(none);
    const chosen = { ...config, vars: { MAIL_PROVIDER: "ses", MAIL_PROVIDER_FALLBACK: "cloudflare" } };
    const whole = withProviderBindings(chosen);
    expect(whole).toMatchObject({ ...chosen, send_email: [{ name: "EMAIL" }], queues: expect.anything() });
    expect(whole.queues.consumers.map(({ queue }) => queue)).toEqual([
      "acme-mail",
      "acme-mail-reports",
      "acme-mail-reports-dead",
    ]);
    expect(withProviderBindings(whole)).toEqual(whole);
    expect(credentialObstacles({ config: { ...whole, vars: { MAIL_PROVIDER: "cloudflare" } } }, [])).toEqual([]);
  });

  it("takes each of them from the environment at `npm start`", () => {
    const names = providers.flatMap(({ settings }) => Object.keys(settings));
    expect(names.filter((name) => !isSetting(name, {}))).toEqual([]);
    expect(isSetting("HOME", {})).toBe(false);
  });
});
