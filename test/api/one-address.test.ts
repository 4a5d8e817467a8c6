import { describe, expect, it } from "vitest";
import { normalizeEmail } from "../../src/core/mail/address";
import { useDns } from "../support/dns";
import { effects, noEffects } from "../support/effects";
import { newProject } from "../support/project";

const world = useDns();

const addresses = [
  "ada@example.com",
  "  Ada@Example.com ",
  "ADA@EXAMPLE.COM",
  "a@b.co",
  "1@2.com",
  "-@example.com",
  "first.last@example.com",
  "ada+tag@example.com",
  "!#$%&'*+/=?^_`{|}~-@example.com",
  "o'neill@example.com",
  "ada@mail.eu.example.co.uk",
  "ada@a--b.com",
  "ada@1.2.3.4.com",
  "ada@münchen.de",
  "ada@xn--mnchen-3ya.de",
  "ada@пример.рф",
  "ada@例え。テスト",
  "ada@ｅxample.com",
  "ada@exam\u00adple.com",
  `${"l".repeat(64)}@example.com`,
  `${"l".repeat(65)}@example.com`,
  `ada@${"d".repeat(63)}.com`,
  `ada@${"d".repeat(64)}.com`,
  `ada@${`${"d".repeat(49)}.`.repeat(5)}com`,
  "",
  "   ",
  "nope",
  "@",
  "ada@",
  "@example.com",
  "ada@@example.com",
  "ada@home@example.com",
  ".ada@example.com",
  "ada.@example.com",
  "ada..lovelace@example.com",
  "ada lovelace@example.com",
  "ada @example.com",
  "ada@ example.com",
  "ada,bob@example.com",
  "ada@example.com, bob@example.com",
  "ada;bob@example.com",
  "ada(comment)@example.com",
  "ada@example.com (Ada)",
  "ada[1]@example.com",
  "ada\\@example.com",
  "<ada@example.com>",
  "Ada <ada@example.com>",
  "mailto:ada@example.com",
  '"ada"@example.com',
  '"ada lovelace"@example.com',
  '"ada@home"@example.com',
  '""@example.com',
  "adä@example.com",
  "ада@пример.рф",
  "\u212aate@example.com",
  "ada@localhost",
  "ada@example.com.",
  "ada@.example.com",
  "ada@example..com",
  "ada@-example.com",
  "ada@exa_mple.com",
  "ada@127.0.0.1",
  "ada@[127.0.0.1]",
  "ada@example.123",
  "ada@example.com:25",
  "ada@example.com/path",
  "ada@ex%61mple.com",
  "ada@ex\u202eample.com",
  "ada@xn--.com",
  "ada@exa，mple.com",
  "ada@example.com\r\nBcc: eve@example.com",
  "ada\u0000@example.com",
];

describe("what is an address", () => {
  it.each(addresses)("is the same to /v1/send, POST /contacts and /v1/verify: %j", async (written) => {
    const project = await newProject();
    const email = normalizeEmail(written);
    if (email !== null) world.dns.host(email.slice(email.lastIndexOf("@") + 1));

    const verified = await project.api.post("/v1/verify", { email: written });
    expect(await effects(project)).toEqual(noEffects);
    const sent = await project.api.send({ to: written });
    if (sent.status !== 200) expect(await effects(project)).toEqual(noEffects);
    const created = await project.api.post("/contacts", { email: written });
    // An empty field counts as a missing one.
    const refused = written === "" ? 400 : 422;
    expect([sent.status, created.status]).toEqual(email === null ? [422, refused] : [200, 200]);
    if (email === null) {
      expect(verified.status === 422 || verified.body.data.valid === false).toBe(true);
      // It is the address that is wrong, and nobody needs to be asked.
      expect(world.dns.asked).toEqual([]);
      return;
    }
    expect(verified.body.data).toMatchObject({ email, valid: true });
    expect(sent.body.data.emails[0].contact.email).toBe(email);
    expect(created.body.email).toBe(email);
  });
});
