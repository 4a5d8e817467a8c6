import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { describeInChromium } from "./chromium";

const { base, adminToken } = inject("product");

async function call<T>(token: string, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const response = await fetch(base + path, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  // What each of the calls below answers.
  return (await response.json()) as T;
}

interface Events {
  total: number;
  data: { contactEmail: string; source: string }[];
}

/** A page that sends what the query says when it is left, as a text or as a blob. */
const shop = `<!doctype html><title>Shop</title><script>
  const asked = new URLSearchParams(location.search);
  const text = asked.get("event");
  const beacon = asked.has("blob") ? new Blob([text], { type: "text/plain" }) : text;
  addEventListener("pagehide", () => navigator.sendBeacon("${base}/v1/track", beacon));
</script>`;

const pages = 50;

describeInChromium(
  "a page that is left",
  () => base,
  (open) => {
    let site: Server;
    beforeAll(async () => {
      site = createServer(({ url }, answer) => {
        answer.setHeader("Content-Type", "text/html");
        // A page without an origin says "Origin: null".
        if (url?.includes("sandbox")) answer.setHeader("Content-Security-Policy", "sandbox allow-scripts");
        answer.end(shop);
      });
      await new Promise<void>((listening) => site.listen(0, "127.0.0.1", listening));
    });
    afterAll(() => site?.close());

    // On a busy machine Chromium ends some of so many pages before their beacons have left it.
    it("has its beacon arrive, of fifty pages that are closed at once", { retry: 2, timeout: 120_000 }, async () => {
      const { keys } = await call<{ keys: { secret: string; public: string } }>(adminToken, "POST", "/admin/projects", {
        name: "Beacons",
      });
      const { page } = await open("/health");
      // Nobody stands between these pages and the product: what holds up a request loses it when its page is gone.
      const context = await page.context().browser()?.newContext();
      if (!context) throw new Error("There is no browser");
      const { port } = site.address() as AddressInfo;
      const visitors = Array.from({ length: pages }, async (_, n) => {
        const event = JSON.stringify({ key: keys.public, email: `visitor-${n}@example.com`, event: "left" });
        const how = new URLSearchParams({ event, ...(n % 2 && { blob: "" }), ...(n % 3 && { sandbox: "" }) });
        const visitor = await context.newPage();
        await visitor.goto(`http://127.0.0.1:${port}/?${how}`);
        return visitor;
      });
      const opened = await Promise.all(visitors);
      await Promise.all(opened.map((visitor) => visitor.close({ runBeforeUnload: true })));
      const events = await vi.waitFor(
        async () => {
          const found = await call<Events>(keys.secret, "GET", "/events?name=left&limit=100");
          expect(found.total).toBe(pages);
          return found;
        },
        { timeout: 20_000, interval: 100 },
      );
      expect(new Set(events.data.map(({ contactEmail }) => contactEmail)).size).toBe(pages);
      expect(new Set(events.data.map(({ source }) => source))).toEqual(new Set(["PUBLIC"]));
      await context.close();
    });
  },
);
