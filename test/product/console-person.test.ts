import { readFile } from "node:fs/promises";
import { beforeAll, expect, inject, it } from "vitest";
import { axeFindings } from "./axe";
import { atRest, describeInChromium, overhang, visit, type Watched } from "./chromium";
import { sendInTunnel } from "./console-forms";
import { asMember, asOwner, hostile, makeWorld, reversed, type World } from "./console-world";

const product = inject("product");
const { base } = product;

interface Contact {
  id: string;
  email: string;
  subscribed: boolean;
  snoozedUntil: string | null;
  data: Record<string, unknown>;
  version: number;
}

describeInChromium(
  "one person, in the console",
  () => base,
  (open) => {
    let world: World;
    let id: string;

    beforeAll(async () => {
      world = await makeWorld(product);
      const data = { plan: "pro", seats: 12, trial: true, tags: ["a"], [hostile]: hostile };
      id = (await world.call<Contact>("POST", "/contacts", { email: "ada@example.com", data })).id;
      await world.call("POST", "/contacts", { email: "grace@example.com", data: { city: "London" } });
    });

    const read = () => world.call<Contact>("GET", `/contacts/${id}`);

    async function enter(): Promise<Watched> {
      const watched = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      await asOwner(watched.page, world);
      await visit(watched.page, `${base}/console/p/${world.project}/people/${id}`);
      return watched;
    }

    it("is corrected: what was changed and nothing else, also after the network was away, and on top of what others wrote", async () => {
      const watched = await enter();
      const { page } = watched;
      await page.getByRole("button", { name: "Change" }).click();
      const dialog = page.getByRole("dialog", { name: "Change this person" });
      await dialog.getByLabel("seats").fill("13");
      await dialog.getByLabel("plan").fill("");
      await dialog.getByLabel("trial").selectOption("false");
      await dialog.getByLabel("Address").fill("ada@other.example");
      await dialog.getByLabel("Another field").fill("city");
      await dialog.getByLabel("Its value").fill(reversed);
      expect(await axeFindings(page, { contrast: false })).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overhang(page)).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1280, height: 900 });
      const save = dialog.getByRole("button", { name: "Save" });
      await sendInTunnel(page, save, () => dialog.getByLabel("seats").inputValue());

      // Somebody else has written meanwhile: nothing of theirs is lost, and nothing of this.
      const { version } = await world.call<Contact>("PATCH", `/contacts/${id}`, { data: { note: "theirs" } });
      await save.click();
      await dialog.getByText(`current version is ${version}`).waitFor();
      expect(await dialog.getByLabel("seats").inputValue()).toBe("13");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      // The page has read what they wrote, so the next change is made on top of it.
      await page.getByRole("button", { name: "Change" }).click();
      expect(await dialog.getByLabel("note").inputValue()).toBe("theirs");
      await dialog.getByLabel("seats").fill("13");
      await dialog.getByLabel("plan").fill("");
      await dialog.getByLabel("trial").selectOption("false");
      await dialog.getByLabel("Address").fill("ada@other.example");
      await dialog.getByLabel("Another field").fill("city");
      await dialog.getByLabel("Its value").fill(reversed);
      await save.click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("heading", { level: 1, name: "ada@other.example" }).waitFor();
      expect(await read()).toMatchObject({
        email: "ada@other.example",
        data: { seats: 13, trial: false, tags: ["a"], [hostile]: hostile, note: "theirs", city: reversed },
      });
      expect((await read()).data).not.toHaveProperty("plan");
      expect([watched.foreign, watched.dialogs]).toEqual([[], []]);
    });

    it("keeps every value that nobody touched as it is, and the type of each that was", async () => {
      const kept = { count: 5, isNew: true, note: "Two\r\nlines\n", padded: " a b ", digits: "42" };
      const data = { ...kept, plan: "pro", seats: 12, code: "007", street: "1 Road\nLondon" };
      // Elsewhere in the project these are numbers.
      const elsewhere = { email: "bob@example.com", data: { digits: 1, code: 1, plan: 1 } };
      const bob = await world.call<Contact>("POST", "/contacts", elsewhere);
      const { id: own } = await world.call<Contact>("POST", "/contacts", { email: "carol@example.com", data });
      const dataOf = async () => (await world.call<Contact>("GET", `/contacts/${own}`)).data;
      const { page } = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      await asOwner(page, world);
      const sent: unknown[] = [];
      page.on("request", (request) => {
        if (request.method() === "PATCH") sent.push(request.postDataJSON());
      });
      const { promise: isSaved, resolve: answer } = Promise.withResolvers<void>();
      await page.route(/\/contacts\/fields/, async (route) => {
        await isSaved;
        await route.continue();
      });
      await page.goto(`${base}/console/p/${world.project}/people/${own}`);
      const change = async (typed: Record<string, string>, { isListed = false } = {}) => {
        const listed = isListed ? page.waitForResponse(/\/contacts\/fields/) : null;
        await page.getByRole("button", { name: "Change" }).click();
        await listed;
        const dialog = page.getByRole("dialog", { name: "Change this person" });
        for (const [label, text] of Object.entries(typed)) await dialog.getByLabel(label).fill(text);
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.waitFor({ state: "detached" });
      };
      // The types of the project are not known yet.
      await change({ plan: " trial " });
      expect(sent).toEqual([{ data: { plan: "trial" } }]);
      expect(await dataOf()).toEqual({ ...data, plan: "trial" });

      answer();
      await page.reload();
      await atRest(page);
      await change({ seats: "13", code: "008", street: "2 Road\nLondon" }, { isListed: true });
      const { seats, code, street } = { seats: 13, code: "008", street: "2 Road\nLondon" };
      expect(sent.slice(1)).toEqual([{ data: { seats, code, street } }]);
      expect(await dataOf()).toEqual({ ...kept, plan: "trial", seats, code, street });
      for (const one of [own, bob.id]) await world.call("DELETE", `/contacts/${one}`);
    });

    it("is unsubscribed, subscribed, and left alone for a while", async () => {
      const watched = await enter();
      const { page } = watched;
      const consent = page.getByRole("region", { name: "Consent" });
      const ask = async (name: string) => {
        await consent.getByRole("button", { name, exact: true }).click();
        await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
      };
      await ask("Unsubscribe");
      await consent.getByText("Gets no marketing mail").waitFor();
      expect((await read()).subscribed).toBe(false);
      await ask("Subscribe");
      await consent.getByText("Subscribed to marketing mail").waitFor();
      await consent.getByRole("combobox", { name: "Snooze" }).selectOption("14d");
      await consent.getByText("Snoozed until").waitFor();
      expect((await read()).snoozedUntil).not.toBeNull();
      await consent.getByRole("button", { name: "End the snooze" }).click();
      await consent.getByText("Snoozed until").waitFor({ state: "detached" });
      expect((await read()).subscribed).toBe(true);
      // What happened is on the page without another look.
      await page.getByRole("region", { name: "Timeline" }).getByText("Unsubscribed").first().waitFor();
      expect([watched.foreign, watched.complaints, watched.dialogs]).toEqual([[], [], []]);
    });

    it("gets mail again when the address was suppressed, where the page says that it is", async () => {
      const { email } = await read();
      await world.call("POST", "/templates", {
        ...{ name: "Receipt", subject: "Receipt", body: "<p>Hi</p>", from: `hello@${world.domain}` },
        type: "TRANSACTIONAL",
      });
      await world.call("POST", "/suppressions", { email });
      const { page } = await enter();
      await page.getByText("Template", { exact: true }).click();
      await page.getByRole("combobox", { name: "Template" }).selectOption({ label: "Receipt" });
      await page.getByRole("button", { name: "Let an address get mail again" }).click();
      await page.getByRole("button", { name: "Let an address get mail again" }).waitFor({ state: "detached" });
      const { data } = await world.call<{ data: { email: string }[] }>("GET", "/suppressions");
      expect(data.map((one) => one.email)).not.toContain(email);
    });

    it("is offered no change to somebody who may only read", async () => {
      const { page } = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      await asMember(page, product, world, { role: "viewer" });
      await visit(page, `${base}/console/p/${world.project}/people/${id}`);
      await page.getByRole("region", { name: "Consent" }).waitFor();
      expect(
        await page
          .locator("#main")
          .getByRole("button", { name: /Change|Subscribe|Unsubscribe|Erase/ })
          .count(),
      ).toBe(0);
    });

    it("takes along a file of all that is stored, and is erased", async () => {
      const watched = await enter();
      const { page } = watched;
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save all data" }).click();
      const file = await (await saved).path();
      expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
        contact: { id, data: { [hostile]: hostile } },
        exportedAt: expect.any(String),
      });
      const erase = page.getByRole("button", { name: "Erase" });
      await erase.click();
      await page
        .getByRole("dialog", { name: "Erase ada@other.example?" })
        .getByRole("button", { name: "Erase" })
        .click();
      await page.waitForURL(/\/people$/);
      await page.getByText("1 person", { exact: true }).waitFor();
      const answer = await fetch(`${base}/contacts/${id}`, { headers: { Authorization: `Bearer ${world.key}` } });
      expect(answer.status).toBe(404);
      expect([watched.foreign, watched.dialogs, watched.complaints]).toEqual([[], [], []]);
    });
  },
);
