import Plunk from "@plunk/node";
import { beforeAll, describe, expect, inject, it } from "vitest";

const { base, adminToken } = inject("product");

interface Created {
  keys: { secret: string; public: string };
}

async function post(path: string, token: string, body: unknown): Promise<Created> {
  const response = await fetch(`${base}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

describe("the client that npm has as @plunk/node, unchanged", () => {
  let keys: Created["keys"];
  const domain = "plunk-client.test";

  beforeAll(async () => {
    ({ keys } = await post("/admin/projects", adminToken, { name: "Plunk" }));
    await post("/domains", keys.secret, { domain });
  });

  // The client resolves its paths against the base URL, so that a last segment without a slash is dropped.
  const baseUrls = ["", "/", "/v1", "/v1/", "/api/v1", "/api/v1/"].map((path) => [`${base}${path}`]);

  it.each(baseUrls)("sends an email, with the base URL %s", async (baseUrl) => {
    const client = new Plunk(keys.secret, { baseUrl });
    const to = `plunk-${crypto.randomUUID()}@example.com`;
    const answer = await client.emails.send({
      to,
      from: `hello@${domain}`,
      name: "Acme",
      subject: "Hi {{ plan }}",
      body: "<p>Hi</p>",
    });
    expect(answer).toMatchObject({ success: true });
    await expect
      .poll(async () => (await fetch(`${base}/outbox/messages?to=${to}`)).json(), { timeout: 10_000 })
      .toMatchObject({ data: [{ from: `Acme <hello@${domain}>`, html: expect.stringContaining("<p>Hi</p>") }] });
  });

  it.each(baseUrls)("tracks an event, with the base URL %s", async (baseUrl) => {
    const client = new Plunk(keys.public, { baseUrl });
    const answer = await client.events.track({ event: "purchase", email: "plunk@example.com", data: { plan: "pro" } });
    expect(answer).toMatchObject({ success: true });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ["Markdown", { type: "markdown" }, /Markdown is not rendered/],
    ["an address with a name", { to: "Ada <ada@example.com>" }, /Must be the address alone/],
  ])("shows why %s is refused", async (_, fields, why) => {
    const client = new Plunk(keys.secret, { baseUrl: `${base}/v1/` });
    const mail = { to: "plunk@example.com", from: `hello@${domain}`, subject: "Hi", body: "Hi", ...fields };
    await expect(client.emails.send(mail)).rejects.toThrow(why);
  });

  it("is told of the endpoint for secret keys when it tracks with one", async () => {
    const client = new Plunk(keys.secret, { baseUrl: `${base}/api/v1/` });
    await expect(client.events.track({ event: "purchase", email: "plunk@example.com" })).rejects.toThrow(
      /POST \/events\/track/,
    );
  });

  it("is told of a wrong key in its own way", async () => {
    const client = new Plunk(keys.public, { baseUrl: `${base}/v1/` });
    await expect(client.emails.send({ to: "a@example.com", subject: "Hi", body: "Hi" })).rejects.toThrow();
  });
});
