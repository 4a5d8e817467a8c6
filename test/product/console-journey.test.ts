import { beforeAll, expect, inject, it, vi } from "vitest";
import { atRest, describeInChromium, visit } from "./chromium";
import { asOwner, hostile, makeWorld, type World } from "./console-world";

const product = inject("product");
const { base } = product;
const people = 5_000;
const cities = ["Paris", "Rome", `"${hostile.replaceAll('"', '""')}"`];

interface Stats {
  totalRecipients: number;
  sentCount: number;
  deliveredCount: number;
}

describeInChromium(
  "a campaign to five thousand",
  () => base,
  (open) => {
    let world: World;

    beforeAll(async () => {
      world = await makeWorld(product);
      const form = new FormData();
      const lines = Array.from({ length: people }, (_, n) => `p${n}@example.com,${cities[n % cities.length]}\n`);
      form.set("file", new File([`email,city\n${lines.join("")}`], "people.csv"));
      const headers = { Authorization: `Bearer ${world.key}` };
      const started = await fetch(`${base}/contacts/import`, { method: "POST", headers, body: form });
      const { jobId } = (await started.json()) as { jobId: string };
      const isOver = async () => (await world.call<{ status: string }>("GET", `/jobs/${jobId}`)).status === "completed";
      await vi.waitUntil(isOver, { timeout: 60_000, interval: 500 });
    }, 90_000);

    it("is written with variants, checked, sent, paused, resumed and read, all of it in the browser", async () => {
      const watched = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      const { page } = watched;
      page.setDefaultTimeout(120_000);
      await asOwner(page, world);
      await visit(page, `${base}/console/p/${world.project}/campaigns/new`);
      await page.getByLabel("Name, which only you see").fill(`Five thousand ${hostile}`);
      await page.getByRole("button", { name: "Begin to write" }).click();
      await page.waitForURL(/\/edit$/);
      const id = /campaigns\/([\w-]+)\/edit/.exec(page.url())?.[1] ?? "";
      await page.getByRole("textbox", { name: "Subject" }).fill(`${hostile} for {{ city }}`);
      await page.getByRole("button", { name: "Try two subjects" }).click();
      await page.getByRole("textbox", { name: "Subject, variant B" }).fill("Other news");
      await page.getByRole("button", { name: "Check everybody's mail" }).click();
      await page.getByRole("button", { name: /^Send to 5,000 people, about / }).click();
      await page.getByText(/^It is sent in \d+ seconds/).waitFor();
      await page.goto(`${base}/console/p/${world.project}/campaigns/${id}`);
      await page.getByText(/[\d,]+ of 5,000 are out/).waitFor();
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByText("Somebody paused it.").waitFor();
      const held = await world.call<Stats>("GET", `/campaigns/${id}/stats`);
      expect(held.sentCount).toBeLessThan(people);
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText(/^Sent to 5,000 people\./).waitFor();
      const reported = async () => (await world.call<Stats>("GET", `/campaigns/${id}/stats`)).deliveredCount === people;
      await vi.waitUntil(reported, { timeout: 120_000, interval: 1_000 });
      await page.reload();
      await atRest(page);
      const rows = await page.getByRole("region", { name: "Where everybody is" }).getByRole("row").allTextContents();
      expect(rows).toContain("Sent5,000");
      expect(rows).toContain("Recipients5,000");
      expect([watched.foreign, watched.dialogs]).toEqual([[], []]);
    }, 400_000);
  },
);
