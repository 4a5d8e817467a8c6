import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, inject, it, vi } from "vitest";
import { SNIPPET_FILE, snippetFile } from "../../scripts/lib/client/snippet.mjs";
import { snippet } from "../../src/http/snippet-script";
import { describeInChromium } from "./chromium";
import { openShop, type Shop, say, waiting } from "./shop";

const product = inject("product");
const { base } = product;

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

/** Subscribes in the page, one after another. Returns what it says to each. */
function subscribing(...addresses: string[]): string {
  return `Promise.all(${JSON.stringify(addresses)}.map((email) => new Promise((done) => {
    petrel("subscribe", { email, confirm: true }, (text, state) => done([state, text]));
  })))`;
}

describeInChromium(
  "a page of another origin, with a strict policy",
  () => base,
  (open) => {
    let browser: Browser;

    beforeAll(async () => {
      const { page } = await open("/health");
      const found = page.context().browser();
      if (!found) throw new Error("There is no browser");
      browser = found;
    });

    /** The pages call the product directly: a route of the test would lose the request of a page that is gone. */
    function visitors(promise: string, test: (shop: Shop) => Promise<void>) {
      it.concurrent(promise, async ({ onTestFinished }) => {
        const shop = await openShop(browser, product);
        onTestFinished(() => shop.close());
        await test(shop);
      });
    }

    visitors("has what it said before the snippet was there, in order, and sets no cookie", async (shop) => {
      const page = await shop.visit("/", {
        said: `
          window.petrel = function () { (petrel.q = petrel.q || []).push(arguments) };
          petrel("track", "came", { from: "news" });
          petrel("identify", "ada@example.com", { plan: "pro" });
          petrel("track", "looked");`,
      });
      await shop.expectEvents("came", "identified", "looked");
      await vi.waitFor(async () => expect(await waiting(page)).toEqual([]));
      const { data } = await shop.api<{ data: object[] }>(shop.keys.secret, "GET", "/contacts");
      expect(data).toMatchObject([{ email: "ada@example.com", data: { plan: "pro", from: "news" } }]);
      expect(await shop.context.cookies()).toEqual([]);
      expect(shop.complaints).toEqual([]);
      // The same person is no news.
      await say(page, "identify", "ada@example.com", { plan: "pro" });
      const next = await shop.visit();
      await say(next, "track", "came back");
      await shop.expectEvents("came", "identified", "looked", "came back");
    });

    visitors("keeps events until it is known whose they are", async (shop) => {
      const page = await shop.visit();
      await say(page, "track", "looked");
      await page.reload();
      await say(page, "track", "looked again");
      expect(await waiting(page)).toHaveLength(2);
      await say(page, "identify", "ada@example.com");
      await shop.expectEvents("looked", "looked again", "identified");
    });

    visitors("goes on when other scripts write into its storage", async (shop) => {
      const page = await shop.visit();
      for (const broken of ["{", "5", "null", '"ada@example.com"', '{"email":"ada@example.com"}']) {
        await page.evaluate(`localStorage.petrel = ${JSON.stringify(broken)}, localStorage["petrel:0"] = "{"`);
        await page.reload();
        await page.waitForFunction("!petrel.q");
        await say(page, "identify");
        await vi.waitFor(async () => expect(await waiting(page)).toEqual([]));
      }
      await say(page, "identify", "ada@example.com");
      await say(page, "track", "looked");
      await shop.expectEvents("identified", "looked");
      expect(shop.complaints).toEqual([]);
    });

    visitors("tracks where it has no storage", async (shop) => {
      const page = await shop.visit("/sandbox");
      await say(page, "identify", "ada@example.com");
      await say(page, "track", "looked");
      await shop.expectEvents("identified", "looked");
      expect(shop.complaints).toEqual([]);
    });

    visitors("loses nothing when tabs are closed at once", async (shop) => {
      const tabs = await Promise.all(Array.from({ length: 5 }, () => shop.visit()));
      const left = tabs.map((_, n) => `left ${n}`);
      for (const [n, tab] of tabs.entries()) {
        await tab.evaluate(`petrel("identify", "visitor@example.com"), petrel("track", "left ${n}")`);
        await tab.close({ runBeforeUnload: true });
      }
      // The next page sends what did not leave with its tab, and asks for what it does not know the end of.
      const page = await shop.visit();
      await vi.waitFor(async () => expect(await waiting(page)).toEqual([]), { timeout: 20_000, interval: 200 });
      const found = (await shop.eventNames()).filter((name) => name.startsWith("left"));
      expect(found.toSorted()).toEqual(left);
    });

    visitors("loses nothing in a minute without a network", async (shop) => {
      const page = await shop.visit("/", { isTimeless: true });
      await shop.context.setOffline(true);
      await say(page, "identify", "ada@example.com");
      for (const name of ["one", "two", "three"]) await say(page, "track", name);
      await page.clock.runFor(60_000);
      expect(await waiting(page)).toHaveLength(4);
      await shop.context.setOffline(false);
      await shop.expectEvents("identified", "one", "two", "three");
      expect(shop.line.posts).toBe(1);
      await vi.waitFor(async () => expect(await waiting(page)).toEqual([]));
    });

    visitors("counts nothing twice when answers are lost", async (shop) => {
      const page = await shop.visit("/", { isTimeless: true });
      shop.line.lostAnswers = 2;
      await say(page, "identify", "ada@example.com");
      await say(page, "track", "bought");
      async function waitsNoMore() {
        await page.clock.runFor(5_000);
        expect(await waiting(page)).toEqual([]);
      }
      await vi.waitFor(waitsNoMore, { timeout: 20_000, interval: 200 });
      expect(shop.line.lostAnswers).toBeLessThan(0);
      expect(await shop.eventNames()).toEqual(["identified", "bought"]);
    });

    visitors("works when the snippet is blocked, and says all of it once when it comes", async (shop) => {
      shop.line.isBlocked = true;
      const page = await shop.visit();
      await say(page, "identify", "ada@example.com");
      await say(page, "track", "bought");
      expect(shop.complaints.filter((text) => !/Failed to load resource/.test(text))).toEqual([]);
      shop.line.isBlocked = false;
      await page.evaluate(`{
        const script = document.querySelector("script[data-key]");
        const again = document.createElement("script");
        for (const { name, value } of script.attributes) again.setAttribute(name, value);
        document.head.append(again);
      }`);
      await shop.expectEvents("identified", "bought");
    });

    for (const [signal, value] of [
      ["doNotTrack", '"1"'],
      ["globalPrivacyControl", "true"],
    ]) {
      visitors(`tracks nobody who has set ${signal}, and lets them subscribe`, async (shop) => {
        const page = await shop.visit("/", {
          said: `Object.defineProperty(navigator, "${signal}", { get: () => ${value} })`,
        });
        await say(page, "identify", "ada@example.com", { plan: "pro" });
        await say(page, "track", "looked");
        expect(await page.evaluate("Object.keys(localStorage)")).toEqual([]);
        const subscribed = `new Promise((show) => petrel("subscribe", { email: "ada@example.com" }, show))`;
        expect(await page.evaluate(subscribed)).toBe("You are subscribed.");
        expect(await shop.eventNames()).toEqual(["subscribe"]);
      });
    }

    visitors("says what became of a subscription", async ({ projectId, keys, api, visit }) => {
      const domain = `shop-${projectId}.test`;
      await api(keys.secret, "POST", "/domains", { domain });
      const template = await api<{ id: string }>(keys.secret, "POST", "/templates", {
        name: "Confirm",
        type: "TRANSACTIONAL",
        from: `hello@${domain}`,
        subject: "Confirm",
        body: '<a href="{{ confirmUrl }}">Yes</a>',
      });
      const change = { confirmationTemplateId: template.id };
      await api(product.adminToken, "PATCH", `/admin/projects/${projectId}`, change);
      await api(keys.secret, "POST", "/contacts", { email: "known@example.com", subscribed: true });
      const page = await visit();
      const said = subscribing("new@example.com", "new@example.com", "known@example.com", "nobody");
      expect(await page.evaluate(said)).toEqual([
        ["sent", "Click the link in our mail."],
        ["throttled", "Try again in an hour."],
        ["already", "You are subscribed already."],
        ["failed", "That did not work."],
      ]);
    });
  },
);
