import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { en } from "../../console/src/words/en";
import { loadFirstWords, loadPageWords } from "../../console/src/words/languages";
import {
  beforeItsStart,
  byCanary,
  byDisabledProject,
  byPerson,
  byReputation,
} from "../../src/core/campaigns/hold-reasons";
import { sample } from "../support/sample";
import { axeFindings } from "./axe";
import { describeInChromium, overhang } from "./chromium";
import { furnishPages } from "./console-pages";
import { asOwner, makeWorld, type World } from "./console-world";

const product = inject("product");
const { base } = product;

const locales = ["en", "de", "es", "fr", "it", "nl", "pt"];
const phone = { width: 390, height: 844 };

/** Every text of a language that stands alone, without what it is about. */
function* textsIn(words: object): Generator<string> {
  for (const value of Object.values(words)) {
    if (typeof value === "string") yield value;
    else if (typeof value === "object" && value !== null) yield* textsIn(value);
  }
}

const wordsOf = async (locale: string) =>
  new Set(textsIn({ ...((await loadFirstWords(locale)) ?? en), ...(await loadPageWords(locale)) }));

/** Runs in a page: every text that is shown, and each button and link whose text has no room. */
const look = `(() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    if (text !== "" && node.parentElement.checkVisibility() && !node.parentElement.closest("bdi, pre, code")) texts.push(text);
  }
  for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]"))
    for (const name of ["aria-label", "placeholder", "title"]) texts.push(element.getAttribute(name) ?? "");
  const cut = [...document.querySelectorAll("button, a.action, nav a, th, label > span, summary, .field")]
    .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1 && !element.matches(".truncate, input, select, .sr-only"))
    .map((element) => element.textContent);
  const outside = [...document.querySelectorAll("button, a.action")]
    .filter((element) => element.checkVisibility() && !element.closest(".overflow-x-auto") && element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.textContent);
  return { texts, cut: [...cut, ...outside] };
})()`;

/** The policy of the pages lets a test wait only by a script of its own. */
const untilThere = `(async () => {
  const isThere = () => document.querySelector("#main h1") !== null && document.querySelector(".waiting") === null;
  for (let round = 0; round < 400; round += 1) {
    if (isThere()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
})()`;

describeInChromium(
  "every page of the console, in each language",
  () => base,
  (open) => {
    let world: World;
    let paths: string[];

    beforeAll(async () => {
      world = await makeWorld(product);
      paths = await furnishPages(world);
    });

    async function show(page: Page, path: string): Promise<void> {
      await page.goto(base + path, { waitUntil: "domcontentloaded" });
      expect(await page.evaluate(untilThere), path).toBe(true);
    }

    for (const locale of sample(locales)) {
      it(`says all of it in ${locale}, and has room for it on a phone`, { timeout: 240_000 }, async () => {
        const watched = await open("/health", { viewport: phone, locale });
        const { page, foreign, dialogs } = watched;
        await asOwner(page, world);
        const own = await wordsOf(locale);
        // What is the same in both languages says nothing.
        const english = new Set([...(await wordsOf("en"))].filter((text) => locale !== "en" && !own.has(text)));
        const faults: string[] = [];
        for (const path of sample(paths, { every: 3, name: locale })) {
          await show(page, path);
          const { texts, cut } = await page.evaluate<{ texts: string[]; cut: string[] }>(look);
          expect(texts.length, path).toBeGreaterThan(10);
          const at = path.replace(world.project, "…");
          faults.push(...texts.filter((text) => english.has(text)).map((text) => `${at} is not translated: ${text}`));
          faults.push(...texts.filter((text) => /undefined|\[object|NaN/.test(text)).map((text) => `${at}: ${text}`));
          faults.push(...cut.map((text) => `${at} has no room for ${text}`));
          if ((await overhang(page)) > 0) faults.push(`${at} is too wide`);
          expect(await page.locator("html").getAttribute("lang")).toBe(locale);
        }
        faults.push(...(await axeFindings(page, { contrast: false })));
        expect(faults).toEqual([]);
        expect([foreign, dialogs]).toEqual([[], []]);
      });
    }

    /** Keeps a file of the language away that has this text. The browser gets it after so many times. */
    async function keepAway(page: Page, text: string, times: number): Promise<() => number> {
      let asked = 0;
      await page.route(/\/console\/assets\/(?:de|pages)-[\w-]+\.js$/, async (route) => {
        const answer = await route.fetch();
        const isMeant = (await answer.text()).includes(text);
        if (isMeant) asked += 1;
        await (isMeant && asked <= times ? route.abort() : route.fulfill({ response: answer }));
      });
      return () => asked;
    }

    for (const [file, text] of [
      ["the first screen", "Zum Inhalt"],
      ["the other pages", "Diese Person ändern"],
    ] as const) {
      it(`speaks English on all pages when its texts of ${file} cannot be loaded, and both languages on none`, async () => {
        const { page } = await open("/health", { viewport: phone, locale: "de" });
        await asOwner(page, world);
        await keepAway(page, text, 1_000);
        const german = [...(await wordsOf("de"))];
        const english = await wordsOf("en");
        for (const path of ["/domains", "/settings/topics", ""]) {
          await show(page, `/console/p/${world.project}${path}`);
          if (path === "" && file === "the other pages") {
            // The first screen needs none of them.
            await page.getByRole("navigation").getByText("Personen").click();
            await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
          }
          const { texts } = await page.evaluate<{ texts: string[] }>(look);
          expect(texts.filter((one) => german.includes(one) && !english.has(one))).toEqual([]);
          expect(await page.locator("html").getAttribute("lang")).toBe("en");
        }
        await page.unrouteAll({ behavior: "ignoreErrors" });
      });

      it(`asks once more for its texts of ${file}, and then speaks its language`, async () => {
        const { page } = await open("/health", { viewport: phone, locale: "de" });
        await asOwner(page, world);
        const asked = await keepAway(page, text, 1);
        await show(page, `/console/p/${world.project}/domains`);
        await page.getByRole("button", { name: "Domain hinzufügen" }).waitFor();
        expect(await page.getByRole("navigation").getByText("Personen").count()).toBe(1);
        expect(asked()).toBe(2);
        await page.unrouteAll({ behavior: "ignoreErrors" });
      });
    }

    it("speaks English only, also when a page loads its texts after another page could not", async () => {
      const { page } = await open("/health", { viewport: { width: 1280, height: 900 }, locale: "de" });
      await asOwner(page, world);
      // Each page asks twice: the first page in vain, the second one with success after the first has given up.
      const asked = await keepAway(page, "Diese Person ändern", 3);
      await show(page, `/console/p/${world.project}`);
      const navigation = page.getByRole("navigation");
      const isAsked = page.waitForEvent("requestfailed");
      await navigation.getByText("Personen").click();
      await isAsked;
      await navigation.getByText("Domains").click();
      await expect.poll(asked, { timeout: 10_000 }).toBe(4);
      await page.getByRole("heading", { level: 1, name: "Domains" }).waitFor();
      await page.getByRole("button", { name: "Add a domain" }).waitFor();
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
      await page.unrouteAll({ behavior: "ignoreErrors" });
    });

    it("has words for each reason for which a campaign waits, in every language", async () => {
      const reasons = [byPerson, byReputation, ...byCanary, byDisabledProject, ...beforeItsStart].toSorted();
      for (const locale of locales) {
        const { campaigns } = await loadPageWords(locale);
        expect(Object.keys(campaigns.heldBy).toSorted(), locale).toEqual(reasons);
      }
    });
  },
);
