import { beforeAll, expect, inject, it } from "vitest";
import { sample } from "../support/sample";
import { axeFindings } from "./axe";
import { describeInChromium, overhang, phone, type Watched } from "./chromium";

const { base, secretKey } = inject("product");

/** In the page: what is wrong with the line around the element in focus. */
const focusFault = `() => {
  const focused = document.activeElement;
  const style = getComputedStyle(focused);
  if (focused.tagName === "CODE" && style.outlineStyle === "none") return "no line around code";
  // A button that shows an icon has its words for screen readers alone.
  const isIcon = focused.querySelector(".sr-only, .visually-hidden") && focused.getBoundingClientRect().width < 30;
  if (style.outlineStyle === "none" || isIcon || !focused.innerText?.trim()) return null;
  const offset = Number.parseFloat(style.outlineOffset);
  const box = focused.getBoundingClientRect();
  const texts = [];
  const walk = document.createTreeWalker(focused, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walk.currentNode);
    if (walk.currentNode.data.trim()) texts.push(...range.getClientRects());
  }
  const left = Math.min(...texts.map((text) => text.left));
  const isCut = left - (box.left - offset) < 1 || box.height + 2 * offset < 1.2 * Number.parseFloat(style.fontSize);
  return isCut ? focused.className + ": " + focused.innerText.trim().slice(0, 40) : null;
}`;

/** In the page: the texts that its sidebar shows. */
const shownTexts = `[...document.querySelector("aside, [role=complementary]").querySelectorAll("*")]
  .filter((element) => element.checkVisibility())
  .flatMap((element) => [element, ...element.childNodes].map(({ textContent }) => textContent.trim()))`;

interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, { summary: string }>>;
}

const desk = { viewport: { width: 1280, height: 900 } };

describeInChromium(
  "/docs/reference",
  () => base,
  (open) => {
    /** To open it takes long, so those that follow share it: first who only looks, then who opens and sends. */
    let shared: Watched;
    beforeAll(async () => {
      shared = await open("/docs/reference", desk);
      await shared.page.getByRole("button", { name: "Close Group - Sending" }).waitFor();
    });

    it.each(sample(["light", "dark"] as const, { of: 2 }))(
      "can be read, and reached by the keyboard: %s",
      async (colorScheme) => {
        const { page } = colorScheme === "light" ? shared : await open("/docs/reference", { ...desk, colorScheme });
        await page.getByRole("heading", { name: "Coming from Plunk" }).waitFor();
        expect(await axeFindings(page)).toEqual([]);
      },
    );

    it("draws the line of the keyboard's focus around the words, and never through them", async () => {
      const cut = new Set<string>();
      for (let stop = 0; stop < 80; stop++) {
        await shared.page.keyboard.press("Tab");
        const fault = await shared.page.evaluate<string | null>(`(${focusFault})()`);
        if (fault) cut.add(fault);
      }
      expect([...cut]).toEqual([]);
    });

    it("shows every operation, asks nobody but us, and has nothing to complain about", async () => {
      const { page, foreign, complaints } = shared;
      const document = (await (await fetch(`${base}/openapi.json`)).json()) as Document;
      // The first group is open from the start.
      for (const { name } of document.tags.slice(1)) {
        await page.getByRole("button", { name: `Open Group - ${name}` }).click();
      }
      const sidebar = page.getByRole("complementary");
      const summaries = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      const missing = async () => {
        const shown = new Set(await page.evaluate<string[]>(shownTexts));
        return summaries.flatMap(({ summary }) => (shown.has(summary) ? [] : [summary]));
      };
      // One look at all: to wait for each takes as many looks as there are operations.
      await expect.poll(missing, { timeout: 20_000 }).toEqual([]);
      await sidebar.getByText("Send an email to one or many recipients").click();
      await page.getByRole("heading", { name: "Send an email to one or many recipients" }).waitFor();
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it("sends the example of POST /v1/send, and again: two mails", async () => {
      const { page } = shared;
      await page.getByPlaceholder("Token").first().fill(secretKey);
      await page.getByRole("complementary").getByText("Send an email to one or many recipients").click();
      await page.getByRole("button", { name: "Test Request (post /v1/send)" }).click();
      const emails = new Set<string>();
      for (let times = 0; times < 2; times++) {
        const answered = page.waitForResponse((response) => response.url() === `${base}/v1/send`);
        await page.getByRole("button", { name: "Send post request" }).click();
        const response = await answered;
        expect(response.status()).toBe(200);
        emails.add((await response.json()).data.emails[0].email);
        await page.getByText("200 OK").waitFor();
      }
      expect(emails.size).toBe(2);
    });

    it("draws no line around the section that a link leads to", async () => {
      const { page } = await open("/docs/reference#tag/sending/POST/v1/send", desk);
      await page.getByRole("heading", { name: "Send an email to one or many recipients" }).waitFor();
      await page.waitForFunction("document.activeElement !== document.body");
      const lines = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
      expect(lines).toBe("none");
    });

    it("fits a phone", async () => {
      const { page } = await open("/docs/reference", phone);
      await page.getByRole("heading", { name: "Petrel" }).waitFor();
      // The widest code of the guide, once it is highlighted.
      await page.locator(".hljs-string", { hasText: "Onboarding" }).first().waitFor();
      expect(await overhang(page)).toBeLessThanOrEqual(0);
      expect(await axeFindings(page, { contrast: false })).toEqual([]);
    });
  },
);

it("hands out its script once: its address says the version", async () => {
  const page = await (await fetch(`${base}/docs/reference`)).text();
  const script = /src="(\/docs\/reference\.js\?v=[0-9a-z]+)"/.exec(page)?.[1];
  const fixed = await fetch(`${base}${script}`);
  expect(fixed.status).toBe(200);
  expect(fixed.headers.get("Content-Type")).toMatch(/^text\/javascript/);
  expect(fixed.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");

  const moving = await fetch(`${base}/docs/reference.js?v=another`);
  expect(moving.headers.get("Cache-Control")).toBe("no-cache");
  const again = await fetch(`${base}/docs/reference.js`, {
    headers: { "If-None-Match": moving.headers.get("ETag") ?? "" },
  });
  expect(again.status).toBe(304);
});

it("is Markdown at its address with .md, and for programs that ask for it", async () => {
  const [page, asked] = await Promise.all([
    fetch(`${base}/docs/reference.md`),
    fetch(`${base}/docs/reference`, { headers: { Accept: "text/markdown" } }),
  ]);
  expect([page.status, page.headers.get("Content-Type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  expect(page.headers.get("Cache-Control")).toBe("public, max-age=300");
  const text = await page.text();
  expect(await asked.text()).toBe(text);
  const described: Document = await (await fetch(`${base}/openapi.json`)).json();
  const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `\n\`${method.toUpperCase()} ${path}\`\n`),
  );
  expect(operations.length).toBeGreaterThan(100);
  expect(operations.filter((operation) => !text.includes(operation))).toEqual([]);
});
