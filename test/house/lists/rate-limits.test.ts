import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { readWranglerToml } from "../../../scripts/lib/wrangler-toml.mjs";

// A bucket that Petrel does not have, in the one list of them.
vi.mock("../../../src/platform/route-buckets", async (original) => {
  const actual = await original<typeof import("../../../src/platform/route-buckets")>();
  return { routeBuckets: { ...actual.routeBuckets, preview: { perSecond: 3, burst: 6 } } };
});

const { rateLimitSettings, rateLimitsOf } = await import("../../../src/platform/rate-limits");
const { parseSettings } = await import("../../../src/platform/settings");
const { bucketsFor } = await import("../../../src/http/buckets");
const { usualPolicy } = await import("../../../src/http/policy");

const limitsOf = (env: object) =>
  rateLimitsOf(parseSettings(rateLimitSettings, { RATE_LIMIT_ENABLED: "true", ...env }));

const policy = { ...usualPolicy, bucket: "preview" as never };
const caller = { project: { sendRatePerSecond: null }, caller: "secret" as const, address: undefined, person: null };

it("a bucket that is added to the list has its settings, and their defaults", () => {
  expect(limitsOf({})).toMatchObject({ preview: { perSecond: 3, burst: 6 } });
  const own = { RATE_LIMIT_PREVIEW_PER_SECOND: "1", RATE_LIMIT_PREVIEW_BURST: "2" };
  expect(limitsOf(own)).toMatchObject({ preview: { perSecond: 1, burst: 2 } });
  expect(limitsOf({ RATE_LIMIT_PREVIEW_PER_SECOND: "0" })).toMatchObject({ preview: null });
  expect(() => limitsOf({ RATE_LIMIT_PREVIEW_BURST: "1.5" })).toThrow("RATE_LIMIT_PREVIEW_BURST");
});

it("is taken from by the routes whose policy names it", () => {
  const names = bucketsFor(policy, limitsOf({}), caller).map(({ name }) => name);
  expect(names).toEqual(["api", "preview"]);
});

it("wrangler.toml and docs/settings.md have every bucket of the product, with its default", async () => {
  const { routeBuckets } = await vi.importActual<typeof import("../../../src/platform/route-buckets")>(
    "../../../src/platform/route-buckets",
  );
  const { vars } = readWranglerToml();
  const docs = readFileSync("docs/settings.md", "utf8");
  for (const [bucket, { perSecond, burst }] of Object.entries(routeBuckets)) {
    const name = `RATE_LIMIT_${bucket.toUpperCase()}`;
    expect(vars[`${name}_PER_SECOND`]).toBe(String(perSecond));
    expect(vars[`${name}_BURST`]).toBe(String(burst));
    expect(docs).toMatch(new RegExp(`\\| \`${name}_PER_SECOND\`, \`…_BURST\` +\\| ${perSecond}, ${burst} +\\|`));
  }
});
