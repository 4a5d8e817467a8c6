import { afterEach, describe, expect, it, vi } from "vitest";
import {
  cleanAccount,
  closeCheckouts,
  located,
  openCheckout,
  secretsNamed,
  startStubWorker,
  widest,
} from "../support/deploy-checkout";
import type { Answer } from "../support/wrangler-double";

vi.setConfig({ testTimeout: 30_000 });
afterEach(closeCheckouts);

describe("what stands in the way", () => {
  const error = (text: string): Answer => ({
    code: 1,
    stderr: `✘ [ERROR] A request to the Cloudflare API failed.\n\n  ${text}`,
  });

  it("is said all at once, before anything is made", async () => {
    const checkout = openCheckout({
      answers: {
        "queues list": error("Queues are unavailable on the free plan. [code: 100129]"),
        "r2 bucket list": error("Please enable R2 through the Cloudflare Dashboard. [code: 10042]"),
        "d1 list --json": error("Authentication error [code: 10000]"),
      },
    });
    checkout.write(
      "petrel.toml",
      '[vars]\nPUBLIC_URL = "mail.acme.com"\nMAIL_PROVDER = "ses"\nRESEND_API_KEY = "re_1"\n',
    );
    const { said, code } = await checkout.deploy();
    expect(code).toBe(1);
    expect(widest(said)).toBeLessThanOrEqual(80);
    const text = said.replaceAll(/\s+/g, " ");
    expect(text).toContain("Nothing was deployed, and nothing created. 7 things are in the way");
    for (const obstacle of [
      "MAIL_PROVIDER is outbox, which sends no mail.",
      "npm run deploy -- --sandbox",
      "PUBLIC_URL is mail.acme.com. It must be an address such as https://mail.acme.com",
      "MAIL_PROVDER in petrel.toml is no setting that Petrel knows.",
      "RESEND_API_KEY stands in petrel.toml, and is a secret.",
      "The account needs the Workers Paid plan",
      "R2 is not enabled in this account.",
      "The token may not use D1 database. Give it the permission D1: Edit",
    ]) {
      expect(text).toContain(obstacle);
    }
    expect(checkout.calls().filter((call) => /create|deploy|apply|bulk/.test(call))).toEqual([]);
  });

  it.each([
    [
      "ses",
      ["SES_SECRET_ACCESS_KEY", "SES_ACCESS_KEY_ID"],
      "ses needs SES_REGION. Set it under [vars] in petrel.toml.",
    ],
    ["resend", [], "resend needs RESEND_API_KEY. Set it: npx wrangler secret put RESEND_API_KEY --name petrel"],
    ["postmark", [], "postmark needs POSTMARK_SERVER_TOKEN."],
    ["sendgrid", [], "MAIL_PROVIDER is sendgrid, which Petrel does not know."],
    [
      'resend"\nMAIL_PROVIDER_FALLBACK = "postmark',
      ["RESEND_API_KEY"],
      "postmark needs POSTMARK_SERVER_TOKEN. Set it: npx wrangler secret put POSTMARK_SERVER_TOKEN",
    ],
    [
      'resend"\nMAIL_PROVIDER_FALLBACK = "resend',
      ["RESEND_API_KEY"],
      "MAIL_PROVIDER_FALLBACK is resend, as MAIL_PROVIDER is. Name another provider, or none.",
    ],
    [
      'resend"\nMAIL_PROVIDER_MARKETING = "outbox',
      ["RESEND_API_KEY"],
      "MAIL_PROVIDER_MARKETING is outbox, which sends no mail.",
    ],
  ])("includes what %s lacks", async (provider, secrets, obstacle) => {
    const checkout = openCheckout({ secrets: secretsNamed(...secrets) });
    checkout.write("petrel.toml", `[vars]\nMAIL_PROVIDER = "${provider}"\n`);
    const { said, code } = await checkout.deploy();
    expect(code).toBe(1);
    expect(said.replaceAll(/\s+/g, " ")).toContain(obstacle);
    expect(said).toContain("One thing is in the way");
  });

  it("is a login that is missing, and still what is wrong with the settings", async () => {
    const checkout = openCheckout({ answers: { "whoami --json": { code: 1, stdout: '{"loggedIn":false}' } } });
    const { said } = await checkout.deploy();
    expect(said).toContain("MAIL_PROVIDER is outbox");
    expect(said).toContain("You are not logged in to Cloudflare.");
    expect(checkout.calls()).toEqual(["whoami --json"]);
  });

  it.each([
    [
      {
        accounts: [
          { id: "a", name: "A" },
          { id: "b", name: "B" },
        ],
      },
      "You have several accounts.",
    ],
    [
      { accounts: [{ id: "a", name: "A" }], authType: "OAuth Token", tokenPermissions: ["account:read"] },
      "lacks workers_scripts:write",
    ],
  ])("is a login of which too little is known or allowed", async (login, obstacle) => {
    const stdout = JSON.stringify({ loggedIn: true, ...login });
    const checkout = openCheckout({ answers: { "whoami --json": { stdout } } });
    const { said } = await checkout.deploy(["--sandbox"]);
    expect(said.replaceAll(/\s+/g, " ")).toContain(obstacle);
  });

  it.each([
    ['account = "acme"\nDB = "gone"', "The database DB (gone in petrel.toml) is not in this account."],
    [
      'account = "acme"\n[[d1_databases]]\nbinding = "DB"\ndatabase_id = "typo"',
      "The database DB (typo in petrel.toml)",
    ],
    ['account = "acme"\nDB = "here"\nDB_01 = "here"', "petrel.toml no longer has the database DB_01"],
    ['account = "beta"\nDB = "here"', "This installation is in the account beta"],
  ])("is another account or database than the installation's: %s", async (notes, obstacle) => {
    const checkout = openCheckout({ databases: [{ name: "petrel", uuid: "here" }] });
    checkout.write("petrel.toml", `[deployed]\n${notes}\n`);
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code).toBe(1);
    expect(said.replaceAll(/\s+/g, " ")).toContain(obstacle);
    expect(checkout.calls().filter((call) => /create|^deploy/.test(call))).toEqual([]);
  });

  it("is a Free plan, which is recognised before anything is made", async () => {
    const checkout = openCheckout({ ...cleanAccount, isFree: true });
    const { said, code } = await checkout.deploy(["--sandbox"]);
    expect(code).toBe(1);
    expect(said.replaceAll(/\s+/g, " ")).toContain("The account needs the Workers Paid plan");
    expect(checkout.account()).toMatchObject(cleanAccount);
    expect(checkout.read("petrel.toml")).toBe(located);
  });

  describe("is a permission that the token lacks", () => {
    const all = ["Queues", "Workers R2 Storage", "D1", "Workers Scripts"];

    it.each(all)("%s: named before anything is made", async (permission) => {
      const checkout = openCheckout({ ...cleanAccount, lacks: [permission] });
      const { said, code } = await checkout.deploy(["--sandbox"]);
      expect(code).toBe(1);
      expect(said.replaceAll(/\s+/g, " ")).toContain(`Give it the permission ${permission}: Edit.`);
      expect(checkout.account()).toMatchObject(cleanAccount);
    });

    it.each(all)("%s to edit, though it may read: named, and the next deploy goes on", async (permission) => {
      const checkout = openCheckout({ ...cleanAccount, lacks: [`${permission}: Edit`] });
      const { said, code } = await checkout.deploy(["--sandbox"]);
      expect(code).toBe(1);
      expect(said.replaceAll(/\s+/g, " ")).toContain(`Give it the permission ${permission}: Edit.`);
      checkout.change({ lacks: [], address: (await startStubWorker()).base });
      expect((await checkout.deploy(["--sandbox"])).code).toBe(0);
    });

    it("Workers Routes, for a domain of one's own", async () => {
      const checkout = openCheckout({ ...cleanAccount, lacks: ["Workers Routes"] });
      checkout.write("petrel.toml", `${located}[[routes]]\npattern = "mail.acme.com"\ncustom_domain = true\n`);
      const { said, code } = await checkout.deploy(["--sandbox"]);
      expect(code).toBe(1);
      expect(said.replaceAll(/\s+/g, " ")).toContain("Give it the permission Workers Routes (of the zone): Edit.");
    });

    it("User Details, with which it is asked whose it is", async () => {
      const checkout = openCheckout({ ...cleanAccount, lacks: ["User Details"] });
      const { said } = await checkout.deploy(["--sandbox"]);
      expect(said.replaceAll(/\s+/g, " ")).toContain(
        "the permission User Details and Memberships (of the user): Read.",
      );
      expect(checkout.account()).toMatchObject(cleanAccount);
    });
  });
});
