import { beforeAll, expect, inject, it } from "vitest";
import { sample } from "../support/sample";
import { atRest, describeInChromium, visit, type Watched } from "./chromium";
import { forms, pagesWithFields } from "./console-forms";
import { asOwner, makeWorld, type World } from "./console-world";

const product = inject("product");
const { base } = product;

describeInChromium(
  "the console, in trouble",
  () => base,
  (open) => {
    let world: World;
    let draft: string;

    beforeAll(async () => {
      world = await makeWorld(product);
      await world.call("POST", "/topics", { name: "News" });
      const content = { name: "Offer", subject: "Offer", body: "<p>Hi</p>", from: `hello@${world.domain}` };
      const campaign = { ...content, audienceType: "ALL" };
      draft = (await world.call<{ data: { id: string } }>("POST", "/campaigns", campaign)).data.id;
    });

    async function enter(path: string): Promise<Watched> {
      const watched = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      await asOwner(watched.page, world);
      await visit(watched.page, `${base}/console/p/${world.project}${path}`);
      return watched;
    }

    for (const [what, form] of sample(Object.entries(forms))) {
      it(`keeps ${what} that was typed while the network is away, and makes it once`, async () => {
        const { page } = await enter(form.path(draft));
        let asked = 0;
        const typed = await form.fill(page);
        await page.context().setOffline(true);
        await form.submit(page);
        await page.getByRole("alert").getByText("The service did not answer").first().waitFor();
        expect(await form.field(page).inputValue()).toBe(typed);
        await page.context().setOffline(false);
        page.on("response", (answer) => {
          if (answer.request().method() !== "GET" && form.call.test(new URL(answer.url()).pathname)) {
            expect([answer.url(), answer.ok()]).toEqual([answer.url(), true]);
            asked += 1;
          }
        });
        const answered = page.waitForResponse((answer) => form.call.test(new URL(answer.url()).pathname));
        await form.submit(page);
        await answered;
        await expect.poll(() => page.getByRole("alert").getByText("The service did not answer").count()).toBe(0);
        expect(asked).toBe(1);
      });
    }

    for (const { name, path, field, send } of sample(pagesWithFields)) {
      it(`keeps what was typed on a page when its session ends there: ${name}`, async () => {
        const { page } = await enter(path(draft));
        await field(page).fill("Typed before");
        await page.context().clearCookies();
        await send(page);
        await page.getByRole("alert").first().waitFor();
        expect(await field(page).inputValue()).toBe("Typed before");
        await page.getByRole("navigation").getByText("People").first().click();
        await page.getByRole("heading", { name: "Sign in to Petrel" }).waitFor();
      });
    }

    it("leads from an address of a project to the sign-ins, and an owner to projects that are not listed", async () => {
      const { page } = await enter("/account");
      await page.waitForURL(/\/console\/account$/);
      // Only the first thousand projects come with the person.
      await page.route("**/console/me", async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ json: { ...(await answer.json()), projects: [] } });
      });
      await page.goto(`${base}/console/p/${world.project}/domains`);
      await page.getByRole("heading", { level: 1, name: "Domains" }).waitFor();
      expect(await page.getByRole("combobox", { name: "Project" }).locator("option").count()).toBe(1);
    });

    it("loads a page anew, once, when a deploy has removed the file of its editor", async () => {
      const { page } = await enter("/campaigns");
      let refused = 0;
      await page.route(/assets\/html-editor-.*\.js/, (route) => {
        refused += 1;
        return refused > 1 ? route.continue() : route.fulfill({ status: 404, body: "" });
      });
      await page.goto(`${base}/console/p/${world.project}/campaigns/${draft}/edit`);
      await page.locator(".cm-content").waitFor();
      expect(refused).toBe(2);
    });

    it("loads a page anew, once, when a deploy has removed the file of the palette, and stays without a network", async () => {
      const { page } = await enter("/campaigns");
      const box = page.getByRole("combobox", { name: "Search pages, people and mail" });
      let isGone = true;
      await page.route(/assets\/palette-.*\.js/, (route) =>
        isGone ? route.fulfill({ status: 404, body: "" }) : route.continue(),
      );
      await visit(page, `${base}/console/p/${world.project}/domains`);
      await page.getByLabel("Domain").fill("typed.example");
      await page.context().setOffline(true);
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("alert").getByText("The service did not answer").waitFor();
      expect(await page.getByLabel("Domain").inputValue()).toBe("typed.example");
      await page.context().setOffline(false);
      const reloaded = page.waitForEvent("load");
      await page.keyboard.press("ControlOrMeta+k");
      await reloaded;
      isGone = false;
      await page.getByLabel("Domain").waitFor();
      await page.keyboard.press("ControlOrMeta+k");
      await box.waitFor();
    });

    it("marks the line that a link leads to on a page of many, also without a new page", async () => {
      const { page } = await enter("");
      const colour = (part: string) =>
        page.evaluate<string>(`getComputedStyle(document.getElementById("${part}")).color`);
      await page.evaluate(`history.pushState(null, "", "/console/p/${world.project}/more#suppressions")`);
      await page.evaluate(`dispatchEvent(new PopStateEvent("popstate"))`);
      await page.locator("dt#suppressions").waitFor();
      await expect.poll(async () => (await colour("suppressions")) === (await colour("webhooks"))).toBe(false);
    });

    it("offers Cloudflare Access on an open page whose session has ended, and leads back to it", async () => {
      const { page } = await enter("/domains");
      const path = "/console/session/access";
      const over = {
        success: false,
        message: "Over.",
        error: { code: "INVALID_API_KEY", message: "Over.", details: { access: path } },
      };
      await page.route("**/console/me", (route) => route.fulfill({ status: 401, json: over }));
      await page.context().clearCookies();
      const people = page.getByRole("navigation").getByText("People").first();
      await people.click();
      const link = page.getByRole("link", { name: "Sign in with Cloudflare Access" });
      const to = encodeURIComponent(`/console/p/${world.project}/people`);
      expect(await link.getAttribute("href")).toBe(`${path}?to=${to}`);
      // Access itself redirects a call to its own page when its session is over too.
      await page.route("**/console/me", (route) =>
        route.fulfill({ status: 302, headers: { Location: "https://acme.cloudflareaccess.com/login" } }),
      );
      await page.reload();
      expect(await link.getAttribute("href")).toBe(`${path}?to=${to}`);
    });

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
      await page.reload();
      await atRest(page);
      expect(new URL(page.url()).pathname).toBe(`/console/p/${world.project}/people`);
      await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
    });
  },
);
