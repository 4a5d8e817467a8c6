import { beforeAll, expect, inject, it } from "vitest";
import { sample } from "../support/sample";
import { axeFindings } from "./axe";
import { atRest, describeInChromium, overhang, visit, type Watched } from "./chromium";
import { sendInTunnel } from "./console-forms";
import { asMember, asOwner, hostile, makeWorld, openSession, type World } from "./console-world";

const product = inject("product");
const { base } = product;
const desk = { viewport: { width: 1280, height: 900 } };

/** What the browser says of a call without a network. */
const ofTunnel = /ERR_INTERNET_DISCONNECTED/;

describeInChromium(
  "the settings in the console",
  () => base,
  (open) => {
    let world: World;
    beforeAll(async () => {
      world = await makeWorld(product);
      const form = new FormData();
      form.set("file", new File(["email\nada@example.com\nnot an address\n"], "people.csv"));
      const headers = { Authorization: `Bearer ${world.key}` };
      const started = await fetch(`${base}/contacts/import`, { method: "POST", headers, body: form });
      expect(started.ok).toBe(true);
    });

    async function enter(path: string, options = desk): Promise<Watched> {
      const watched = await open("about:blank", options);
      await asOwner(watched.page, world);
      await visit(watched.page, `${base}/console/p/${world.project}${path}`);
      return watched;
    }

    function expectQuiet({ foreign, complaints, dialogs }: Watched, expected = /^$/): void {
      expect([foreign, complaints.filter((one) => !expected.test(one)), dialogs]).toEqual([[], [], []]);
    }

    async function operator(path: string, body: unknown): Promise<{ url: string }> {
      const headers = { Authorization: `Bearer ${product.adminToken}`, "Content-Type": "application/json" };
      const answer = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
      // Only the answer with a link is read.
      return (await answer.json()) as { url: string };
    }

    it("make a key, show it once with a call that was tried, and revoke it", async () => {
      const watched = await enter("/settings/keys");
      const { page } = watched;
      await page.getByText("Read-only", { exact: true }).first().click();
      await page.getByLabel("Name", { exact: true }).fill(hostile);
      await page.getByRole("button", { name: "Make a key" }).click();
      const made = page.getByRole("region", { name: "Key" });
      await made.getByText("Tried just now").waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overhang(page)).toBe(0);
      const call = (await made.locator("pre").textContent()) ?? "";
      const [, url = "", key = ""] = /^curl (\S+) -H "Authorization: Bearer (sk_[0-9a-f]{64})"$/.exec(call) ?? [];
      const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
      expect(await answer.json()).toMatchObject({ key: { kind: "read" } });
      await made.getByRole("button", { name: "I have copied it" }).click();
      expect(await page.content()).not.toContain(key);
      await page.getByRole("listitem").filter({ hasText: hostile }).getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("listitem").filter({ hasText: hostile }).waitFor({ state: "detached" });
      expectQuiet(watched);
    });

    it("keep what is changed of the project, and say so each time", async () => {
      const watched = await enter("/settings/project");
      const { page } = watched;
      for (const company of [hostile, "Acme Ltd"]) {
        await page.getByLabel("Company").fill(company);
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("Saved.").waitFor();
        expect(await page.getByLabel("Company").inputValue()).toBe(company);
        await page.reload();
        await atRest(page);
        expect(await page.getByLabel("Company").inputValue()).toBe(company);
        expect(await page.getByText("Saved.").count()).toBe(0);
      }
      expectQuiet(watched);
    });

    it("invite somebody, change what they may do, and tell both in the audit log", async () => {
      const watched = await enter("/settings/members");
      const { page } = watched;
      await page.getByLabel("Their email address").fill("grace@acme.example");
      await page.getByLabel("Role").selectOption("viewer");
      await page.getByLabel("Sees addresses and data").uncheck();
      await page.getByRole("button", { name: "Invite" }).click();
      await page.getByText("The invitation is on its way.").waitFor();
      await page.getByRole("button", { name: "grace@acme.example" }).click();
      const dialog = page.getByRole("dialog", { name: "grace@acme.example" });
      await dialog.getByLabel("Role").selectOption("editor");
      expect(await axeFindings(page)).toEqual([]);
      const save = dialog.getByRole("button", { name: "Save" });
      await sendInTunnel(page, save, () => dialog.getByLabel("Role").inputValue());
      await save.click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("cell", { name: "Editor" }).waitFor();

      await visit(page, `${base}/console/p/${world.project}/settings/audit?action=updateMember`);
      await page.getByRole("button", { name: "grace@acme.example" }).click();
      const change = page.getByRole("dialog").getByRole("row", { name: "role" }).locator("th, td");
      expect(await change.allTextContents()).toEqual(["role", "viewer", "editor"]);
      await page.getByRole("link", { name: "All changes of this" }).click();
      await page.waitForURL(/target=/);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByText("inviteMember").waitFor();
      expectQuiet(watched, ofTunnel);
    });

    it("restore a campaign that was deleted", async () => {
      const from = `hello@${world.domain}`;
      const content = { name: hostile, subject: "News", body: "<p>News</p>", from, audienceType: "ALL" };
      const { data } = await world.call<{ data: { id: string } }>("POST", "/campaigns", content);
      await world.call("DELETE", `/campaigns/${data.id}`);
      const watched = await enter("/settings/trash");
      const { page } = watched;
      const row = page.getByRole("row").filter({ hasText: hostile });
      expect(await row.getByText("Campaign", { exact: false }).count()).toBeGreaterThan(0);
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole("button", { name: `Restore: ${hostile}` }).click();
      await page.getByText("Nothing was deleted in the last 30 days").waitFor();
      expect((await world.call<{ status: string }>("GET", `/campaigns/${data.id}`)).status).toBe("DRAFT");
      expectQuiet(watched);
    });

    it("add a topic with a name that is no markup, and save only the settings that were changed", async () => {
      const watched = await enter("/settings/topics");
      const { page } = watched;
      await page.getByRole("button", { name: "Add a topic" }).click();
      await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill(hostile);
      await page.keyboard.press("Enter");
      await page.getByRole("listitem").filter({ hasText: hostile }).waitFor();
      await page.getByRole("link", { name: "Project", exact: true }).click();
      await page.getByLabel("Name of the sender").fill("Acme");
      await page.getByLabel("Postal address").fill("1 Main Street\nSpringfield");
      const sent = page.waitForRequest((request) => request.method() === "PATCH");
      await page.getByRole("button", { name: "Save" }).click();
      expect((await sent).postDataJSON()).toEqual({ fromName: "Acme", postalAddress: "1 Main Street\nSpringfield" });
      await expect.poll(() => page.getByLabel("Postal address").inputValue()).toContain("Springfield");
      expectQuiet(watched);
    });

    it("show a job with its errors, and find pages and actions by the palette", async () => {
      const watched = await enter("/settings");
      const { page } = watched;
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search pages, people and mail" }).fill("make a k");
      await page.getByRole("option", { name: "Make a key" }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/settings\/keys$/);
      await page.getByRole("link", { name: "Jobs" }).click();
      await page.getByRole("button", { name: "contacts.import" }).click();
      await page.getByRole("dialog").getByText("not an address").waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByLabel("Status").selectOption("failed");
      await page.getByText("No job matches these filters").waitFor();
      expectQuiet(watched);
    });

    it("fit a phone and a desk, and have no fault that axe knows", async () => {
      const { page } = await enter("/settings");
      const faults: string[] = [];
      const paths = ["", "/project", "/members", "/keys", "/topics", "/jobs", "/audit"];
      const turns = new Set(sample(paths));
      for (const [at, path] of paths.entries()) {
        await visit(page, `${base}/console/p/${world.project}/settings${path}`);
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 844 });
          await page.emulateMedia({ colorScheme: at % 2 === 0 ? "light" : "dark" });
          if ((await overhang(page)) > 0) faults.push(`${path || "/"} is too wide at ${width}`);
        }
        if (!turns.has(path)) continue;
        faults.push(...(await axeFindings(page)).map((finding) => `${path || "/"}: ${finding}`));
      }
      expect(faults).toEqual([]);
    });

    it("of the installation make a project, and an owner, and tell both in its audit log", async () => {
      const watched = await enter("/settings");
      const { page } = watched;
      const faults: string[] = [];
      async function look(part: string): Promise<void> {
        for (const [width, colorScheme] of [
          [820, "light"],
          [390, "dark"],
        ] as const) {
          await page.setViewportSize({ width, height: 844 });
          await page.emulateMedia({ colorScheme });
          if ((await overhang(page)) > 0) faults.push(`${part} is too wide at ${width}`);
        }
        faults.push(...(await axeFindings(page)).map((finding) => `${part}: ${finding}`));
      }
      await page.getByRole("main").getByRole("link", { name: "Installation" }).click();
      const name = page.getByLabel("Name of the project");
      const make = page.getByRole("button", { name: "Make a project" });
      await name.fill(hostile);
      await sendInTunnel(page, make, () => name.inputValue());
      await make.click();
      const made = page.getByRole("region", { name: "It is there." });
      const secret = (await made.locator("code").first().textContent()) ?? "";
      const me = await fetch(`${base}/me`, { headers: { Authorization: `Bearer ${secret}` } });
      expect(await me.json()).toMatchObject({ project: { name: hostile } });
      await look("made");
      await made.getByRole("button", { name: "I have copied it" }).click();
      expect(await page.content()).not.toContain(secret);
      await page.getByRole("table").getByRole("link", { name: hostile }).waitFor();
      await look("projects");

      await page.getByRole("link", { name: "Owners and people" }).click();
      const address = page.getByLabel("Their email address");
      const invite = page.getByRole("button", { name: "Invite" });
      await address.fill("linus@acme.example");
      await sendInTunnel(page, invite, () => address.inputValue());
      await invite.click();
      await page.getByText("The invitation is on its way.").waitFor();
      await look("people");
      await page.getByRole("button", { name: "linus@acme.example" }).click();
      const dialog = page.getByRole("dialog", { name: "linus@acme.example" });
      await dialog.getByText("Member of no project").waitFor();
      const isOwner = dialog.getByLabel("Owner of the installation");
      await isOwner.check();
      await look("person");
      await sendInTunnel(page, dialog.getByRole("button", { name: "Save" }), () => isOwner.isChecked());
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("row", { name: /linus@acme\.example.*Owner/ }).waitFor();

      await page.getByRole("navigation", { name: "Installation" }).getByRole("link", { name: "Audit log" }).click();
      await page.getByRole("button", { name: hostile }).first().waitFor();
      await look("audit");
      await page.getByRole("button", { name: "linus@acme.example" }).first().click();
      await page.getByRole("dialog").getByRole("link", { name: "All changes of this" }).click();
      await page.waitForURL(/installation\/audit\?target=/);
      await page.getByRole("button", { name: hostile }).waitFor({ state: "detached" });
      expect(faults).toEqual([]);
      expectQuiet(watched, ofTunnel);
    });

    it("of a person without a project are their sign-ins, and nothing of the installation", async () => {
      const email = "nobody@acme.example";
      await operator("/admin/people", { email });
      const { url } = await operator("/admin/people/link", { email });
      const { page } = await open("about:blank", desk);
      await page.context().addCookies([await openSession(base, url)]);
      await visit(page, `${base}/console`);
      await page.getByText("You are a member of no project").waitFor();
      await page.getByRole("link", { name: "Your sign-ins" }).click();
      await page.getByText("This browser", { exact: true }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await visit(page, `${base}/console/installation/people`);
      await page.getByText("There is no such page").waitFor();
    });

    it("say to a role that is too low which one it takes", async () => {
      const { page } = await open("about:blank", desk);
      await asMember(page, product, world, { role: "editor" });
      for (const part of ["keys", "members", "project", "audit"]) {
        await visit(page, `${base}/console/p/${world.project}/settings/${part}`);
        await page.getByRole("alert").getByText("This needs the role admin, and yours is editor.").waitFor();
      }
    });
  },
);
