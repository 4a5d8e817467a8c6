import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { closeCheckouts, openCheckout, secretsNamed, widest } from "../support/deploy-checkout";

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

/** Cloudflare's API as far as wrangler has no command for it. It notes the calls. */
async function openApi(refusal: { code: number; message: string } | null = null) {
  const calls: { call: string; token: string | undefined; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    calls.push({
      call: `${request.method} ${request.url}`,
      token: request.headers.authorization,
      body: await json(request),
    });
    const answer = refusal ? { success: false, errors: [refusal] } : { success: true, errors: [], result: {} };
    response.writeHead(refusal ? 403 : 200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return { calls, environment: { CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${address.port}/client/v4` } };
}

const switched = (id: string, mode: string) => ({
  call: `PUT /client/v4/accounts/acme/d1/database/${id}`,
  token: "Bearer the-token",
  body: { read_replication: { mode } },
});

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
    const refusing = await openApi({ code: 10_000, message: "Authentication error" });
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
