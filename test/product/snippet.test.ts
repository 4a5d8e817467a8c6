import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { SNIPPET_FILE, snippetFile } from "../../scripts/lib/client/snippet.mjs";
import { snippet } from "../../src/http/snippet-script";
import { describeInChromium } from "./chromium";

const { base, adminToken } = inject("product");

describe("the snippet", () => {
  it("is made of clients/browser as it is: `npm run client` makes it", async () => {
    expect(readFileSync(SNIPPET_FILE, "utf8")).toBe(await snippetFile());
  });

  it("has 1 KB at most, compressed", () => {
    expect(gzipSync(snippet.script, { level: 9 }).length).toBeLessThanOrEqual(1024);
  });

  it.each([
    ["/petrel.js", "public, max-age=3600"],
    ["/petrel/1.js", "public, max-age=31536000, immutable"],
  ])("is %s, which caches keep: %s", async (path, cacheControl) => {
    const answer = await fetch(base + path);
    expect(answer.status).toBe(200);
    const names = ["Content-Type", "Cache-Control", "Access-Control-Allow-Origin", "Cross-Origin-Resource-Policy"];
    expect(names.map((name) => answer.headers.get(name))).toEqual([
      "text/javascript; charset=utf-8",
      cacheControl,
      "*",
      "cross-origin",
    ]);
    const hash = createHash("sha384").update(await answer.text());
    expect(`sha384-${hash.digest("base64")}`).toBe(snippet.integrity);
  });

  it("is in the guide with its hash", async () => {
    const document = await (await fetch(`${base}/openapi.json`)).text();
    const { info } = JSON.parse(document);
    expect(info.description).toContain(`src: "${base}/petrel/1.js"`);
    expect(info.description).toContain(`integrity = "${snippet.integrity}"`);
    expect(readFileSync("docs/web-pages.md", "utf8")).toContain(`integrity="${snippet.integrity}"`);
  });
});

async function call<T>(token: string, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
  const response = await fetch(base + path, init);
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  // What each of the calls below answers.
  return (await response.json()) as T;
}

interface Project {
  project: { id: string };
  keys: { secret: string; public: string };
}

describeInChromium(
  "a page of another origin, with a strict policy",
  () => base,
  (open) => {
    let shop: Server;
    let door: Server;
    let made: Project;
    let browser: Browser;
    let context: BrowserContext;
    const complaints: string[] = [];
    /** The faults of the line to the product. */
    let answerLost = 0;
    let isBlocked = false;

    const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    function showShop({ url }: IncomingMessage, answer: ServerResponse) {
      const service = originOf(door);
      answer.setHeader(
        "Content-Security-Policy",
        `default-src 'none'; img-src data:; script-src 'nonce-a' ${service}; connect-src ${service}${url === "/sandbox" ? "; sandbox allow-scripts" : ""}`,
      );
      answer.setHeader("Content-Type", "text/html");
      answer.end(`<!doctype html><title>Shop</title><link rel="icon" href="data:,">
<script nonce="a">window.petrel = window.petrel || function () { (petrel.q = petrel.q || []).push(arguments) }</script>
<script async src="${service}/petrel/1.js" data-key="${made.keys.public}" integrity="${snippet.integrity}" crossorigin></script>`);
    }

    /** The product, behind a line that loses answers. */
    async function passOn({ url, method, headers }: IncomingMessage, body: string, answer: ServerResponse) {
      if (isBlocked) return answer.destroy();
      const type = headers["content-type"] ?? "";
      const passed = await fetch(base + url, {
        method: method ?? "GET",
        headers: { "Content-Type": type },
        body: body || null,
      });
      if (method === "POST" && answerLost-- > 0) return answer.destroy();
      const kept = [...passed.headers].filter(
        ([name]) => !/^(content-encoding|transfer-encoding|content-length)$/.test(name),
      );
      answer.writeHead(passed.status, Object.fromEntries(kept)).end(await passed.text());
    }

    async function listen(server: Server) {
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      return server;
    }

    beforeAll(async () => {
      const { page } = await open("/health");
      const found = page.context().browser();
      if (!found) throw new Error("There is no browser");
      browser = found;
      shop = await listen(createServer(showShop));
      door = await listen(
        createServer((request, answer) => {
          let body = "";
          request.on("data", (chunk) => (body += chunk));
          request.on("end", () => void passOn(request, body, answer));
        }),
      );
    });
    afterAll(() => {
      shop?.close();
      door?.close();
    });

    beforeEach(async () => {
      made = await call(adminToken, "POST", "/admin/projects", { name: "Shop" });
      // These pages call the product directly: a proxy of the test would lose the request of a page that is gone.
      context = await browser.newContext();
      complaints.length = 0;
      [answerLost, isBlocked] = [0, false];
    });
    afterEach(() => context?.close());

    async function visit(path = "/"): Promise<Page> {
      const page = await context.newPage();
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(originOf(shop) + path);
      return page;
    }

    /** `petrel(…)` in the page. */
    const run = (page: Page, ...given: unknown[]) =>
      page.evaluate(`petrel(${given.map((one) => JSON.stringify(one)).join(", ")})`);
    const stored = (page: Page) =>
      page.evaluate<string[]>(`Object.keys(localStorage).filter((name) => name.startsWith("petrel:"))`);

    async function eventNames(): Promise<string[]> {
      const { data } = await call<{ data: { name: string }[] }>(made.keys.secret, "GET", "/events?limit=100");
      return data.map(({ name }) => name).reverse();
    }

    async function expectEvents(...names: string[]) {
      await vi.waitFor(async () => expect(await eventNames()).toEqual(names), { timeout: 15_000, interval: 100 });
    }

    it("has what it said before the snippet was there, in order, and sets no cookie", async () => {
      const page = await context.newPage();
      page.on("console", (message) => complaints.push(message.text()));
      await page.addInitScript(`
        window.petrel = function () { (petrel.q = petrel.q || []).push(arguments) };
        petrel("track", "came", { from: "news" });
        petrel("identify", "ada@example.com", { plan: "pro" });
        petrel("track", "looked");`);
      await page.goto(originOf(shop));
      await expectEvents("came", "identified", "looked");
      await vi.waitFor(async () => expect(await stored(page)).toEqual([]));
      const { data } = await call<{ data: object[] }>(made.keys.secret, "GET", "/contacts");
      expect(data).toMatchObject([{ email: "ada@example.com", data: { plan: "pro", from: "news" } }]);
      expect(await context.cookies()).toEqual([]);
      expect(complaints).toEqual([]);
      // The same person is no news.
      await run(page, "identify", "ada@example.com", { plan: "pro" });
      const next = await visit();
      await run(next, "track", "came back");
      await expectEvents("came", "identified", "looked", "came back");
    });

    it("keeps what somebody did until it is known who it is", async () => {
      const page = await visit();
      await run(page, "track", "looked");
      await page.reload();
      await run(page, "track", "looked again");
      expect(await stored(page)).toHaveLength(2);
      await run(page, "identify", "ada@example.com");
      await expectEvents("looked", "looked again", "identified");
    });

    it("tracks where a page has no storage", async () => {
      const page = await visit("/sandbox");
      await run(page, "identify", "ada@example.com");
      await run(page, "track", "looked");
      await expectEvents("identified", "looked");
      expect(complaints).toEqual([]);
    });

    it("loses nothing when tabs are closed at once", async () => {
      const tabs = await Promise.all(Array.from({ length: 8 }, () => visit()));
      await Promise.all(tabs.map((tab) => tab.waitForFunction("!petrel.q")));
      for (const [n, tab] of tabs.entries()) {
        await tab.evaluate(`petrel("identify", "visitor@example.com"), petrel("track", "left ${n}")`);
        await tab.close({ runBeforeUnload: true });
      }
      const left = tabs.map((_, n) => `left ${n}`);
      await vi.waitFor(
        async () =>
          expect((await eventNames()).filter((name) => name !== "identified").toSorted()).toEqual(left.toSorted()),
        {
          timeout: 20_000,
          interval: 200,
        },
      );
      // The next page asks for what it does not know the end of, and nothing counts twice.
      const page = await visit();
      await vi.waitFor(async () => expect(await stored(page)).toEqual([]), { timeout: 20_000, interval: 200 });
      expect((await eventNames()).filter((name) => name !== "identified")).toHaveLength(left.length);
    });

    it("loses nothing in a minute without a network", async () => {
      const page = await context.newPage();
      await page.clock.install();
      await page.goto(originOf(shop));
      await page.waitForFunction("!petrel.q");
      await context.setOffline(true);
      await run(page, "identify", "ada@example.com");
      for (const name of ["one", "two", "three"]) await run(page, "track", name);
      await page.clock.runFor(60_000);
      expect(await stored(page)).toHaveLength(4);
      await context.setOffline(false);
      await expectEvents("identified", "one", "two", "three");
      await vi.waitFor(async () => expect(await stored(page)).toEqual([]));
    });

    it("counts nothing twice when answers are lost", async () => {
      const page = await context.newPage();
      await page.clock.install();
      await page.goto(originOf(shop));
      await page.waitForFunction("!petrel.q");
      answerLost = 2;
      await run(page, "identify", "ada@example.com");
      await run(page, "track", "bought");
      await vi.waitFor(
        async () => {
          await page.clock.runFor(5_000);
          expect(await stored(page)).toEqual([]);
        },
        { timeout: 15_000, interval: 200 },
      );
      expect(await eventNames()).toEqual(["identified", "bought"]);
    });

    it("works when the snippet is blocked, and says all of it once when it comes", async () => {
      isBlocked = true;
      const page = await visit();
      await run(page, "identify", "ada@example.com");
      await run(page, "track", "bought");
      expect(complaints.filter((text) => !/Failed to load resource/.test(text))).toEqual([]);
      isBlocked = false;
      await page.evaluate(`{
        const script = document.querySelector("script[data-key]");
        const again = document.createElement("script");
        for (const { name, value } of script.attributes) again.setAttribute(name, value);
        document.head.append(again);
      }`);
      await expectEvents("identified", "bought");
    });

    it.each([
      ["doNotTrack", '"1"'],
      ["globalPrivacyControl", "true"],
    ])("tracks nobody who has set %s, and lets them subscribe", async (signal, value) => {
      await context.addInitScript(`Object.defineProperty(navigator, "${signal}", { get: () => ${value} })`);
      const page = await visit();
      await page.waitForFunction("!petrel.q");
      await run(page, "identify", "ada@example.com", { plan: "pro" });
      await run(page, "track", "looked");
      expect(await page.evaluate("Object.keys(localStorage)")).toEqual([]);
      const text = await page.evaluate(
        `new Promise((show) => petrel("subscribe", { email: "ada@example.com" }, show))`,
      );
      expect(text).toBe("You are subscribed.");
      expect(await eventNames()).toEqual(["subscribe"]);
    });

    it("says what became of a subscription", async () => {
      const { project, keys } = made;
      const domain = `shop-${project.id}.test`;
      await call(keys.secret, "POST", "/domains", { domain });
      const template = await call<{ id: string }>(keys.secret, "POST", "/templates", {
        name: "Confirm",
        type: "TRANSACTIONAL",
        from: `hello@${domain}`,
        subject: "Confirm",
        body: '<a href="{{ confirmUrl }}">Yes</a>',
      });
      await call(adminToken, "PATCH", `/admin/projects/${project.id}`, { confirmationTemplateId: template.id });
      await call(keys.secret, "POST", "/contacts", { email: "known@example.com", subscribed: true });
      const page = await visit();
      const addresses = ["new@example.com", "new@example.com", "known@example.com", "nobody"];
      const answers =
        await page.evaluate(`Promise.all(${JSON.stringify(addresses)}.map((email) => new Promise((done) => {
        petrel("subscribe", { email, confirm: true }, (text, state) => done([state, text]));
      })))`);
      expect(answers).toEqual([
        ["sent", "Please click the link in our mail."],
        ["throttled", "Please try again in an hour."],
        ["already", "You are subscribed already."],
        ["failed", "That did not work."],
      ]);
    });
  },
);
