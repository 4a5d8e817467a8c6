import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { sample } from "../support/sample";
import { describeInChromium } from "./chromium";
import { asOwner, makeWorld, sendMails, type World } from "./console-world";

const product = inject("product");
const { base } = product;

describeInChromium(
  "what the console asks while a page is open",
  () => base,
  (open) => {
    let world: World;
    let mail: string;
    let draft: string;
    beforeAll(async () => {
      world = await makeWorld(product);
      mail = await sendMails(world, ["First"], "ada@example.com");
      const content = { name: "Offer", subject: "Offer", body: "<p>Hi</p>", from: `hello@${world.domain}` };
      const { data } = await world.call<{ data: { id: string } }>("POST", "/campaigns", {
        ...content,
        audienceType: "ALL",
      });
      draft = data.id;
    });

    interface Looked {
      page: Page;
      /** All that the page has asked for since it was still. */
      asked: Set<string>;
      /** Lets a minute pass. */
      pass(): Promise<Set<string>>;
    }

    /** Opens a page, and lets a minute pass there as often as that asks for something else than at last. */
    async function watch(path: string, atLast: string[]): Promise<Looked> {
      const { page } = await open("/health", { viewport: { width: 1280, height: 900 } });
      await asOwner(page, world);
      await page.clock.install();
      await page.goto(`${base}/console/p/${world.project}${path}`, { waitUntil: "networkidle" });
      const asked = new Set<string>();
      page.on("request", (request) => {
        if (request.headers()["petrel-project"] !== undefined) asked.add(new URL(request.url()).pathname);
      });
      const pass = async () => {
        for (let round = 0; round < 4; round += 1) {
          await page.clock.runFor(16_000);
          // Comes back after what was asked meanwhile.
          await page.evaluate("fetch('/health')");
        }
        return asked;
      };
      // The service keeps a version for two seconds of its own clock, so the first one may be older than the page.
      const still = () => {
        asked.clear();
        return pass();
      };
      await expect.poll(still, { timeout: 20_000, message: path }).toEqual(new Set(atLast));
      return { page, asked, pass };
    }

    it("is a version and no row, of the start page and the mail log, until there is mail", async () => {
      // What needs a hand turns without mail, too.
      const [home, log] = [
        await watch("", ["/activity/version", "/attention"]),
        await watch("/emails", ["/activity/version"]),
      ];
      await sendMails(world, ["Second"], "ada@example.com");
      expect(home.asked).not.toContain("/activity/stats");
      await expect.poll(home.pass, { timeout: 20_000 }).toContain("/activity/stats");
      await log.pass();
      await log.page.getByRole("button", { name: "There is newer mail. Show it" }).click();
      await log.page.getByRole("link", { name: "Second" }).waitFor();
    });

    it("is a version of a mail that is out and of a draft, and nothing of the other pages", async () => {
      await watch(`/emails/${mail}`, ["/activity/version"]);
      await watch(`/campaigns/${draft}/edit`, [`/campaigns/${draft}/progress`]);
      const still = ["/people", "/campaigns", `/campaigns/${draft}`, "/settings/topics", "/settings/keys", "/more"];
      for (const path of sample(still)) await watch(path, []);
    });
  },
);
