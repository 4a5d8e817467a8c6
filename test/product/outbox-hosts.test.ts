import { get } from "node:http";
import { expect, inject, it } from "vitest";

const { base } = inject("product");

/** `fetch` sends the URL's own host. A page whose name resolves to this machine sends that name. */
function statusUnder(host: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${base}${path}`, { headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

const { port } = new URL(base);

it.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:80"])(
  "a page on %s that resolves to this machine reads no mail",
  async (host) => {
    for (const path of ["/outbox", "/outbox/messages"]) expect(await statusUnder(host, path)).toBe(401);
  },
);

it.each([`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, "petrel.localhost"])(
  "%s shows it",
  async (host) => {
    for (const path of ["/outbox", "/outbox/messages"]) expect(await statusUnder(host, path)).toBe(200);
  },
);
