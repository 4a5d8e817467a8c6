import { readdirSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { SCHEMA_QUERIES } from "../../scripts/lib/schema.mjs";
import { allQueues, cleanAccount, closeCheckouts, openCheckout, startStubWorker } from "../support/deploy-checkout";
import { sample } from "../support/sample";

afterEach(closeCheckouts);

const reads = ["whoami --json", "queues list", "r2 bucket list", "d1 list --json", "secret list --format json"];
const effects = [
  "deploy a placeholder",
  ...allQueues.map((name) => `queues create ${name}`),
  "r2 bucket create --location weur petrel",
  "d1 create petrel --location weur",
  "d1 migrations apply DB --remote",
  "deploy --secrets-file FILE",
];
const listings = reads.slice(1);
const lookAt = (binding: string) =>
  [SCHEMA_QUERIES.rows, SCHEMA_QUERIES.applied].map(
    (query) => `d1 execute ${binding} --remote --json --command ${query}`,
  );

/** Each call as a fault: before its effect, and after it where it has one. */
function faultsAt(calls: string[]) {
  const hasEffect = (call: string) => /create|apply|^deploy/.test(call);
  return calls.flatMap((call) => [
    { call, when: "before" as const },
    ...(hasEffect(call) ? [{ call, when: "after" as const }] : []),
  ]);
}

// Of several queues the first and the last: what lies between them is the same call.
const others = allQueues.slice(1, -1);
const ends = (names: string[]) => [...names.slice(0, 1), ...names.slice(-1)].map((name) => `queues create ${name}`);
const faults = faultsAt([
  ...reads,
  ...effects.filter((call) => !call.startsWith("queues create ")),
  ...ends(allQueues),
]);

describe("a first deploy", { timeout: 30_000 }, () => {
  it("makes these calls and no other", async () => {
    const checkout = openCheckout({ ...cleanAccount, address: (await startStubWorker()).base });
    expect((await checkout.deploy(["--sandbox"])).code).toBe(0);
    expect(new Set(checkout.calls())).toEqual(new Set([...reads, ...effects]));
  });

  it.each(sample(faults))("whose $call fails $when its effect is ended by the next one", async ({ call, when }) => {
    const { base: address } = await startStubWorker();
    const checkout = openCheckout({ ...cleanAccount, queues: others, address, fault: { call, when } });
    const first = await checkout.deploy(["--sandbox"]);
    expect(first.code).toBe(1);
    const second = await checkout.deploy(["--sandbox"]);
    expect(second.code).toBe(0);

    const { queues, buckets, databases, secrets } = checkout.account();
    expect({ queues: queues.toSorted(), buckets, databases }).toEqual({
      queues: allQueues.toSorted(),
      buckets: ["petrel"],
      databases: [{ name: "petrel", uuid: "id-of-petrel" }],
    });
    // The secrets that the Worker has are the last ones that were shown.
    const shown = [...(first.said + second.said).matchAll(/^ {2}([A-Z_]+)\n {2}([0-9a-f]{64})$/gm)];
    expect(Object.fromEntries(shown.map(([, name, value]) => [name, value]))).toEqual(secrets);
    expect(checkout.deployed().at(-1).vars.PUBLIC_URL).toBe(checkout.account().address);
    expect(checkout.read("petrel.toml")).toContain('DB = "id-of-petrel"');
    expect(readdirSync(checkout.temporary)).toEqual([]);
  });
});

describe("a later deploy", { timeout: 30_000 }, () => {
  it.each(
    sample(faultsAt(["whoami --json", ...listings, ...lookAt("DB"), "d1 migrations apply DB --remote", "deploy"])),
  )("whose $call fails $when its effect changes no secret, and the next one goes through", async (fault) => {
    const checkout = openCheckout({ ...cleanAccount, address: (await startStubWorker({ projects: 1 })).base });
    await checkout.deploy(["--sandbox"]);
    const before = checkout.account();
    checkout.change({ fault });
    expect((await checkout.deploy(["--sandbox"])).code).toBe(1);
    expect((await checkout.deploy(["--sandbox"])).code).toBe(0);
    expect(checkout.account()).toEqual({ ...before, fault });
    // An upload whose answer got lost is there all the same.
    const isThere = fault.call === "deploy" && fault.when === "after";
    expect(checkout.deployed()).toHaveLength(isThere ? 3 : 2);
    expect(checkout.placeholders()).toHaveLength(1);
  });
});

describe("a first deploy to the EU with two databases", { timeout: 30_000 }, () => {
  const toml = '[vars]\nDATA_LOCATION = "eu"\n[[d1_databases]]\nbinding = "DB_01"\ndatabase_name = "petrel-01"\n';
  // What a deploy to one area does not do.
  const own = [
    "r2 bucket create --jurisdiction eu petrel",
    "d1 create petrel --jurisdiction eu",
    "d1 create petrel-01 --jurisdiction eu",
    "d1 migrations apply DB --remote",
    "d1 migrations apply DB_01 --remote",
    "deploy --secrets-file FILE",
  ];

  it.each(sample(faultsAt(["r2 bucket list --jurisdiction eu", "d1 list --json", ...own])))(
    "whose $call fails $when its effect is ended by the next one, in the EU",
    async (fault) => {
      const checkout = openCheckout({
        ...cleanAccount,
        queues: allQueues,
        address: (await startStubWorker()).base,
        fault,
      });
      checkout.write("petrel.toml", toml);
      expect((await checkout.deploy(["--sandbox"])).code).toBe(1);
      const second = await checkout.deploy(["--sandbox"]);
      expect(second.code, second.said).toBe(0);
      const { buckets, databases } = checkout.account();
      expect({ buckets, databases }).toEqual({
        buckets: ["petrel"],
        databases: [
          { name: "petrel", uuid: "id-of-petrel" },
          { name: "petrel-01", uuid: "id-of-petrel-01" },
        ],
      });
      // Whatever was created, in whichever of the two, was created there.
      const created = checkout.calls().filter((call) => /^(r2|d1) .*create/.test(call));
      expect(new Set(created)).toEqual(new Set(own.slice(0, 3)));
      expect(checkout.deployed().at(-1)).toMatchObject({
        vars: { DATA_LOCATION: "eu" },
        r2_buckets: [{ jurisdiction: "eu" }],
        d1_databases: [{ database_id: "id-of-petrel" }, { database_id: "id-of-petrel-01" }],
      });
      expect(checkout.read("petrel.toml")).toContain('DB_01 = "id-of-petrel-01"');
    },
  );
});

describe("a deploy in Workers Builds", { timeout: 30_000 }, () => {
  const isDead = (name: string) => name.endsWith("-dead");
  const secrets = { ADMIN_TOKEN: "a".repeat(64), LINK_SECRETS: "b".repeat(64), WEBHOOK_SECRETS: "c".repeat(64) };
  const build = { WORKERS_CI: "1", CI: "true" };

  it.each(
    sample(
      faultsAt([
        "whoami --json",
        ...listings.filter((call) => !call.startsWith("r2")),
        ...ends(allQueues.filter(isDead)),
        "d1 migrations apply DB --remote",
        "deploy",
      ]),
    ),
  )("whose $call fails $when its effect is ended by its retry, and changes no secret", async (fault) => {
    const queues = allQueues.filter((name) => !isDead(name));
    const checkout = openCheckout({ queues, secrets, fault });
    expect((await checkout.deploy([], build, { isTerminal: false })).code).toBe(1);
    const retry = await checkout.deploy([], build, { isTerminal: false });
    expect(retry.code, retry.said).toBe(0);
    expect(checkout.account().queues.toSorted()).toEqual(allQueues.toSorted());
    expect(checkout.secrets()).toEqual(secrets);
    expect(checkout.account().databases).toEqual([{ name: "petrel", uuid: "id-of-petrel" }]);
    expect(checkout.has("petrel.toml")).toBe(false);
  });

  it.each(["before", "after"] as const)(
    "whose upload with new secrets fails %s its effect has all of them after its retry",
    async (when) => {
      const checkout = openCheckout({ fault: { call: "deploy --secrets-file FILE", when } });
      expect((await checkout.deploy([], build, { isTerminal: false })).code).toBe(1);
      const kept = checkout.secrets();
      expect((await checkout.deploy([], build, { isTerminal: false })).code).toBe(0);
      expect(Object.keys(checkout.secrets())).toEqual(Object.keys(secrets));
      expect(checkout.secrets()).toMatchObject(kept);
    },
  );
});
