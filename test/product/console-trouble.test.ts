import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { describeInChromium, type Watched } from "./chromium";
import { asOwner, hostile, makeWorld, type World } from "./console-world";

const product = inject("product");
const { base } = product;

/** A form: where it is, how it is filled and sent, and what the service has once it was done once. */
interface Form {
  path: string;
  fill(page: Page): Promise<void>;
  submit(page: Page): Promise<void>;
  isKept(page: Page): Promise<boolean>;
  done(page: Page): Promise<void>;
  count(): Promise<number>;
}

describeInChromium(
  "the console, in trouble",
  () => base,
  (open) => {
    let world: World;
    let forms: Record<string, Form>;

    beforeAll(async () => {
      world = await makeWorld(product);
      const fresh = `new-${world.domain}`;
      const domain = (page: Page) => page.getByLabel("Domain");
      const name = (page: Page) => page.getByLabel("Name of the segment");
      forms = {
        "a domain": {
          path: "/domains",
          fill: (page) => domain(page).fill(fresh),
          submit: (page) => page.getByRole("button", { name: "Add a domain" }).click(),
          isKept: async (page) => (await domain(page).inputValue()) === fresh,
          done: (page) => page.getByRole("region", { name: fresh }).waitFor(),
          count: async () => {
            const domains = await world.call<{ domain: string }[]>("GET", "/domains");
            return domains.filter(({ domain }) => domain === fresh).length;
          },
        },
        "a segment": {
          path: "/people",
          async fill(page) {
            await page.getByRole("button", { name: "Add a condition" }).click();
            await page.getByRole("combobox", { name: "Value" }).fill("ada@example.com");
            await page.getByRole("button", { name: "Apply" }).click();
            await page.getByRole("button", { name: "Save as a segment" }).click();
            await name(page).fill(hostile);
          },
          submit: (page) => page.getByRole("button", { name: "Save", exact: true }).click(),
          isKept: async (page) => (await name(page).inputValue()) === hostile,
          done: (page) => page.getByText(`The segment ${hostile} was saved.`).waitFor(),
          count: async () => {
            const segments = await world.call<{ name: string }[]>("GET", "/segments");
            return segments.filter(({ name }) => name === hostile).length;
          },
        },
      };
    });

    async function enter(path: string): Promise<Watched> {
      const watched = await open("/health", { viewport: { width: 1280, height: 900 } });
      await asOwner(watched.page, world);
      await watched.page.goto(`${base}/console/p/${world.project}${path}`, { waitUntil: "networkidle" });
      return watched;
    }

    for (const what of ["a domain", "a segment"]) {
      it(`keeps ${what} that was typed while the network is away, and makes it once`, async () => {
        const form = forms[what];
        if (form === undefined) throw new Error(`There is no form for ${what}`);
        const { page } = await enter(form.path);
        await form.fill(page);
        await page.context().setOffline(true);
        await form.submit(page);
        await page.getByRole("alert").getByText("The service did not answer").waitFor();
        expect([await form.isKept(page), await form.count()]).toEqual([true, 0]);
        await page.context().setOffline(false);
        await form.submit(page);
        await form.done(page);
        expect(await form.count()).toBe(1);
      });
    }

    it("keeps what was typed when its session ends, says so, and asks to sign in on the next page", async () => {
      const { page } = await enter("/domains");
      const late = `late-${world.domain}`;
      await page.getByLabel("Domain").fill(late);
      await page.context().clearCookies();
      await page.getByRole("button", { name: "Add a domain" }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByLabel("Domain").inputValue()).toBe(late);
      await page.getByRole("navigation").getByText("People").click();
      await page.getByRole("heading", { name: "Sign in to Petrel" }).waitFor();
      // Signed in again, the page goes on where it was.
      await asOwner(page, world);
      await page.reload({ waitUntil: "networkidle" });
      expect(new URL(page.url()).pathname).toBe(`/console/p/${world.project}/people`);
      await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
    });
  },
);
