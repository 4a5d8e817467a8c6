import { existsSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Page as Tab } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { readPages, sectionsOf } from "../../scripts/lib/site/outline.mjs";
import { serviceEventList } from "../../src/core/events/service-event";
import { sample } from "../support/sample";
import { axeFindings } from "./axe";
import { describeInChromium, overhang } from "./chromium";

const { base } = inject("product");

const pages = readPages();
const pathOf = (name: string) => (name === "index" ? "/docs" : `/docs/${name}`);
const paths = pages.map(({ name }) => pathOf(name));

const asBrowser = { headers: { Accept: "text/html" } };
const maxPageBytes = 100 * 1024;

describe("the documents", () => {
  it("have every page in their outline, once", () => {
    const listed = sectionsOf(pages).flatMap(({ entries }) => entries.map(({ page }) => page.name));
    expect(listed.toSorted()).toEqual(
      pages
        .slice(1)
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  it("name no test that does not exist", () => {
    const named = pages.flatMap(({ name, source }) =>
      [...source.matchAll(/`(test\/[\w/.-]+\.test\.ts)`/g)].map(([, file = ""]) => ({ name, file })),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ file }) => !existsSync(file))).toEqual([]);
  });

  it("name every event that the service records", () => {
    const { source = "" } = pages.find(({ name }) => name === "events") ?? {};
    expect(serviceEventList.map(([name]) => name).filter((name) => !source.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(paths)("have %s as a page and as Markdown, which caches keep for five minutes", async (path) => {
    const [page, markdown, asked] = await Promise.all([
      fetch(base + path, asBrowser),
      fetch(`${base}${path}.md`),
      fetch(base + path, { headers: { Accept: "text/markdown" } }),
    ]);
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("Vary")).toBe("Accept");
    expect(page.headers.get("Cache-Control")).toBe("public, max-age=300");
    // Nothing inline, and nothing of another host.
    expect(page.headers.get("Content-Security-Policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    const tag = page.headers.get("ETag") ?? "";
    const again = await fetch(base + path, { headers: { ...asBrowser.headers, "If-None-Match": tag } });
    expect(again.status).toBe(304);

    expect(markdown.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    const text = await markdown.text();
    expect(text).toMatch(/^# /);
    expect(await asked.text()).toBe(text);
  });

  it.each([
    ["/docs/nothing", asBrowser],
    ["/docs/404", asBrowser],
    ["/docs/nothing.md", asBrowser],
    ["/docs/..%2Fstandalone.js", asBrowser],
  ])("answer %s with a page that says that there is none", async (path, init) => {
    const answer = await fetch(base + path, init);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("Content-Type")).toMatch(/^text\/html/);
    expect(await answer.text()).toContain("There is no such page");
  });

  it("tell a program where they begin", async () => {
    const answer = await fetch(`${base}/docs/nothing`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: {
        code: "RESOURCE_NOT_FOUND",
        suggestion: expect.stringContaining("The documents begin at /docs."),
      },
    });
  });

  it("have files that never change, by the hash in their names", async () => {
    const page = await (await fetch(`${base}/docs`, asBrowser)).text();
    const files = [...page.matchAll(/"(\/docs\/\w+\.[0-9a-f]{12}\.\w+)"/g)].map(([, path]) => path);
    expect(files).toHaveLength(4);
    for (const path of files) {
      const answer = await fetch(base + path);
      expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([
        200,
        "public, max-age=31536000, immutable",
      ]);
    }
  });

  it("are in /llms.txt, in the form of llmstxt.org, and each of its links leads somewhere", async () => {
    const answer = await fetch(`${base}/llms.txt`);
    expect(answer.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const text = await answer.text();
    expect(text).toMatch(/^# Petrel\n\n> .+\n\n/);
    const links = [...text.matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(([, path = ""]) => path);
    expect(links).toEqual(expect.arrayContaining(pages.slice(1).map(({ name }) => `/docs/${name}.md`)));
    const statuses = await Promise.all(links.map(async (path) => (await fetch(base + path)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("lead nowhere that does not exist, anchors included", async () => {
    const html = new Map<string, string>();
    for (const path of paths) html.set(path, await (await fetch(base + path, asBrowser)).text());
    const ids = new Map(
      [...html].map(([path, text]) => [path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const dead = new Set<string>();
    for (const [path, text] of html) {
      for (const [, href = ""] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        if (/^https?:/.test(href)) continue;
        const [target = "", anchor] = href.split("#");
        const place = target || path;
        if (ids.has(place)) {
          if (anchor && !ids.get(place)?.has(anchor)) dead.add(`${path}: ${href}`);
        } else if ((await fetch(base + place, asBrowser)).status !== 200) dead.add(`${path}: ${href}`);
      }
    }
    expect([...dead]).toEqual([]);
  });
});

const narrow = { width: 390, height: 844 };
const wide = { width: 1280, height: 900 };
const looks = [
  { viewport: wide, colorScheme: "light" },
  { viewport: narrow, colorScheme: "dark" },
] as const;
/** Pages that together have every kind of element. */
const inBothLooks = new Set(["/docs", "/docs/webhooks", "/docs/workflows"]);

/** The bytes of a page with all that it loads, as they would travel. */
async function weigh(tab: Tab, path: string): Promise<number> {
  const sizes: Promise<number>[] = [];
  const note = async (response: { body(): Promise<Buffer> }) => gzipSync(await response.body()).length;
  const listen = (response: { body(): Promise<Buffer> }) => sizes.push(note(response));
  tab.on("response", listen);
  await tab.goto(base + path, { waitUntil: "networkidle" });
  tab.off("response", listen);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Adds the kinds of elements that a page's text has. Returns whether one is new. */
async function addKinds(tab: Tab, seen: Set<string>): Promise<boolean> {
  const kinds = await tab.evaluate<string[]>(
    `[...document.querySelectorAll("article *")].map((element) => [element.parentElement, element].map(({ localName, className }) => localName + "." + className).join(" "))`,
  );
  const before = seen.size;
  for (const kind of kinds) seen.add(kind);
  return seen.size > before;
}

describeInChromium(
  "the documents in a browser",
  () => base,
  (open) => {
    // Some seconds for each page, where others need the processor too.
    const options = { timeout: paths.length * 6_000 };
    it(
      "fit a phone and a desk, light and dark, have no fault that axe knows, and ask nobody but us",
      options,
      async () => {
        const { page: tab, foreign, complaints } = await open("/docs", { viewport: wide });
        const faults: string[] = [];
        const seen = { light: new Set<string>(), dark: new Set<string>() };
        const turns = new Set(sample(paths));
        for (const [number, path] of paths.entries()) {
          if (!turns.has(path) && !inBothLooks.has(path)) continue;
          await tab.goto(base + path);
          for (const [index, look] of looks.entries()) {
            await tab.setViewportSize(look.viewport);
            await tab.emulateMedia({ colorScheme: look.colorScheme });
            if ((await overhang(tab)) > 0) faults.push(`${path} is too wide for ${look.viewport.width} pixels`);
            // All pages have the same frame. What they say is looked at in one of the two looks, and in the other only the
            // colours of elements that no page before had.
            const isWhole = inBothLooks.has(path);
            const isTurn = isWhole || number % looks.length === index;
            const isNew = await addKinds(tab, seen[look.colorScheme]);
            if (!isTurn && !isNew) continue;
            const part = { within: "article", contrast: isTurn || ("only" as const) };
            const findings = await axeFindings(tab, isWhole ? {} : part);
            faults.push(...findings.map((finding) => `${path}, ${look.colorScheme}: ${finding}`));
          }
        }
        expect(faults).toEqual([]);
        expect(foreign).toEqual([]);
        expect(complaints).toEqual([]);
      },
    );

    it("weigh 100 KB at most, with all that a page loads", async () => {
      const heaviest = pages.toSorted((one, other) => other.source.length - one.source.length).slice(0, 3);
      for (const { name } of heaviest) {
        const { page: tab } = await open("/health");
        expect(await weigh(tab, pathOf(name))).toBeLessThan(maxPageBytes);
      }
    });

    it("are searched by a word, without a mouse, and lead to the place", async () => {
      const { page: tab, complaints, foreign } = await open("/docs", { viewport: wide });
      await tab.keyboard.press("/");
      await tab.getByLabel("Search the documents").fill("idempotency key");
      await tab.locator(".results a").first().waitFor();
      expect(await axeFindings(tab)).toEqual([]);
      await tab.keyboard.press("ArrowDown");
      await tab.keyboard.press("Enter");
      await tab.waitForURL(/\/docs\/[a-z-]+/);
      expect(await tab.locator("article").textContent()).toMatch(/Idempotency-Key/i);

      await tab.getByRole("button", { name: "Search" }).click();
      await tab.getByLabel("Search the documents").fill("zebra crossing");
      await tab.getByText("Nothing was found.").waitFor();
      expect([complaints, foreign]).toEqual([[], []]);
    });

    it("are searched without a network, once the search was open", async () => {
      const { page: tab } = await open("/docs", { viewport: narrow });
      await tab.getByRole("button", { name: "Search" }).click();
      await tab.getByLabel("Search the documents").waitFor();
      await tab.context().setOffline(true);
      await tab.getByLabel("Search the documents").fill("bounce");
      await tab.locator(".results a").first().waitFor();
      expect(await overhang(tab)).toBeLessThanOrEqual(0);
    });

    it("show their pages on a phone, and mark the one that is open", async () => {
      const { page: tab } = await open("/docs/sending", { viewport: narrow, colorScheme: "dark" });
      await tab.getByText("All pages").click();
      const here = tab.getByRole("navigation", { name: "All pages" }).locator('[aria-current="page"]');
      expect(await here.textContent()).toBe("Sending");
      expect(await axeFindings(tab)).toEqual([]);
      expect(await overhang(tab)).toBeLessThanOrEqual(0);
    });
  },
);
