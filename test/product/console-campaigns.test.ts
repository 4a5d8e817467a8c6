import type { BrowserContextOptions } from "playwright-core";
import { beforeAll, expect, inject, it, vi } from "vitest";
import { axeFindings } from "./axe";
import { atRest, describeInChromium, overhang, visit, type Watched } from "./chromium";
import { asOwner, hostile, makeWorld, type World } from "./console-world";

const product = inject("product");
const { base, adminToken } = product;

const desk = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 } };

/** Would end the styles in which a link is named. */
const hostileLink = "https://evil.example/&quot;]{}&lt;/style&gt;&lt;script&gt;alert('link')&lt;/script&gt;";

interface Stats {
  totalRecipients: number;
  sentCount: number;
  deliveredCount: number;
  bouncedCount: number;
  clickedCount: number;
}

describeInChromium(
  "the console's campaigns",
  () => base,
  (open) => {
    let world: World;
    let topicId: string;
    const people = 24;

    async function setPace(perSecond: number | null): Promise<void> {
      const answer = await fetch(`${base}/admin/projects/${world.project}`, {
        method: "PATCH",
        headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
        body: JSON.stringify({ sendRatePerSecond: perSecond }),
      });
      expect(answer.status).toBe(200);
    }

    async function newCampaign(fields: Record<string, unknown>): Promise<string> {
      const written = {
        ...{ subject: "Sale", from: `hello@${world.domain}`, audienceType: "ALL" },
        body: `<p>Sale</p><a href="https://acme.example/sale">To the sale</a> <a href="${hostileLink}">Away</a>`,
        ...fields,
      };
      return (await world.call<{ data: { id: string } }>("POST", "/campaigns", written)).data.id;
    }

    const statsOf = (id: string) => world.call<Stats>("GET", `/campaigns/${id}/stats`);
    const at = (path: string) => `/console/p/${world.project}${path}`;

    async function enter(path: string, options: BrowserContextOptions = desk): Promise<Watched> {
      const watched = await open("about:blank", options);
      await asOwner(watched.page, world);
      await visit(watched.page, base + at(path));
      return watched;
    }

    /** Follows the first link of the mail to this address. */
    async function clickAsReader(to: string): Promise<void> {
      const answer = await fetch(`${base}/outbox/messages?to=${to}`);
      const link = /\/c\/[\w.~-]+/.exec(JSON.stringify(await answer.json()))?.[0] ?? "";
      const headers = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0" };
      expect((await fetch(base + link, { headers, redirect: "manual" })).status).toBe(302);
    }

    function expectQuiet({ foreign, complaints, dialogs }: Watched): void {
      expect([foreign, complaints, dialogs]).toEqual([[], [], []]);
    }

    beforeAll(async () => {
      world = await makeWorld(product);
      await setPace(1);
      const bad = ["bounce@simulator.test", "reject@simulator.test"];
      const good = Array.from({ length: people - bad.length }, (_, index) => `p${index}@example.com`);
      for (const email of [...bad, ...good]) await world.call("POST", "/contacts", { email });
      await world.call("POST", "/contacts", { email: "gone@example.com", subscribed: false });
      topicId = (await world.call<{ id: string }>("POST", "/topics", { name: "Offers" })).id;
      const other = await world.call<{ id: string }>("POST", "/contacts", { email: "other@example.com" });
      await world.call("PUT", `/contacts/${other.id}/topics`, { topics: { offers: false } });
      await world.call("POST", "/contacts", { email: "blocked@example.com", subscribed: false });
      await world.call("POST", "/suppressions", { email: "blocked@example.com" });
    }, 60_000);

    it("leads from nothing to the first campaign, and lists each with its state", async () => {
      const watched = await enter("/campaigns");
      const { page } = watched;
      await page.getByText("No campaign yet").waitFor();
      const id = await newCampaign({ name: hostile, subject: hostile });
      await page.reload();
      await atRest(page);
      await page.getByRole("link", { name: hostile }).waitFor();
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox", { name: "Search pages, people and mail" }).fill(hostile.slice(0, 20));
      // A project of another test may have the same name, and is there at once.
      await page
        .getByRole("group", { name: "Campaigns", exact: true })
        .getByRole("option", { name: hostile })
        .waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`/campaigns/${id}$`));
      await page.getByText("It is not sent yet.").waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(hostile);
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("No campaign yet").waitFor();
      expectQuiet(watched);
    });

    it("shows a campaign going out, pauses it under the thumb, lets it go on, and says what became of it", async () => {
      const id = await newCampaign({
        name: `Spring ${hostile}`,
        topicId,
        variants: [
          { name: "plain", weight: 1 },
          { name: "curious", weight: 1, subject: "Have you seen this?" },
        ],
      });
      await world.call("POST", `/campaigns/${id}/send`, {});
      const watched = await enter(`/campaigns/${id}`, phone);
      const { page } = watched;
      await page.getByText(new RegExp(`\\d+ of ${people} are out`)).waitFor();
      const pause = page.getByRole("button", { name: "Pause" });
      const box = await pause.boundingBox();
      expect(box && box.y > 700 && box.y + box.height < 844).toBe(true);
      await pause.click();
      await page.getByText("Somebody paused it.").waitFor();
      const held = await statsOf(id);
      expect(held.sentCount).toBeLessThan(people);
      expect(await axeFindings(page)).toEqual([]);

      // Home says so too, and leads here.
      await visit(page, base + at(""));
      await page.getByText(/things? needs? you\./).waitFor();
      const needs = page.getByRole("region", { name: "What needs a hand" });
      await needs.getByText("The campaign is held: paused.").waitFor();
      await needs.getByRole("link", { name: "To the campaign" }).click();
      await page.waitForURL(new RegExp(`/campaigns/${id}$`));

      await setPace(null);
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText(/^Sent to 23 people\./).waitFor({ timeout: 40_000 });
      expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);
      await vi.waitUntil(async () => (await statsOf(id)).deliveredCount === people - 2, { timeout: 20_000 });
      await clickAsReader("p0@example.com");
      await vi.waitUntil(async () => (await statsOf(id)).clickedCount === 1, { timeout: 20_000 });
      await page.reload();
      await atRest(page);
      const ledger = page.getByRole("region", { name: "Where everybody is" });
      const rows = await ledger.getByRole("row").allTextContents();
      expect(rows).toEqual([
        ...["Sent23", "Waiting0", "Unknown0", "Failed1", "Suppressed0", "Cancelled0", "Recipients24"],
        ...["Left out: the address is suppressed1", "Left out: they are not subscribed1"],
        ...["Left out: they do not get this topic1", "In the audience27"],
      ]);
      // The clicks are on the links of the mail, until they are turned off.
      const mail = page.frameLocator("iframe");
      await mail.getByRole("link", { name: "To the sale" }).waitFor();
      const marked = (index: number) =>
        mail.locator("body").evaluate(`getComputedStyle(document.links[${index}], "::after").content`);
      expect([await marked(0), await marked(1)]).toEqual(['"1 · 4.3%"', '"0 · 0%"']);
      await page.getByLabel("Clicks", { exact: true }).uncheck();
      await expect.poll(() => marked(0), { timeout: 10_000 }).toBe("none");
      expect(await overhang(page)).toBeLessThanOrEqual(0);
      await page.getByLabel("A whole address").fill("gone@example.com");
      await page.getByRole("button", { name: "Find out" }).click();
      await page.getByText("They were left out").waitFor();
      await page.setViewportSize(desk.viewport);
      expect(await axeFindings(page)).toEqual([]);
      // The number of those who were left out leads to them, and each other one to its mail.
      const leftOut = ledger.getByTitle("Those of them for whom that is so now");
      await expect.poll(() => leftOut.count()).toBe(2);
      const leads = await leftOut.evaluateAll((links) => links.map((link) => decodeURIComponent(`${link}`)));
      expect(leads.map((lead) => /people\?where=(.*)/.exec(lead)?.[1])).toEqual([
        expect.stringContaining('"field":"subscribed"'),
        expect.stringContaining('"field":"topic.offers"'),
      ]);
      const ofAddresses = ledger.getByTitle("Suppressions", { exact: true });
      expect(await ofAddresses.getAttribute("href")).toMatch(/\/more#suppressions$/);
      await ledger.getByRole("link", { name: "1", exact: true }).first().click();
      await page
        .getByRole("link", { name: /reject@simulator\.test|Sale|Have you seen/ })
        .first()
        .waitFor();
      expect(page.url()).toContain("countedAs=failed");
      await page.getByText("Counted as: failed").waitFor();
      await page.getByText(`Campaign: Spring ${hostile}`, { exact: true }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expectQuiet(watched);
    });
  },
);
