import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { OWN_SECRETS } from "../../scripts/lib/settings.mjs";
import { readWranglerToml } from "../../scripts/lib/wrangler-toml.mjs";
import { allQueues, closeCheckouts, openCheckout, secretsNamed, widest } from "../support/deploy-checkout";

vi.setConfig({ testTimeout: 30_000 });
afterEach(closeCheckouts);

const own = secretsNamed(...OWN_SECRETS.map(({ name }) => name));
const boundQueues = allQueues.filter((name) => !name.endsWith("-dead"));
const builds = { WORKERS_CI: "1", CI: "true" };

describe("a deploy in Workers Builds", () => {
  it("applies the migrations and uploads once: it creates nothing that is there, and writes no petrel.toml", async () => {
    const checkout = openCheckout({ secrets: own });
    const { said, code } = await checkout.deploy([], builds, { isTerminal: false });
    expect(code).toBe(0);
    expect(said.replaceAll(/\s+/g, " ")).toContain('Set PUBLIC_URL = "https://petrel.acme.workers.dev" under [vars]');
    expect(checkout.calls().filter((call) => /create|apply|^deploy/.test(call))).toEqual([
      "d1 migrations apply DB --remote",
      "deploy",
    ]);
    expect(checkout.has("petrel.toml")).toBe(false);
    expect(checkout.secrets()).toEqual(own);
    expect(checkout.deployed()[0]).toMatchObject({
      vars: { MAIL_PROVIDER: "outbox", SANDBOX: "true" },
      d1_databases: [{ binding: "DB", database_id: "id-of-petrel" }],
    });
  });

  it("has a token that may not list buckets, and does not ask", async () => {
    const checkout = openCheckout({ secrets: own, lacks: ["Workers R2 Storage"] });
    expect((await checkout.deploy([], builds, { isTerminal: false })).code).toBe(0);
  });

  it.each(["D1", "Queues"])("names the permission %s that its token lacks, and where it is changed", async (lack) => {
    const checkout = openCheckout({ secrets: own, lacks: [lack] });
    const { said, code } = await checkout.deploy([], builds, { isTerminal: false });
    expect(code).toBe(1);
    expect(said.replaceAll(/\s+/g, " ")).toContain(`permission ${lack}: Edit. Workers Builds uses a token of its own`);
    expect(checkout.calls().filter((call) => /create|apply|^deploy/.test(call))).toEqual([]);
  });

  it("creates the dead-letter queues, which the Deploy button leaves out", async () => {
    const checkout = openCheckout({ secrets: own, queues: boundQueues });
    const { said, code } = await checkout.deploy([], builds, { isTerminal: false });
    expect(code, said).toBe(0);
    expect(checkout.account().queues.toSorted()).toEqual(allQueues.toSorted());
  });

  it("names the commands for all of them where it may not create them, and changes nothing", async () => {
    const checkout = openCheckout({
      secrets: own,
      queues: [...boundQueues, "petrel-mail-dead"],
      lacks: ["Queues: Edit"],
    });
    const { said, code } = await checkout.deploy([], builds, { isTerminal: false });
    expect(code).toBe(1);
    expect(widest(said)).toBeLessThanOrEqual(80);
    expect(said.replaceAll(/\s+/g, " ")).toContain("Give it the permission Queues: Edit. Workers Builds uses a token");
    const commands = said.split("\n").filter((line) => line.startsWith("  npx wrangler queues create "));
    const dead = allQueues.filter((name) => name.endsWith("-dead") && name !== "petrel-mail-dead");
    expect(commands).toEqual(dead.map((name) => `  npx wrangler queues create ${name}`));
    expect(checkout.calls().filter((call) => /apply|^deploy/.test(call))).toEqual([]);

    checkout.change({ lacks: [] });
    expect((await checkout.deploy([], builds, { isTerminal: false })).code).toBe(0);
  });

  it("leaves a queue with a binding to the button, and says which is missing", async () => {
    const checkout = openCheckout({ secrets: own, queues: allQueues.filter((name) => name !== "petrel-jobs") });
    const { said, code } = await checkout.deploy([], builds, { isTerminal: false });
    expect(code).toBe(1);
    expect(said).toContain("wrangler queues create petrel-jobs");
  });

  it("makes the secrets that nobody gave, and prints none, on whatever output", async () => {
    const checkout = openCheckout();
    const { said, code } = await checkout.deploy([], builds);
    expect(code).toBe(0);
    expect(Object.keys(checkout.secrets())).toEqual(Object.keys(own));
    for (const value of Object.values(checkout.secrets())) expect(said).not.toContain(value);
  });

  it("says which database is missing, and creates none", async () => {
    const checkout = openCheckout({ databases: [], secrets: own });
    const { said, code } = await checkout.deploy([], builds, { isTerminal: false });
    expect(code).toBe(1);
    expect(said.replaceAll(/\s+/g, " ")).toContain("npx wrangler d1 create petrel");
    expect(checkout.account().databases).toEqual([]);
  });

  it("is no sandbox with a real provider", async () => {
    const checkout = openCheckout({ secrets: { ...own, ...secretsNamed("RESEND_API_KEY") } });
    checkout.write("wrangler.toml", checkout.read("wrangler.toml").replace('= "outbox"', '= "resend"'));
    expect((await checkout.deploy([], builds, { isTerminal: false })).code).toBe(0);
    expect(checkout.deployed()[0].vars).toMatchObject({ MAIL_PROVIDER: "resend", SANDBOX: "false" });
  });
});

describe("the Deploy button", () => {
  const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url).href), "utf8");
  const entries = [...read(".dev.vars.example").matchAll(/^([A-Z_]+)=(.*)$/gm)];

  it("asks for our secrets and for nothing else, and offers no value that could go live", () => {
    expect(entries.map(([, name, value]) => ({ name, value }))).toEqual(
      OWN_SECRETS.map(({ name }) => ({ name, value: "" })),
    );
  });

  it("finds a description for each secret and each binding, and describes nothing that is not there", () => {
    const { bindings } = JSON.parse(read("package.json")).cloudflare;
    const { vars, d1_databases, r2_buckets, ratelimits, durable_objects, queues, assets } = readWranglerToml();
    const lists = [d1_databases, r2_buckets, ratelimits, durable_objects.bindings, queues.producers, [assets]];
    const bound = [...OWN_SECRETS, ...lists.flat()].map((entry) => ("binding" in entry ? entry.binding : entry.name));
    const isVariable = (name: string) => Object.hasOwn(vars, name);
    expect(
      Object.keys(bindings)
        .filter((name) => !isVariable(name))
        .toSorted(),
    ).toEqual(bound.toSorted());
    expect(Object.keys(bindings)).toEqual(expect.arrayContaining(["MAIL_PROVIDER", "PUBLIC_URL"]));
    for (const { description } of Object.values<{ description: string }>(bindings)) expect(description).toMatch(/\.$/);
  });

  it("has an example of which a copy as .dev.vars gets random secrets from `npm start`", async () => {
    const checkout = openCheckout();
    checkout.write(".dev.vars", checkout.read(".dev.vars.example"));
    const line = "console.log(JSON.stringify([module.readSettings({}), module.readSettings({})]))";
    const [first, second] = JSON.parse(await checkout.ask("settings.mjs", line));
    for (const { name } of OWN_SECRETS) expect(first[name]).toMatch(/^[0-9a-f]{64}$/);
    expect(second).toEqual(first);
  });
});
