import { readdirSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { SCHEMA_QUERIES } from "../../scripts/lib/schema.mjs";
import { allQueues, cleanAccount, closeCheckouts, openCheckout, startStubWorker } from "../support/deploy-checkout";

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
// Of ten queues the first and the last: what lies between them is the same call.
const others = allQueues.slice(1, -1);
const between = others.map((name) => `queues create ${name}`);
const faults = [
  ...reads.map((call) => ({ call, when: "before" as const })),
  ...effects
    .filter((call) => !between.includes(call))
    .flatMap((call) => [
      { call, when: "before" as const },
      { call, when: "after" as const },
    ]),
];

describe("a first deploy", { timeout: 30_000 }, () => {
  it("makes these calls and no other", async () => {
    const checkout = openCheckout({ ...cleanAccount, address: (await startStubWorker()).base });
    expect((await checkout.deploy(["--sandbox"])).code).toBe(0);
    expect(new Set(checkout.calls())).toEqual(new Set([...reads, ...effects]));
  });

  it.each(faults)("whose $call fails $when its effect is ended by the next one", async ({ call, when }) => {
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
  it.each([
    `d1 execute DB --remote --json --command ${SCHEMA_QUERIES.rows}`,
    `d1 execute DB --remote --json --command ${SCHEMA_QUERIES.applied}`,
    "d1 migrations apply DB --remote",
    "deploy",
  ])("whose %s fails changes no secret, and the next one goes through", async (call) => {
    const checkout = openCheckout({ ...cleanAccount, address: (await startStubWorker({ projects: 1 })).base });
    await checkout.deploy(["--sandbox"]);
    const { secrets } = checkout.account();
    checkout.change({ fault: { call, when: "before" } });
    expect((await checkout.deploy(["--sandbox"])).code).toBe(1);
    expect((await checkout.deploy(["--sandbox"])).code).toBe(0);
    expect(checkout.account()).toMatchObject({ secrets, databases: [{ name: "petrel" }] });
    expect(checkout.account().queues.toSorted()).toEqual(allQueues.toSorted());
    expect(checkout.deployed()).toHaveLength(2);
    expect(checkout.placeholders()).toHaveLength(1);
  });
});
