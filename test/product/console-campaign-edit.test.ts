import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it, vi } from "vitest";
import { axeFindings } from "./axe";
import { describeInChromium, overhang, visit, type Watched } from "./chromium";
import { asMember, asOwner, hostile, makeWorld, reversed, type World } from "./console-world";

const product = inject("product");
const { base } = product;

/** What the policy of a mail's frame says in the console of the browser, and what a call says without a network. */
const expected = /img-src data:|allow-scripts|'allow-forms'|ERR_INTERNET_DISCONNECTED|status of 4\d\d/;

const patient = { timeout: 10_000 };

interface Campaign {
  id: string;
  status: string;
  subject: string;
  body: string;
  name: string;
  version: number;
}

describeInChromium(
  "writing a campaign",
  () => base,
  (open) => {
    let world: World;

    beforeAll(async () => {
      world = await makeWorld(product);
      const { call } = world;
      await call("POST", "/contacts", { email: "ada@example.com", data: { firstName: "Ada", city: "London" } });
      await call("POST", "/contacts", { email: "bob@example.com", data: { firstName: "Bob" } });
      await call("POST", "/contacts", { email: "left@example.com", subscribed: false });
      await call("POST", "/segments", { name: hostile, type: "STATIC" });
    }, 60_000);

    const read = (id: string) => world.call<Campaign>("GET", `/campaigns/${id}`);
    const at = (path: string) => `${base}/console/p/${world.project}${path}`;
    const editor = (page: Page) => page.getByRole("textbox", { name: "Body, in HTML" });

    async function enter(path: string, width = 1280): Promise<Watched> {
      const watched = await open("/health", { viewport: { width, height: 900 } });
      await asOwner(watched.page, world);
      await visit(watched.page, at(path));
      return watched;
    }

    const saved = (page: Page) =>
      page
        .getByRole("status")
        .filter({ hasText: /^Saved/ })
        .waitFor();

    async function draft(name: string): Promise<string> {
      const body = '<p>Hello {{ firstName ?? "there" }} in {{ city }}</p>';
      const written = { name, subject: "News", body, from: `hello@${world.domain}`, audienceType: "ALL" };
      return (await world.call<{ data: Campaign }>("POST", "/campaigns", written)).data.id;
    }

    function expectQuiet({ foreign, complaints, dialogs }: Watched): void {
      expect([foreign, complaints.filter((one) => !expected.test(one)), dialogs]).toEqual([[], [], []]);
    }

    it("goes from an empty draft through a check to a send that is taken back, and loses nothing on the way", async () => {
      const watched = await enter("/campaigns/new");
      const { page } = watched;
      await page.getByLabel("Name, which only you see").fill("March");
      await page.getByRole("button", { name: "Begin to write" }).click();
      await page.waitForURL(/\/campaigns\/[\w-]+\/edit$/);
      const id = /campaigns\/([\w-]+)\/edit/.exec(page.url())?.[1] ?? "";

      // It is written, and looks to each person as they would get it.
      await page.getByRole("textbox", { name: "Subject" }).fill(`${hostile} for {{ firstName }}`);
      await editor(page).click();
      await page.keyboard.press("ControlOrMeta+End");
      await page.keyboard.insertText("<p>{{ city }}</p><script>alert('body')</script>");
      const frame = page.frameLocator("iframe");
      await frame.getByRole("heading", { name: /^Hello/ }).waitFor();
      await saved(page);
      expect((await read(id)).subject).toBe(`${hostile} for {{ firstName }}`);

      // The network goes while somebody types, and the tab is closed.
      await page.context().setOffline(true);
      await page.getByRole("textbox", { name: "Subject" }).fill("Written in a tunnel");
      await page.getByText("Not saved: no connection").waitFor();
      await page.goto("about:blank");
      await page.context().setOffline(false);
      await page.goto(at(`/campaigns/${id}/edit`));
      await page.getByText("What was not saved the last time was brought back").waitFor();
      await saved(page);
      expect((await read(id)).subject).toBe("Written in a tunnel");
      expect(await page.getByRole("textbox", { name: "Subject" }).inputValue()).toBe("Written in a tunnel");

      // Somebody else is faster: the second sees the difference, and both texts are still there.
      await world.call("PUT", `/campaigns/${id}`, { subject: "Written by a program", name: "April" });
      await page.getByRole("textbox", { name: "Subject" }).fill("Written by me");
      const conflict = page.getByRole("region", { name: "Two versions of the same" });
      await conflict.locator("ins").first().waitFor();
      expect(await conflict.locator("del").allTextContents()).toEqual(["Mine: me"]);
      expect(await conflict.locator("ins").allTextContents()).toEqual(["Theirs: a program"]);
      expect(await conflict.getByText(/changed this campaign on/).textContent()).toMatch(/^sk_/);
      await page.getByRole("button", { name: "Take all theirs" }).click();
      await expect
        .poll(() => page.getByRole("textbox", { name: "Subject" }).inputValue(), patient)
        .toBe("Written by a program");
      await page.getByRole("button", { name: "Bring mine back" }).click();
      await saved(page);
      expect((await read(id)).subject).toBe("Written by me");
      expect((await read(id)).name).toBe("April");

      // Without a check of this very version there is no button that sends.
      const send = page.getByRole("button", { name: /^Send to/ });
      expect(await send.count()).toBe(0);
      await page.getByRole("button", { name: "Check everybody's mail" }).click();
      await send.waitFor();
      expect(await send.textContent()).toMatch(/^Send to 2 people, about /);
      const check = page.getByRole("region", { name: "Check and send" });
      await check.getByText("Not subscribed").waitFor();
      expect(await check.locator("dd").allTextContents()).toEqual(["2", "1", "3"]);
      await page.getByText("The worst: bob@example.com").waitFor();
      await page.getByRole("textbox", { name: "Subject" }).fill("Written by me, at last");
      await send.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Check everybody's mail" }).click();

      // A sign-in that is too old for so many people is asked for again, and nothing is sent without it.
      const refusal = { message: "Sign in again.", error: { code: "PROOF_NEEDED", message: "Sign in again." } };
      await page.route(/\/send$/, (route) => route.fulfill({ status: 403, json: refusal }), { times: 1 });
      await send.click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("alert").getByText("Sign in again.").waitFor();
      await send.click();

      // For ten seconds it can be taken back.
      await page.getByText(/^It is sent in \d+ seconds/).waitFor();
      expect((await read(id)).status).toBe("SCHEDULED");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: "Check everybody's mail" }).waitFor();
      expect(await read(id)).toMatchObject({ status: "DRAFT", subject: "Written by me, at last" });

      // The editor is the one of before: it completes names, and knows what was typed.
      await editor(page).click();
      await page.keyboard.press("ControlOrMeta+End");
      await page.keyboard.type("{{ unsu");
      await page.getByRole("option", { name: /^unsubscribeUrl/ }).click();
      await expect.poll(() => editor(page).textContent()).toContain("{{ unsubscribeUrl");
      await page.keyboard.press("ControlOrMeta+z");
      await expect.poll(() => editor(page).textContent()).not.toContain("unsubscribeUrl");
      expectQuiet(watched);
    });

    it("says in words why a campaign waits that is due", async () => {
      const id = await draft("Waits");
      await world.call("POST", `/campaigns/${id}/send`, { scheduledFor: new Date(Date.now() + 9e8).toISOString() });
      const { page } = await enter("/campaigns");
      const json = { ...(await read(id)), heldReason: "marketing provider" };
      await page.route(new RegExp(`/campaigns/${id}$`), (route) =>
        route.request().resourceType() === "document" ? route.continue() : route.fulfill({ json }),
      );
      await page.goto(at(`/campaigns/${id}/edit`));
      await page.getByText("The provider does not accept marketing mail.").waitFor();
    });

    it("offers nothing that sends to somebody who may not, and says who can", async () => {
      const draftId = await draft("Draft");
      const begun = await draft("Begun");
      await world.call("PUT", `/campaigns/${begun}`, { canary: { percent: 10, holdMinutes: 60 } });
      await world.call("POST", `/campaigns/${begun}/send`, {});
      await vi.waitUntil(async () => (await read(begun)).status === "SENDING", { timeout: 10_000 });
      const { page } = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      const go = (path: string) => visit(page, at(path));
      const offered = async () =>
        (
          await page
            .getByRole("main")
            .getByRole("button")
            .or(page.locator("main a[href$='/edit'], main a[href$='/new']"))
            .allTextContents()
        ).filter((name) => /Send|Pause|Resume|Cancel|Delete|Duplicate|Edit|New|Test|Check|Take/.test(name));

      await asMember(page, product, world, { role: "viewer" });
      await go("/campaigns");
      await page.getByRole("link", { name: "Begun" }).waitFor();
      expect(await offered()).toEqual([]);
      for (const path of [`/campaigns/${begun}`, `/campaigns/${draftId}/edit`]) {
        await go(path);
        await page.getByText("You can read this campaign.").waitFor();
        expect(await offered()).toEqual([]);
      }
      expect(await editor(page).getAttribute("aria-readonly")).toBe("true");

      await asMember(page, product, world, { role: "editor", maySend: false });
      await go(`/campaigns/${draftId}/edit`);
      await page.getByRole("button", { name: "Check everybody's mail" }).click();
      await page.getByText("You may write campaigns here, but not send them.").waitFor();
      expect(await offered()).toEqual(["Test mail"]);
      // Everybody who writes may stop what goes out; to let it go on is to send.
      await go(`/campaigns/${begun}`);
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByText("You may write campaigns here, but not send them.").waitFor();
      expect(await offered()).toEqual(["Duplicate", "Cancel it"]);
    });

    it("fits a phone and a desk in both schemes, by the keyboard too, and mails a test", async () => {
      const id = await draft(`${reversed} ${hostile}`);
      const watched = await enter(`/campaigns/${id}/edit`, 390);
      const { page } = watched;
      await editor(page).waitFor();
      const faults: string[] = [];
      for (const [width, colorScheme] of [
        [390, "dark"],
        [820, "light"],
        [1280, "light"],
      ] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        if ((await overhang(page)) > 0) faults.push(`${width} is too wide`);
        // Whatever the system prefers: the preview is light until it is asked to be dark.
        const text = page.frameLocator("iframe").locator("body");
        expect(await text.evaluate("getComputedStyle(document.body).color")).toBe("rgb(0, 0, 0)");
        if (width !== 820) faults.push(...(await axeFindings(page)));
      }
      expect(faults).toEqual([]);

      // The tab key leaves the editor.
      await editor(page).focus();
      await page.keyboard.press("Tab");
      expect(await editor(page).evaluate("document.activeElement?.shadowRoot === null")).toBe(true);

      await page.getByRole("button", { name: "Try two subjects" }).click();
      await page.getByRole("textbox", { name: "Subject, variant B" }).fill("Other news");
      await page.getByRole("button", { name: "Test mail" }).click();
      const dialog = page.getByRole("dialog", { name: "Test mail" });
      await dialog.getByLabel("Variants").selectOption("B");
      await dialog.getByLabel("Address").fill("ada@example.com");
      await dialog.getByRole("button", { name: "Send the test" }).click();
      await dialog.getByText("A test is on its way to ada@example.com.").waitFor();
      const { data } = await world.call<{ data: { subject: string }[] }>("GET", "/emails?source=TEST");
      expect(data[0]?.subject).toBe("[TEST] Other news");
      // Each look at the mail was a frame of its own, so the way back leads to the page before.
      await dialog.getByRole("button", { name: "Close" }).click();
      await page.goBack();
      expect(page.url()).toBe(`${base}/health`);
      expectQuiet(watched);
    });
  },
);
