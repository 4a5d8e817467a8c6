import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, inject } from "vitest";

/** Chromium without a window comes first: it opens a page in a third of the time. */
const places = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
];

export function findChromium(): string | null {
  const path = process.env.CHROMIUM_PATH;
  return path || (places.find((place) => existsSync(place)) ?? null);
}

const args = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  // These keep the browser itself from calling home.
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  // No test goes out to the network. A browser whose requests are intercepted would have no cache, and load all anew.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
];

/** What happened in a page besides what it shows. */
export interface Watched {
  page: Page;
  /** What was asked of other hosts. Requests that a Content-Security-Policy stops are not made. */
  foreign: string[];
  /** Errors and warnings in the console, and exceptions. */
  complaints: string[];
  /** What any script said with `alert` and the like. */
  dialogs: string[];
}

export type OpenPage = (path: string, options?: BrowserContextOptions) => Promise<Watched>;

/**
 * Tests in a browser with a fresh profile. Without Chromium they are skipped; under CI they fail. A page that a test opens is closed
 * after it, because open pages slow down the next ones; a page of `beforeAll` stays open.
 */
export function describeInChromium(title: string, base: () => string, tests: (open: OpenPage) => void): void {
  const path = inject("chromium");
  const isSkipped = path === null && process.env.CI !== "true";
  describe.skipIf(isSkipped)(title, () => {
    let browser: Browser;
    const contexts: BrowserContext[] = [];
    beforeAll(async () => {
      if (path === null) throw new Error("No Chromium was found: install it, or name it in CHROMIUM_PATH.");
      browser = await chromium.launch({ executablePath: path, args });
    });
    beforeEach(({ task }) => {
      const before = contexts.length;
      return async () => {
        const opened = contexts.splice(before);
        if (task.result?.state === "fail") await showPages(opened.flatMap((context) => context.pages()));
        await Promise.all(opened.map((context) => context.close()));
      };
    });
    afterAll(async () => browser?.close());

    tests(async (address, options) => {
      const context = await browser.newContext(options);
      contexts.push(context);
      const foreign: string[] = [];
      const { origin } = new URL(base());
      const isForeign = (url: string) => /^(https?|wss?):/.test(url) && new URL(url).origin !== origin;
      context.on("request", (request) => {
        if (isForeign(request.url())) foreign.push(request.url());
      });
      context.on("requestfailed", (request) => {
        const isStopped = /csp/i.test(request.failure()?.errorText ?? "");
        if (isStopped && isForeign(request.url())) foreign.splice(foreign.lastIndexOf(request.url()), 1);
      });
      const page = await context.newPage();
      const watched = { page, foreign, ...listen(page) };
      complaintsOf.set(page, watched.complaints);
      noteRequests(page);
      await page.goto(new URL(address, base()).href);
      return watched;
    });
  });
}

const complaintsOf = new WeakMap<Page, string[]>();

/** Prints what a person would see, because the pages of a failed test are closed. */
async function showPages(pages: Page[]): Promise<void> {
  for (const page of pages) {
    const text = await page.evaluate<string>("document.body.innerText").catch(String);
    const complaints = complaintsOf.get(page) ?? [];
    console.error([`The page ${page.url()} showed:`, text.slice(0, 3_000), ...complaints].join("\n"));
  }
}

const requests = new WeakMap<Page, { made: number; open: Set<Request> }>();

function noteRequests(page: Page): void {
  const noted = { made: 0, open: new Set<Request>() };
  requests.set(page, noted);
  page.on("request", (request) => {
    noted.made += 1;
    noted.open.add(request);
  });
  for (const over of ["requestfinished", "requestfailed"] as const)
    page.on(over as "requestfinished", (request) => noted.open.delete(request));
}

/** Opens an address, and returns once the page has all that it asks for. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await atRest(page);
}

/** Runs in a page, once it has no script to run and has drawn: whether it shows that something is under way. */
const isUnderWay = `new Promise((resolve) => requestAnimationFrame(() =>
  setTimeout(() => resolve(document.querySelector(".waiting") !== null), 25)))`;

/** Returns once the page waits for nothing, three frames in a row. Playwright's "networkidle" takes half a second to say so. */
export async function atRest(page: Page): Promise<void> {
  const noted = requests.get(page) ?? { made: 0, open: new Set() };
  const end = Date.now() + 30_000;
  for (let still = 0; still < 3; ) {
    const { made } = noted;
    const isBusy = (await page.evaluate<boolean>(isUnderWay)) || noted.open.size > 0 || noted.made > made;
    still = isBusy ? 0 : still + 1;
    if (Date.now() > end)
      throw new Error(`The page ${page.url()} still waits for ${[...noted.open].map(String).join()}`);
  }
}

function listen(page: Page): Pick<Watched, "complaints" | "dialogs"> {
  const complaints: string[] = [];
  const dialogs: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    return dialog.dismiss();
  });
  return { complaints, dialogs };
}

export const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

/** By how many pixels the page is wider than its window. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
}
