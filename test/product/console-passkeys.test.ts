import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { axeFindings } from "./axe";
import { describeInChromium, overhang, visit, type Watched } from "./chromium";
import { sendInTunnel } from "./console-forms";
import { asOwner, hostile, makeWorld, owner, type World } from "./console-world";

const product = inject("product");
const { base } = product;
const desk = { viewport: { width: 1280, height: 900 } };

/** The device of a person who puts a finger on it whenever it asks. */
interface Device {
  passkeys(): Promise<number>;
}

async function deviceOf(page: Page): Promise<Device> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId: id } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return {
    async passkeys() {
      return (await session.send("WebAuthn.getCredentials", { authenticatorId: id })).credentials.length;
    },
  };
}

describeInChromium(
  "passkeys in the console",
  () => base,
  (open) => {
    let world: World;
    beforeAll(async () => {
      world = await makeWorld(product);
    });

    const account = () => `${base}/console/account`;

    function expectQuiet({ foreign, complaints, dialogs }: Watched, expected = /^$/): void {
      expect([foreign, complaints.filter((one) => !expected.test(one)), dialogs]).toEqual([[], [], []]);
    }

    it("are added while signed in, renamed and removed, and sign in without a mail", async () => {
      const watched = await open("about:blank", desk);
      const { page } = watched;
      await asOwner(page, world);
      const device = await deviceOf(page);
      // Otherwise the device takes the offer before the button is pressed.
      await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
      await visit(page, account());
      const passkeys = page.locator("section", { hasText: "A passkey signs you in" });
      await passkeys.getByText("You have no passkey yet.").waitFor();
      const name = page.getByLabel("Name of the passkey");
      const add = page.getByRole("button", { name: "Add a passkey" });
      await name.fill(hostile);
      await sendInTunnel(page, add, () => name.inputValue());
      await add.click();
      await passkeys.getByText(hostile, { exact: true }).waitFor();
      expect(await device.passkeys()).toBe(1);
      // The same device has no second one for the same person.
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByText("This device has a passkey for you already.").waitFor();

      await page.getByRole("button", { name: `Rename: ${hostile}` }).click();
      const other = page.getByRole("listitem").getByLabel("Name of the passkey");
      await other.fill("Laptop");
      const save = page.getByRole("listitem").getByRole("button", { name: "Save" });
      await sendInTunnel(page, save, () => other.inputValue());
      await save.click();
      await page.getByText("Laptop", { exact: true }).waitFor();
      expect(await page.title()).toBe("Your sign-ins · Petrel");

      await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.waitForURL(/\/console\/p\/[\w-]+/);
      await page.getByRole("navigation").getByText("Domains").waitFor();
      await visit(page, account());
      await page.getByText("By a passkey").waitFor();
      await page.getByText("last used").waitFor();

      await page.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await passkeys.getByText("You have no passkey yet.").waitFor();
      // The browser notes who was nobody for a moment.
      expectQuiet(watched, /status of 401|ERR_INTERNET_DISCONNECTED/);
    });

    it("fit a phone in both schemes, without a finding of axe", async () => {
      const { page } = await open("about:blank", { viewport: { width: 390, height: 844 } });
      const faults: string[] = [];
      const look = async (what: string) => {
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          if ((await overhang(page)) > 0) faults.push(`${what} is too wide`);
          faults.push(...(await axeFindings(page)).map((finding) => `${what}, ${colorScheme}: ${finding}`));
        }
      };
      await visit(page, `${base}/console`);
      await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
      await look("sign in");
      expect(await page.getByRole("alert").count()).toBe(0);
      world = await makeWorld(product);
      await asOwner(page, world);
      await visit(page, account());
      await look("account");
      expect(faults).toEqual([]);
    });

    it("say in words that nobody used one, and a person proves by one who they are", async () => {
      const watched = await open("about:blank", desk);
      const { page } = watched;
      await asOwner(page, world);
      await deviceOf(page);
      await visit(page, account());
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByText("not used yet").waitFor();
      // The browser offers it where an address is typed, and this device takes every offer.
      await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
      await page.waitForURL(/\/console\/p\/[\w-]+$/);
      await visit(page, account());
      await page.getByText("By a passkey").first().waitFor();
      // The service takes the next call for one of a person whose sign-in is long ago.
      let isOld = true;
      await page.route("**/console/passkeys/*", async (route) => {
        if (route.request().method() !== "DELETE" || !isOld) return route.continue();
        isOld = false;
        const error = { code: "PROOF_NEEDED", message: "This needs a sign-in.", statusCode: 403, requestId: "1" };
        await route.fulfill({ status: 403, json: { success: false, error } });
      });
      await page.evaluate(`{
        const { credentials } = navigator;
        const get = credentials.get.bind(credentials);
        credentials.get = () => {
          credentials.get = get;
          return Promise.reject(new DOMException("", "NotAllowedError"));
        };
      }`);
      await page.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      const proof = page.getByRole("dialog", { name: "Is it you?" });
      await proof.getByText(`Mail a code to ${owner}`).waitFor();
      await proof.getByRole("button", { name: "Use a passkey" }).click();
      await proof.getByText("No passkey was used.").waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await proof.getByRole("button", { name: "Use a passkey" }).click();
      await proof.waitFor({ state: "detached" });
      await page.getByText("You have no passkey yet.").waitFor();
      expectQuiet(watched, /status of 40[13]/);
    });
  },
);
