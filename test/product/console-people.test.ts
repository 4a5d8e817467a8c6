import { beforeAll, expect, inject, it } from "vitest";
import { axeFindings } from "./axe";
import { atRest, describeInChromium, overhang, visit } from "./chromium";
import { sendInTunnel } from "./console-forms";
import { asOwner, hostile, makeWorld, reversed, type World } from "./console-world";

const product = inject("product");
const { base } = product;

describeInChromium(
  "people, in the console",
  () => base,
  (open) => {
    let world: World;
    const emails = Array.from({ length: 5 }, (_, n) => `person${n}@example.com`);

    beforeAll(async () => {
      world = await makeWorld(product);
      for (const [n, email] of emails.entries()) {
        const data = { plan: n < 3 ? "pro" : "free", [hostile]: reversed };
        await world.call("POST", "/contacts", { email, data });
      }
    });

    async function subscribed(): Promise<string[]> {
      const { data } = await world.call<{ data: { email: string; subscribed: boolean }[] }>("GET", "/contacts");
      return data
        .filter((one) => one.subscribed)
        .map(({ email }) => email)
        .toSorted();
    }

    it("come by a button where there is nobody yet, as does a first mail where there is none", async () => {
      const empty = await makeWorld(product);
      const watched = await open("about:blank", { viewport: { width: 390, height: 844 } });
      const { page } = watched;
      await asOwner(page, empty);
      const at = (path: string) => `${base}/console/p/${empty.project}${path}`;
      await visit(page, at("/people"));
      await page.getByText("Nobody is here yet").waitFor();
      const add = page.getByRole("button", { name: "Add a person" });
      await add.click();
      const dialog = page.getByRole("dialog", { name: "Add a person" });
      await dialog.getByLabel("Address").fill("grace@example.com");
      expect(await axeFindings(page, { contrast: false })).toEqual([]);
      const save = dialog.getByRole("button", { name: "Save" });
      await sendInTunnel(page, save, () => dialog.getByLabel("Address").inputValue());
      await save.click();
      await page.getByRole("heading", { level: 1, name: "grace@example.com" }).waitFor();
      // Nobody who has opted out is subscribed in passing.
      await empty.call("POST", "/contacts", { email: "left@example.com", subscribed: false });
      await visit(page, at("/people"));
      await add.click();
      await dialog.getByLabel("Address").fill("left@example.com");
      await save.click();
      await page.getByText("Gets no marketing mail").waitFor();

      await visit(page, at("/emails"));
      await page.getByRole("button", { name: "Send yourself a first mail" }).click();
      await page.getByRole("heading", { level: 1, name: "The first mail" }).waitFor();
      await page.getByText("The email was delivered").waitFor();
      expect([watched.foreign, watched.dialogs]).toEqual([[], []]);
    });

    it("are changed together: all whom the conditions find, or some of them", async () => {
      const watched = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      const { page } = watched;
      await asOwner(page, world);
      const where = encodeURIComponent(JSON.stringify([{ field: "data.plan", operator: "equals", value: "pro" }]));
      await visit(page, `${base}/console/p/${world.project}/people?where=${where}`);
      await page.getByLabel("Select all 3").check();
      await page.getByText("3 people selected").waitFor();
      await page.getByRole("button", { name: "Unsubscribe" }).click();
      const question = page.getByRole("dialog", { name: "Unsubscribe 3 people?" });
      await question.getByRole("button", { name: "Unsubscribe" }).click();
      await page.getByText("Done. 3 changed, 0 needed no change.").waitFor();
      expect(await subscribed()).toEqual(emails.slice(3));
      // Another list begins with nobody.
      await page.getByRole("button", { name: "Remove the condition plan is pro" }).click();
      await page.getByLabel(emails[0] ?? "").check();
      await page.getByLabel(emails[4] ?? "").check();
      await page.getByText("2 people selected").waitFor();
      await page.getByRole("button", { name: "Subscribe", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Subscribe", exact: true }).click();
      await page.getByText("Done. 1 changed, 1 needed no change.").waitFor();
      expect(await subscribed()).toEqual([emails[0], ...emails.slice(3)]);

      await page.getByText("Columns").first().click();
      for (const key of ["plan", hostile]) await page.getByRole("checkbox", { name: key }).check();
      await page.getByRole("columnheader", { name: hostile }).waitFor();
      await page.reload();
      await atRest(page);
      await page.getByRole("columnheader", { name: "plan" }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overhang(page)).toBeLessThanOrEqual(0);
      expect([watched.foreign, watched.dialogs, watched.complaints]).toEqual([[], [], []]);
    });
  },
);
