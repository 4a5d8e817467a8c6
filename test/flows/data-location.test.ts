import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/core/ids";
import { tick } from "../../src/cron";
import { type Env, readConfig } from "../../src/platform/env";
import { openPlatform } from "../../src/platform/open-platform";

type Opened = { jurisdiction: string | null; name: string; hint: string | undefined };

/** Namespaces as Cloudflare has them, which note how objects are opened: workerd has no jurisdictions. */
function namespaces(): { bindings: Partial<Env>; opened: Opened[] } {
  const opened: Opened[] = [];
  const stub = new Proxy({}, { get: (_, call) => (call === "then" ? undefined : async () => null) });
  const within = (jurisdiction: string | null) => ({
    idFromName: (name: string) => ({ name }),
    get: ({ name }: { name: string }, options?: { locationHint?: string }) => {
      opened.push({ jurisdiction, name, hint: options?.locationHint });
      return stub;
    },
    jurisdiction: within,
  });
  const namespace = within(null);
  const bindings = { PACE: namespace, GATE: namespace, WORKFLOWS: namespace, SWEEPS: namespace };
  // A double has the three methods of a namespace that are called.
  return { bindings: bindings as unknown as Partial<Env>, opened };
}

/** Opens an object of every class. */
async function openEach(DATA_LOCATION: string): Promise<Opened[]> {
  const { bindings, opened } = namespaces();
  const settings = { ...env, ...bindings, DATA_LOCATION, SANDBOX: "true", ENVIRONMENT: "production" };
  const { pace, gate, workflowShards } = openPlatform(settings, createExecutionContext());
  await pace.campaignsPerSecond();
  await gate.erase("a-project");
  await workflowShards.of({ project: 1, shard: 2 }).get({ project: 1, shard: 2 }, [newId()]);
  await tick(createScheduledController({ cron: "* * * * *" }), settings, createExecutionContext());
  return opened;
}

describe("the objects of every class", () => {
  const keepersOfKeys = Array.from({ length: 16 }, (_, keeper) => `a-project/${keeper}`);
  const names = ["outbox", "a-project", ...keepersOfKeys, "1:2", "sweeps"];
  it.each([
    ["", { jurisdiction: null, hint: undefined }],
    ["weur", { jurisdiction: null, hint: "weur" }],
    ["oc", { jurisdiction: null, hint: "oc" }],
    ["eu", { jurisdiction: "eu", hint: undefined }],
    ["fedramp", { jurisdiction: "fedramp", hint: undefined }],
  ])("live where DATA_LOCATION says: %j", async (location, where) => {
    const opened = await openEach(location);
    expect(new Set(opened.map(({ name }) => name))).toEqual(new Set(names));
    expect(opened.every(({ jurisdiction, hint }) => jurisdiction === where.jurisdiction && hint === where.hint)).toBe(
      true,
    );
  });

  const asked = {
    buckets: [],
    key: { kind: "secret" as const, key: "a key", owner: "an owner", request: "a request", hash: "", ttlMs: 60_000 },
  };
  it("are real ones with the hint of an area", async () => {
    const { gate } = openPlatform({ ...env, DATA_LOCATION: "enam" }, createExecutionContext());
    expect(await gate.admit("a-near-project", asked)).not.toBeNull();
  });

  it("are of this machine in development, whatever the jurisdiction", async () => {
    const { gate } = openPlatform({ ...env, DATA_LOCATION: "eu" }, createExecutionContext());
    expect(await gate.admit("a-local-project", asked)).not.toBeNull();
  });
});

it("refuses a location that Cloudflare does not have", () => {
  expect(() => readConfig({ ...env, DATA_LOCATION: "mars" })).toThrow("DATA_LOCATION");
});
