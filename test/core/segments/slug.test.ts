import { describe, expect, it } from "vitest";
import { membershipEvents, slugOf } from "../../../src/core/segments/slug";

describe("the slug of a name", () => {
  it.each([
    ["VIP", "vip"],
    ["On the  pro plan", "on-the-pro-plan"],
    ["  Big - spenders -- 2026 ", "big-spenders-2026"],
    ["50% off! (new_users)", "50-off-newusers"],
    ["Grüße aus Köln", "grüße-aus-köln"],
    ["Gru\u0308ße", "grüße"],
    ["ग्राहक", "ग्राहक"],
    ["a\tb\nc\u00a0d", "a-b-c-d"],
    ["--", "segment"],
    ["🎉", "segment"],
    ["a.entry", "aentry"],
  ])("%j is %s", (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  it("stands in the names of its events", () => {
    expect(membershipEvents({ slug: "vip" })).toEqual({ entry: "segment.vip.entry", exit: "segment.vip.exit" });
  });
});
