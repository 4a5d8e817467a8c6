import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { languages } from "../../src/core/languages/language";
import { sample } from "../support/sample";
import { axeFindings } from "./axe";
import { describeInChromium, overhang, phone } from "./chromium";
import { mailWith, newRecipient, type Recipient, walkPages } from "./recipient";

const product = inject("product");
const { base } = product;

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { Authorization: `Bearer ${product.secretKey}`, "Content-Type": "application/json" };
  const response = await fetch(base + path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  // What each of the calls below answers.
  return (await response.json()) as T;
}

let counter = 0;

/** Sends a marketing mail to a new subscriber, and finds the paths of their pages in it. */
async function subscriber(): Promise<{ to: string; unsubscribe: string; manage: string }> {
  const to = `subscriber-${++counter}-${Date.now()}@example.com`;
  await ask("POST", "/contacts", { email: to });
  const template = { name: "News", subject: "News", body: "<p>News</p>", from: "news@petrel.test" };
  const { id } = await ask<{ id: string }>("POST", "/templates", template);
  await ask("POST", "/v1/send", { to, template: id });
  const html = await mailWith(product, to, "News");
  const path = (page: string) => new RegExp(`/${page}/[\\w-]+`).exec(html)?.[0] ?? "";
  return { to, unsubscribe: path("unsubscribe"), manage: path("manage") };
}

describeInChromium(
  "the pages of a recipient",
  () => base,
  (open) => {
    it("pause, unsubscribe and take it back by single buttons, without a script", async () => {
      const { to, unsubscribe } = await subscriber();
      const { page, complaints, foreign } = await open(unsubscribe, { javaScriptEnabled: false });
      const standing = () => page.getByRole("definition").allTextContents();
      expect(await page.getByRole("main").textContent()).toContain(to);
      await press(page.getByRole("button", { name: "Unsubscribe" }));
      expect(await page.getByRole("heading").textContent()).toBe("You are unsubscribed");
      await press(page.getByRole("link", { name: "Change your preferences" }));
      expect(await standing()).toEqual([to, "Unsubscribed"]);
      await press(page.getByRole("button", { name: "Subscribe again" }));
      expect(await page.getByRole("status").textContent()).toBe("Your choice is saved.");
      expect(await standing()).toEqual([to, "Subscribed"]);
      const pauses = page.getByRole("group", { name: "Pause marketing email for" }).getByRole("button");
      expect(await pauses.allTextContents()).toEqual(["2 weeks", "1 month", "3 months", "6 months"]);
      await press(pauses.first());
      expect(await standing()).toEqual([to, expect.stringMatching(/^Paused until \d+ \w+ \d{4}$/)]);
      await press(page.getByRole("button", { name: "Resume now" }));
      expect(await standing()).toEqual([to, "Subscribed"]);
      expect([complaints, foreign]).toEqual([[], []]);
    });

    it("take a pause or a yes by the keyboard alone, on the page for unsubscribing", async () => {
      const { to, unsubscribe } = await subscriber();
      const { page } = await open(unsubscribe, { ...phone, javaScriptEnabled: false });
      const names = await focused(page, 5);
      expect(names).toEqual(["Unsubscribe", "2 weeks", "1 month", "3 months", "6 months"]);
      await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
      expect(await page.getByRole("heading").textContent()).toBe("Marketing email is paused");
      expect(await page.getByRole("main").textContent()).toContain(to);
      expect(await focused(page, 1)).toEqual(["Change your preferences"]);
      await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
      expect(await focused(page, 2)).toEqual(["Resume now", "Unsubscribe for good"]);
    });

    const others = [...languages.keys()].filter((locale) => locale !== "de");
    const walked = ["de", ...sample(others, { of: 6 })];
    const recipients = new Map<string, Recipient>();
    beforeAll(async () => {
      const made = walked.map((locale) => newRecipient(product, locale));
      for (const recipient of await Promise.all(made)) recipients.set(recipient.locale, recipient);
    });

    it.each(walked)(
      "fit into 320 pixels, in %s",
      async (locale) => {
        const { page, complaints } = await open("/health", { ...phone, viewport: { width: 320, height: 640 }, locale });
        const seen: string[] = [];
        const recipient = recipients.get(locale);
        if (!recipient) throw new Error("There is nobody with this locale");
        await walkPages(product, recipient, async ({ name, path }) => {
          await page.goto(base + path);
          expect([name, await page.locator("html").getAttribute("lang")]).toEqual([name, locale]);
          // The colours are those of all languages.
          for (const colorScheme of locale === "de" ? (["light", "dark"] as const) : (["light"] as const)) {
            await page.emulateMedia({ colorScheme });
            await expectLegible(page, { contrast: locale === "de" });
          }
          expect([name, await cutWords(page)]).toEqual([name, []]);
          seen.push(name);
        });
        expect(seen).toHaveLength(17);
        // Pages for a link that is no longer good answer with an error, of which the console tells.
        expect(complaints.filter((text) => !text.includes("Failed to load resource"))).toEqual([]);
      },
      180_000,
    );

    it.each(sample(["light", "dark"] as const, { of: 2 }))(
      "can be read by everyone, on a phone too: %s",
      async (colorScheme) => {
        const { unsubscribe, manage } = await subscriber();
        for (const path of [unsubscribe, manage, "/unsubscribe/bad"]) {
          const { page } = await open(path, { ...phone, colorScheme });
          await expectLegible(page);
          if (path !== manage) continue;
          for (const name of ["3 months", "Unsubscribe for good"]) {
            await press(page.getByRole("button", { name }));
            await expectLegible(page);
          }
        }
      },
    );
  },
);

/** Presses what leads to another page, and waits for that. */
async function press(target: Locator): Promise<void> {
  await Promise.all([target.page().waitForEvent("load"), target.click()]);
}

/** Goes forward by the Tab key, and says where it comes to; each place shows that it is there. */
async function focused(page: Page, times: number): Promise<string[]> {
  const names: string[] = [];
  for (let time = 0; time < times; time++) {
    await page.keyboard.press("Tab");
    const at = page.locator(":focus-visible");
    names.push((await at.textContent()) ?? "");
    expect(await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  }
  return names;
}

/**
 * The words that a line end cuts in two, and the buttons that are too small for their text. Addresses may be cut: they
 * have no blanks.
 */
function cutWords(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const cut = [];
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (node.parentElement.closest(".address")) continue;
      for (const { index, 0: word } of node.data.matchAll(/[^\\s\u2013-]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) cut.push(word);
      }
    }
    for (const button of document.querySelectorAll("button")) {
      if (button.scrollWidth > button.clientWidth || button.scrollHeight > button.clientHeight) cut.push(button.textContent);
    }
    return cut;
  })()`);
}

async function expectLegible(page: Page, { contrast = true } = {}): Promise<void> {
  expect(await axeFindings(page, { contrast })).toEqual([]);
  expect(await overhang(page)).toBe(0);
}
