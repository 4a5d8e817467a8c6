import { expect, it, vi } from "vitest";
import { optionalText } from "../../../src/platform/settings";

// A provider that Petrel does not have, in the one list of them.
vi.mock("../../../src/platform/mailer/resend/manifest", async () => {
  const { defineProvider } = await import("../../../src/platform/mailer/provider");
  const pigeon = defineProvider({
    name: "pigeon",
    settings: { PIGEON_LOFT: optionalText, PIGEON_RING: optionalText },
    needs: ["PIGEON_LOFT"],
    read: ({ PIGEON_LOFT: loft, PIGEON_RING: ring }) => (loft === null ? null : { loft, ring }),
    open: ({ loft }) => Object.assign(Object.create(null), { name: `pigeon of ${loft}` }),
    reporter: ({ ring }) => (ring === null ? null : async () => ({ kind: "other", name: ring })),
  });
  return { resend: pigeon };
});

const { readMailConfig } = await import("../../../src/platform/mailer/providers");

it("a provider that is added to the list is chosen by its name, with its own settings", () => {
  const { provider } = readMailConfig({ MAIL_PROVIDER: "pigeon", PIGEON_LOFT: "north" } as never);
  expect(provider.name).toBe("pigeon");
  expect(provider.open({} as never, {} as never)).toMatchObject({ name: "pigeon of north" });
});

it("is refused without what it needs, and named where the choice is unknown", () => {
  expect(() => readMailConfig({ MAIL_PROVIDER: "pigeon" })).toThrow("MAIL_PROVIDER is pigeon, which needs PIGEON_LOFT");
  expect(() => readMailConfig({ MAIL_PROVIDER: "owl" })).toThrow(
    "must be one of outbox, ses, pigeon, postmark, smtp, cloudflare",
  );
});

it("reports under its name while it has the setting for it, also when another sends", async () => {
  const { reporters } = readMailConfig({ PIGEON_LOFT: "north", PIGEON_RING: "7" } as never);
  expect([...reporters.keys()]).toEqual(["pigeon"]);
  const call = { header: () => undefined, body: "" };
  expect(await reporters.get("pigeon")?.(call)).toEqual({ kind: "other", name: "7" });
});

it("carries marketing mail or stands in beside another, with an account of its own", () => {
  const first = { MAIL_PROVIDER: "postmark", POSTMARK_SERVER_TOKEN: "token", PIGEON_LOFT: "north" };
  const config = readMailConfig({
    ...first,
    MAIL_PROVIDER_MARKETING: "pigeon",
    MAIL_RATE_PER_SECOND: "postmark=9",
  } as never);
  expect([config.provider.name, config.marketing?.name, config.fallback]).toEqual(["postmark", "pigeon", null]);
  expect([config.rateOf("postmark")?.perSecond, config.rateOf("pigeon")]).toEqual([9, null]);
  expect(readMailConfig({ ...first, MAIL_PROVIDER_FALLBACK: "pigeon" } as never).fallback?.name).toBe("pigeon");
  expect(readMailConfig({ ...first, MAIL_PROVIDER_MARKETING: "postmark" } as never).marketing).toBeNull();
});

it.each([
  [
    { MAIL_PROVIDER_FALLBACK: "owl" },
    "MAIL_PROVIDER_FALLBACK must be one of outbox, ses, pigeon, postmark, smtp, cloudflare",
  ],
  [{ MAIL_PROVIDER_MARKETING: "pigeon" }, "MAIL_PROVIDER_MARKETING is pigeon, which needs PIGEON_LOFT"],
  [{ MAIL_PROVIDER_FALLBACK: "postmark" }, "MAIL_PROVIDER_FALLBACK is postmark, as MAIL_PROVIDER is"],
  [{ MAIL_PROVIDER_FALLBACK: "outbox" }, "MAIL_PROVIDER_FALLBACK is outbox, which sends no mail"],
  [{ MAIL_RATE_PER_SECOND: "fast" }, "MAIL_RATE_PER_SECOND must be a number, or a number for each provider"],
  [{ MAIL_RATE_PER_SECOND: "owl=3" }, "MAIL_RATE_PER_SECOND must be a number, or a number for each provider"],
])("is refused beside another with %o", (settings, message) => {
  const first = { MAIL_PROVIDER: "postmark", POSTMARK_SERVER_TOKEN: "token" };
  expect(() => readMailConfig({ ...first, ...settings } as never)).toThrow(message);
});
