import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { axeFindings } from "./axe";
import { describeInChromium, overhang, type Watched } from "./chromium";
import { asOwner, hostile, makeWorld, type World } from "./console-world";

const product = inject("product");
const { base } = product;

const rows = 6_500;
const note = "x".repeat(900);
const lines = Array.from({ length: rows }, (_, n) => `p${n}@example.com,pro,${note}`);
/** A file of two parts. One row has no address, and the name of a column is hostile. */
const file = Buffer.from(`email,plan,"${hostile.replaceAll('"', '""')}"\nnope,pro,\n${lines.join("\n")}\n`);

/** What the browser says of a call that was cut off. */
const ofCut = /ERR_FAILED|ERR_CONNECTION/;

describeInChromium(
  "the import in the console",
  () => base,
  (open) => {
    let world: World;
    beforeAll(async () => {
      world = await makeWorld(product);
    });

    async function enter(options = {}): Promise<Watched> {
      const watched = await open("/health", { viewport: { width: 1280, height: 900 }, ...options });
      await asOwner(watched.page, world);
      await watched.page.goto(`${base}/console/p/${world.project}/people`, { waitUntil: "networkidle" });
      await watched.page.getByRole("link", { name: "Import people" }).click();
      await watched.page.getByLabel("CSV file").waitFor();
      return watched;
    }

    async function upload(page: Page): Promise<void> {
      await page.getByLabel("CSV file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: file });
      await page.getByRole("button", { name: "Upload" }).click();
    }

    const uploads = async () => {
      const { data } = await world.call<{ data: { type: string; status: string }[] }>("GET", "/jobs");
      return data.filter(({ type }) => type === "contacts.import");
    };

    const isOpen = ({ status }: { status: string }) => status === "queued";

    it("uploads a file of more than 5 MB, sends a part that failed again, and shows what was imported", async () => {
      const watched = await enter();
      const { page } = watched;
      let parts = 0;
      let isCut = true;
      await page.route("**/parts/*", (route) => {
        parts++;
        return isCut && route.request().url().includes("/parts/2") ? route.abort() : route.continue();
      });
      await upload(page);
      const again = page.getByRole("button", { name: "Try again" });
      await again.waitFor({ timeout: 60_000 });
      const before = parts;
      expect(await axeFindings(page)).toEqual([]);
      isCut = false;
      await again.click();
      await page.getByRole("button", { name: "Import", exact: true }).waitFor();
      // Only the second part was sent again.
      expect(parts).toBe(before + 1);
      await page.getByRole("cell", { name: "data.plan" }).waitFor();
      expect(await page.getByRole("cell", { name: hostile, exact: true }).count()).toBe(1);
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByRole("button", { name: "Import another file" }).waitFor({ timeout: 120_000 });
      await page.getByText("invalid_email").waitFor();
      const { total } = await world.call<{ total: number }>("GET", "/contacts?limit=1");
      expect(total).toBe(rows);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overhang(page)).toBe(0);
      await page.getByRole("button", { name: "Undo the import" }).click();
      await page.getByText("The import is being undone.").waitFor();
      expect([watched.foreign, watched.complaints.filter((one) => !ofCut.test(one)), watched.dialogs]).toEqual([
        [],
        [],
        [],
      ]);
    });

    it("gives up an upload that is cancelled, and one whose page is left or loaded again", async () => {
      const { page } = await enter({ colorScheme: "dark" });
      for (const leave of ["Cancel", "People", "reload"]) {
        const held = Promise.withResolvers<void>();
        await page.route("**/parts/*", async (route) => {
          held.resolve();
          // Never answered: the part is under way when the person leaves.
          await new Promise(() => {});
          await route.abort();
        });
        await upload(page);
        await held.promise;
        if (leave === "reload") {
          expect((await uploads()).filter(isOpen)).toHaveLength(1);
          await page.reload();
          await expect.poll(async () => (await uploads()).filter(isOpen), { timeout: 10_000 }).toEqual([]);
          continue;
        }
        const given = page.waitForResponse((answer) => answer.request().method() === "DELETE");
        if (leave === "Cancel") await page.getByRole("button", { name: leave }).click();
        else await page.getByRole("link", { name: leave, exact: true }).first().click();
        expect((await given).status()).toBe(204);
        await page.unrouteAll({ behavior: "ignoreErrors" });
        if (leave === "Cancel") await page.getByLabel("CSV file").waitFor();
        else await page.getByRole("link", { name: "Import people" }).click();
      }
      expect((await uploads()).filter(isOpen)).toEqual([]);
    });
  },
);
