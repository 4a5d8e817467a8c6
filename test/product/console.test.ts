import type { BrowserContextOptions } from "playwright-core";
import { beforeAll, expect, inject, it, vi } from "vitest";
import { sample } from "../support/sample";
import { axeFindings } from "./axe";
import { atRest, describeInChromium, overhang, visit, type Watched } from "./chromium";
import { sendInTunnel } from "./console-forms";
import { asOwner, hostile, hostileFile, makeWorld, owner, reversed, sendMails, type World } from "./console-world";

const product = inject("product");
const { base } = product;

const widths = [390, 820, 1280];
const schemes = ["light", "dark"] as const;
const desk = { viewport: { width: 1280, height: 900 } };

/** What the policy of a mail's frame says in the console of the browser, which is as it should be. */
const ofFrame = /img-src data:|allow-scripts|'allow-forms'/;

describeInChromium(
  "the console",
  () => base,
  (open) => {
    let world: World;
    let mail: string;
    let person: string;
    let campaign: string;
    const many = 130;

    beforeAll(async () => {
      world = await makeWorld(product);
      const { call, domain } = world;
      mail = await sendMails(world, ["First", hostile], "ada@example.com");
      const found = await call<{ contactId: string }>("GET", `/emails/${mail}`);
      person = found.contactId;
      await call("PATCH", `/contacts/${person}`, { data: { plan: "pro", note: hostile, name: reversed } });
      await call("POST", "/events/track", { email: "ada@example.com", event: "purchase", data: { note: hostile } });
      const form = new FormData();
      const lines = Array.from({ length: many }, (_, at) => `p${at}@example.com,free\n`);
      form.set("file", new File([`email,plan\n${lines.join("")}`], hostileFile));
      const headers = { Authorization: `Bearer ${world.key}` };
      const started = await fetch(`${base}/contacts/import`, { method: "POST", headers, body: form });
      const { jobId } = (await started.json()) as { jobId: string };
      await vi.waitUntil(async () => (await call<{ status: string }>("GET", `/jobs/${jobId}`)).status === "completed", {
        timeout: 30_000,
      });
      const written = {
        name: hostile,
        subject: "Sale",
        body: "<p>Sale</p>",
        from: `hello@${domain}`,
        audienceType: "ALL",
      };
      campaign = (await call<{ data: { id: string } }>("POST", "/campaigns", written)).data.id;
    }, 60_000);

    /** The newest code that the owner was mailed. */
    async function mailedCode(): Promise<string> {
      let code: string | undefined;
      await expect
        .poll(async () => {
          const answer = await fetch(`${base}/outbox/messages?to=${owner}`);
          const { data } = (await answer.json()) as { data: { subject: string }[] };
          code = /^(\S+) signs you in/.exec(data[0]?.subject ?? "")?.[1];
          return code;
        })
        .toBeDefined();
      return code ?? "";
    }

    const at = (path: string) => `/console/p/${world.project}${path}`;

    async function enter(path: string, options: BrowserContextOptions = desk): Promise<Watched> {
      const watched = await open("about:blank", options);
      await asOwner(watched.page, world);
      await visit(watched.page, base + at(path));
      return watched;
    }

    function expectQuiet({ foreign, complaints, dialogs }: Watched, expected = ofFrame): void {
      expect([foreign, complaints.filter((one) => !expected.test(one)), dialogs]).toEqual([[], [], []]);
    }

    it("lets a person in by the code of a mail, in the browser that asked, and by no other code", async () => {
      const watched = await open("/console", desk);
      const { page } = watched;
      const address = page.getByLabel("Your email address");
      const ask = page.getByRole("button", { name: "Mail me a code" });
      await address.fill(owner);
      await sendInTunnel(page, ask, () => address.inputValue());
      await ask.click();
      const code = await mailedCode();
      const box = page.getByLabel("The code of eight characters from the mail");
      const signIn = page.getByRole("button", { name: "Sign in", exact: true });
      await box.fill("AAAA-AAAA");
      await sendInTunnel(page, signIn, () => box.inputValue());
      await signIn.click();
      await page.getByRole("alert").getByText("The service did not answer").waitFor({ state: "detached" });
      await page.getByRole("alert").waitFor();
      await box.fill(code);
      await signIn.click();
      await page.waitForURL(/\/console\/p\/[\w-]+$/);
      await page.getByRole("navigation").getByText("Domains").waitFor();
      // The browser notes who was nobody yet, and the code that was refused.
      expectQuiet(watched, /status of 4\d\d|ERR_INTERNET_DISCONNECTED/);
    });

    it("lets a person in by a link, once, when its button is pressed", async () => {
      const headers = { Authorization: `Bearer ${product.adminToken}`, "Content-Type": "application/json" };
      const asked = { method: "POST", headers, body: JSON.stringify({ email: owner }) };
      const answer = (await (await fetch(`${base}/admin/people/link`, asked)).json()) as { url: string };
      const { page } = await open(answer.url, desk);
      await page.reload();
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(/\/console\/p\/[\w-]+$/);
      await page.getByRole("navigation").getByText("Domains").waitFor();
      const again = await open(answer.url, desk);
      await again.page.getByText(/used|expired|no longer/i).waitFor();
    });

    it("fits a phone, a tablet and a desk in both schemes, and has no fault that axe knows", async () => {
      const watched = await enter("");
      const { page } = watched;
      const faults: string[] = [];
      for (const path of ["", "/emails", `/emails/${mail}`, "/people", `/people/${person}`, "/domains", "/more"]) {
        await visit(page, base + at(path));
        for (const width of widths) {
          for (const colorScheme of schemes) {
            await page.setViewportSize({ width, height: 844 });
            await page.emulateMedia({ colorScheme });
            const look = `${path || "/"}, ${width}, ${colorScheme}`;
            if ((await overhang(page)) > 0) faults.push(`${look} is too wide`);
            const isLookedAt = (width === 390) === (colorScheme === "dark") && width !== 820;
            if (isLookedAt && sample([width], { of: 2, name: path + "d".repeat(width === 390 ? 1 : 0) }).length > 0)
              faults.push(...(await axeFindings(page)).map((finding) => `${look}: ${finding}`));
          }
        }
      }
      expect(faults).toEqual([]);
      expectQuiet(watched);
    });

    it("finds a mail by its address, and shows what happened, why, and its content without running any of it", async () => {
      const watched = await enter("/emails");
      const { page } = watched;
      await page.getByLabel("To", { exact: true }).fill("ada@example.com");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: hostile }).click();
      await page.getByRole("heading", { name: "What happened" }).waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(hostile);
      await page.getByText("The email was delivered").waitFor();
      expect(await page.title()).toBe(`${hostile} · Petrel`);

      const frame = page.frameLocator("iframe");
      await frame.getByRole("heading", { name: "Hello Ada" }).waitFor();
      const ground = () => frame.locator("body").evaluate("getComputedStyle(document.body).backgroundColor");
      expect(await ground()).toBe("rgb(250, 240, 230)");
      await page.getByLabel("Dark").check();
      await expect.poll(ground, { timeout: 10_000 }).toBe("rgb(10, 20, 30)");
      await page.getByText("Headers", { exact: true }).click();
      await page.getByText(`${hostileFile} (application/pdf, 6 B)`).waitFor();
      for (const view of ["Text", "HTML"]) await page.getByText(view, { exact: true }).click();
      expect(await page.locator("pre").textContent()).toContain(`<script>alert("mail")</script>`);
      expectQuiet(watched);
    });

    it("says what a filter refuses as the service says it, and reads again when asked to", async () => {
      const { page } = await enter("/emails?startDate=2026-02-30");
      const alert = page.getByRole("alert");
      await alert.waitFor();
      expect(await alert.textContent()).toContain("startDate");
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByRole("link", { name: "First" }).waitFor();
    });

    it("shows as many rows as fit of a list of any length, and reads the next page when it comes near", async () => {
      const { page } = await enter("/people");
      await page.getByText(`${many + 1} people`).waitFor();
      const rows = page.locator("tbody tr:not([aria-hidden])");
      expect(await rows.count()).toBeLessThan(60);
      for (let turn = 0; turn < 6; turn++) {
        await page.mouse.wheel(0, 4_000);
        await atRest(page);
      }
      await page.getByText("That is all.").waitFor();
      await page.getByRole("link", { name: "ada@example.com" }).waitFor();
      expect(await rows.count()).toBeLessThan(60);
    });

    it("counts people by conditions, keeps them in the address, and saves them as a segment", async () => {
      const watched = await enter("/people");
      const { page } = watched;
      await page.getByRole("button", { name: "Add a condition" }).click();
      await page.getByLabel("About").selectOption("data.plan");
      await page.getByRole("combobox", { name: "Value" }).fill("pro");
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByText("1 person", { exact: true }).waitFor();
      await page.reload();
      await atRest(page);
      await page.getByText("plan is pro").waitFor();
      await page.getByRole("button", { name: "Save as a segment" }).click();
      await page.getByLabel("Name of the segment").fill(hostile);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText(`The segment ${hostile} was saved.`).waitFor();
      await page.getByRole("button", { name: "Remove the condition plan is pro" }).click();
      await page.getByText(`${many + 1} people`).waitFor();
      expectQuiet(watched);
    });

    it("answers whether a person got a campaign with the first reason, in two clicks", async () => {
      const watched = await enter(`/people/${person}`);
      const { page } = watched;
      await page.getByRole("combobox", { name: "Campaign" }).selectOption(campaign);
      await page.getByText("Not received").waitFor();
      const explained = await world.call<{ because: { message: string }[] }>("POST", `/contacts/${person}/explain`, {
        campaignId: campaign,
      });
      await page
        .getByText(explained.because[0]?.message ?? "nothing")
        .first()
        .waitFor();
      expect(await page.getByText(hostile).count()).toBeGreaterThan(0);
      expectQuiet(watched);
    });

    it("shows what is ahead of a person, also when a campaign is deleted meanwhile, and what sending a mail again would do", async () => {
      const watched = await enter("");
      const { page } = watched;
      const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
      const from = `hello@${world.domain}`;
      await world.call("PATCH", `/contacts/${person}`, { subscribed: true });
      const { data: planned } = await world.call<{ data: { id: string } }>("POST", "/campaigns", {
        ...{ name: "Autumn", subject: "Autumn", body: "<p>Autumn</p>", from, audienceType: "ALL" },
      });
      await world.call("POST", `/campaigns/${planned.id}/send`, { scheduledFor: inDays(20) });
      const mails: string[] = [];
      for (const subject of ["Waits", "Stopped"]) {
        const mail = { to: "ada@example.com", from, subject, body: "<p>Hi</p>", scheduledAt: inDays(10) };
        const sent = await world.call<{ data: { emails: { email: string }[] } }>("POST", "/v1/send", mail);
        mails.push(sent.data.emails[0]?.email ?? "");
      }
      await world.call("DELETE", `/emails/${mails[1]}`);

      // One campaign of the list is gone when it is asked about, and it is not the last that is scheduled.
      await page.route("**/campaigns?*status=SCHEDULED*", async (route) => {
        const answer = await route.fetch();
        const list = (await answer.json()) as { data: { id: string }[]; total: number };
        const gone = { ...list.data[0], id: person, name: "Gone" };
        await route.fulfill({ json: { ...list, data: [gone, ...list.data], total: list.total + 3 } });
      });
      await page.goto(base + at(`/people/${person}`));
      const ahead = page.getByRole("region", { name: "Ahead" });
      await ahead.getByRole("link", { name: "2 more campaigns are scheduled for later." }).waitFor();
      expect(await ahead.getByRole("link").allTextContents()).toEqual(["Waits", "Autumn", expect.any(String)]);
      await page.goto(base + at(`/emails/${mails[1]}`));
      await page.getByText("It goes to ada@example.com, with the same content.").waitFor();
      expect(await page.getByText("It would wait until").textContent()).toContain(
        String(new Date(inDays(10)).getFullYear()),
      );
      await world.call("DELETE", `/emails/${mails[0]}`);
      await world.call("POST", `/campaigns/${planned.id}/unschedule`);
      expectQuiet(watched, /img-src data:|allow-scripts|'allow-forms'|404/);
    });

    it("adds a domain with its records, and says why it cannot be added twice", async () => {
      const { page } = await enter("/domains");
      await page.getByLabel("Domain").fill(world.domain);
      await page.getByRole("button", { name: "Add a domain" }).click();
      expect(await page.getByRole("alert").textContent()).toContain(world.domain);
      const fresh = `new-${world.domain}`;
      await page.getByLabel("Domain").fill(fresh);
      await page.getByRole("button", { name: "Add a domain" }).click();
      const card = page.getByRole("region", { name: fresh });
      await card.getByText("v=DMARC1; p=none;").waitFor();
      await card.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await card.waitFor({ state: "detached" });
    });

    it("speaks the language of the browser, and fits in each of them on a phone", async () => {
      const titles = { de: "E-Mails", es: "Correos", fr: "E-mails", it: "E-mail", nl: "E-mail", pt: "E-mails" };
      const paths = ["/emails", "/domains", "", "/emails", "/people", `/emails/${mail}`];
      for (const [at, [locale, title]] of sample([...Object.entries(titles).entries()])) {
        const watched = await enter(paths[at] ?? "", { viewport: { width: 390, height: 844 }, locale });
        const { page } = watched;
        await page.getByRole("navigation").getByText(title, { exact: true }).waitFor();
        expect(await page.locator("html").getAttribute("lang")).toBe(locale);
        expect(await overhang(page), locale).toBeLessThanOrEqual(0);
        expectQuiet(watched);
      }
    });

    it("leads to pages, people and mail by the keyboard alone", async () => {
      const watched = await enter("");
      const { page } = watched;
      const box = page.getByRole("combobox", { name: "Search pages, people and mail" });
      await page.keyboard.press("ControlOrMeta+k");
      await box.fill("dom");
      await page.getByRole("option", { name: "Domains" }).waitFor();
      expect(await axeFindings(page, { contrast: false })).toEqual([]);
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/domains$/);
      await page.keyboard.press("ControlOrMeta+k");
      await box.fill(mail);
      await page.getByRole("listbox").getByRole("option", { name: hostile }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`/emails/${mail}$`));
      await page.keyboard.press("ControlOrMeta+k");
      await box.fill("ada@");
      await page.getByRole("option", { name: "ada@example.com" }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`/people/${person}$`));
      await page.keyboard.press("ControlOrMeta+k");
      await box.fill("owners and");
      await page.getByRole("option", { name: "Owners and people" }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Owners and people" }).waitFor();
      await page.keyboard.press("ControlOrMeta+k");
      // The beginning of a subject, and then a button of the mail's page.
      await box.fill(hostile.slice(0, 20));
      await page.getByRole("group", { name: "Mail" }).getByRole("option").first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/emails\/[\w-]+$/);
      await page.getByRole("group", { name: "Content" }).waitFor();
      await page.keyboard.press("ControlOrMeta+k");
      await box.fill("headers");
      await page.getByRole("option", { name: "Headers" }).waitFor();
      await page.keyboard.press("Enter");
      expect(await page.getByRole("radio", { name: "Headers" }).isChecked()).toBe(true);
      // An id is looked for among people and among mail, and the browser notes that the one or the other has none.
      expectQuiet(watched, /img-src data:|allow-scripts|'allow-forms'|404/);
    });
  },
);
