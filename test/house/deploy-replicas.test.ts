import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { closeCheckouts, openCheckout, secretsNamed, widest } from "../support/deploy-checkout";
import { sample } from "../support/sample";

const secrets = secretsNamed("ADMIN_TOKEN", "LINK_SECRETS", "WEBHOOK_SECRETS");
const replicas = '[vars]\nDATA_LOCATION = "weur"\nREAD_REPLICAS = "true"\n';
const none = '[vars]\nDATA_LOCATION = "weur"\n';
const second = '\n[[d1_databases]]\nbinding = "DB_01"\ndatabase_name = "petrel-01"\n';

vi.setConfig({ testTimeout: 30_000 });
const ends: (() => void)[] = [];
afterEach(() => {
  closeCheckouts();
  for (const end of ends.splice(0)) end();
});

/**
 * Cloudflare's API as far as wrangler has no command for it. It notes the calls. `lost` is the number of the call whose
 * connection breaks, before or after its effect.
 */
async function openApi({ refusal, lost }: { refusal?: { code: number; message: string }; lost?: Lost } = {}) {
  const calls: { call: string; token: string | undefined; body: unknown }[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    count += 1;
    const isLost = count === lost?.call;
    if (isLost && lost.when === "before") return request.socket.destroy();
    calls.push({
      call: `${request.method} ${request.url}`,
      token: request.headers.authorization,
      body: await json(request),
    });
    if (isLost) return request.socket.destroy();
    const answer = refusal ? { success: false, errors: [refusal] } : { success: true, errors: [], result: {} };
    response.writeHead(refusal ? 403 : 200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return { calls, environment: { CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${address.port}/client/v4` } };
}

interface Lost {
  call: number;
  when: "before" | "after";
}

const switched = (id: string, mode: string) => ({
  call: `PUT /client/v4/accounts/acme/d1/database/${id}`,
  token: "Bearer the-token",
  body: { read_replication: { mode } },
});

/** An installation with that petrel.toml. */
async function deployedWith(toml: string) {
  const checkout = openCheckout({ secrets });
  checkout.write("petrel.toml", toml);
  const { code, said } = await checkout.deploy(["--sandbox"], (await openApi()).environment);
  expect(code, said).toBe(0);
  return checkout;
}

describe("read replicas", () => {
  it("are switched on for each database before the Worker that reads from them is there, and off again", async () => {
    const api = await openApi();
    const checkout = openCheckout({ secrets });
    checkout.write("petrel.toml", replicas + second);
    const first = await checkout.deploy(["--sandbox"], api.environment);
    expect(first.code, first.said).toBe(0);
    expect(widest(first.said)).toBeLessThanOrEqual(80);
    expect(first.said).not.toContain("the-token");
    expect(api.calls.splice(0)).toEqual([switched("id-of-petrel", "auto"), switched("id-of-petrel-01", "auto")]);
    expect(checkout.deployed()[0].vars).toMatchObject({ READ_REPLICAS: "true" });
    const noted = checkout.read("petrel.toml");
    expect(noted).toContain("replicas = true");

    checkout.write("petrel.toml", noted.replace('READ_REPLICAS = "true"\n', ""));
    expect((await checkout.deploy(["--sandbox"], api.environment)).code).toBe(0);
    expect(api.calls.splice(0)).toEqual([
      switched("id-of-petrel", "disabled"),
      switched("id-of-petrel-01", "disabled"),
    ]);
    expect(checkout.deployed().at(-1).vars).toMatchObject({ READ_REPLICAS: "false" });
    expect(checkout.read("petrel.toml")).toContain("replicas = false");

    expect((await checkout.deploy(["--sandbox"], api.environment)).code).toBe(0);
    expect(api.calls).toEqual([]);
  });

  it("are no call for an installation that never had them", async () => {
    const api = await openApi();
    const checkout = openCheckout({ secrets });
    checkout.write("petrel.toml", none);
    expect((await checkout.deploy(["--sandbox"], api.environment)).code).toBe(0);
    expect(api.calls).toEqual([]);
    expect(checkout.calls().join("\n")).not.toContain("auth token");
    expect(checkout.read("petrel.toml")).not.toContain("replicas");
  });

  it("are switched on by a build, which notes nothing", async () => {
    const api = await openApi();
    const checkout = openCheckout({ secrets });
    checkout.write(
      "wrangler.toml",
      checkout.read("wrangler.toml").replace('READ_REPLICAS = "false"', 'READ_REPLICAS = "true"'),
    );
    const { code, said } = await checkout.deploy([], { ...api.environment, WORKERS_CI: "1" }, { isTerminal: false });
    expect(code, said).toBe(0);
    expect(api.calls).toEqual([switched("id-of-petrel", "auto")]);
    expect(checkout.has("petrel.toml")).toBe(false);
  });

  it("that Cloudflare refuses end the deploy with what to do, and the next one goes on", async () => {
    const refusing = await openApi({ refusal: { code: 10_000, message: "Authentication error" } });
    const checkout = openCheckout({ secrets });
    checkout.write("petrel.toml", replicas);
    const { code, said } = await checkout.deploy(["--sandbox"], refusing.environment);
    expect(code).toBe(1);
    expect(said.replaceAll(/\s+/g, " ")).toContain("Give it the permission D1: Edit");
    expect(checkout.deployed()).toEqual([]);
    const api = await openApi();
    expect((await checkout.deploy(["--sandbox"], api.environment)).code).toBe(0);
    expect(api.calls).toEqual([switched("id-of-petrel", "auto")]);
  });

  describe.each([
    ["on", none + second, replicas + second, "auto"],
    ["off", replicas + second, none + second, "disabled"],
  ])("whose switching %s breaks off", (_, before, after, mode) => {
    const lostCalls: Lost[] = [1, 2].flatMap((call) => [
      { call, when: "before" as const },
      { call, when: "after" as const },
    ]);

    it.each(sample(lostCalls, { of: 4 }))(
      "$when the effect of call $call are switched by the next deploy",
      async (lost) => {
        const checkout = await deployedWith(before);
        const notes = checkout.read("petrel.toml").slice(before.length);
        checkout.write("petrel.toml", after + notes);
        const uploads = checkout.deployed().length;
        const breaking = await openApi({ lost });
        const first = await checkout.deploy(["--sandbox"], breaking.environment);
        expect(first.code).toBe(1);
        expect(first.said.replaceAll(/\s+/g, " ")).toContain("Cloudflare's API was not reached");
        // The Worker that asks replicas is not there yet, and the note says what was.
        expect(checkout.deployed()).toHaveLength(uploads);
        expect(checkout.read("petrel.toml")).toBe(after + notes);

        const api = await openApi();
        expect((await checkout.deploy(["--sandbox"], api.environment)).code).toBe(0);
        expect(api.calls).toEqual([switched("id-of-petrel", mode), switched("id-of-petrel-01", mode)]);
        expect(checkout.deployed()).toHaveLength(uploads + 1);
        expect(checkout.read("petrel.toml")).toContain(`replicas = ${mode === "auto"}`);
      },
    );
  });

  it("are switched on by the next deploy when wrangler does not say its token", async () => {
    const checkout = openCheckout({ secrets, fault: { call: "auth token --json", when: "before" } });
    checkout.write("petrel.toml", replicas);
    const api = await openApi();
    expect((await checkout.deploy(["--sandbox"], api.environment)).code).toBe(1);
    expect(api.calls).toEqual([]);
    expect((await checkout.deploy(["--sandbox"], api.environment)).code).toBe(0);
    expect(api.calls).toEqual([switched("id-of-petrel", "auto")]);
  });

  it.each([
    ['DATA_LOCATION = "eu"\nREAD_REPLICAS = "true"\n', "does not say that replicas stay within a jurisdiction"],
    ['READ_REPLICAS = "yes"\n', 'It can be "true" or "false"'],
  ])("are refused before anything is made: %j", async (vars, reason) => {
    const api = await openApi();
    const checkout = openCheckout({ databases: [], secrets });
    checkout.write("petrel.toml", `[vars]\n${vars}`);
    const { code, said } = await checkout.deploy(["--sandbox"], api.environment);
    expect(code).toBe(1);
    expect(widest(said)).toBeLessThanOrEqual(80);
    expect(said.replaceAll(/\s+/g, " ")).toContain(reason);
    expect(api.calls).toEqual([]);
    expect(checkout.account().databases).toEqual([]);
  });
});
