import { describe, expect, it } from "vitest";
import { bucketOf, canaryShare, draw, drawBuckets, variantFor, variantOf } from "../../../src/core/campaigns/draw";
import { asId, newId } from "../../../src/core/ids";

describe("draw", () => {
  it("says the same for the same, and something else for another campaign or purpose", () => {
    const [campaign, contact] = [newId(), newId()];
    expect(draw(campaign, contact, "canary")).toBe(draw(campaign, contact, "canary"));
    expect(draw(campaign, contact, "canary")).not.toBe(draw(campaign, contact, "variant"));
    expect(draw(campaign, contact, "canary")).not.toBe(draw(newId(), contact, "canary"));
  });

  it("says for ever the same: campaigns are sent while the product is deployed", () => {
    const [campaign, contact] = [asId("-0Campaign0000000000-a"), asId("-0Contact00000000000_z")];
    expect(draw(campaign, contact, "variant")).toBe(2_020_477_313);
    expect(draw(campaign, contact, "canary")).toBe(358_113_602);
  });

  it("spreads evenly over variants and stretches, each apart from the other", () => {
    const campaign = newId();
    const [heavy, canary, both] = [0, 0, 0];
    const seen = { heavy, canary, both };
    const people = 20_000;
    for (let n = 0; n < people; n++) {
      const contact = newId();
      const isHeavy = variantOf([3, 1], draw(campaign, contact, "variant")) === 0;
      const isCanary = bucketOf(draw(campaign, contact, "canary")) < drawBuckets / 10;
      if (isHeavy) seen.heavy++;
      if (isCanary) seen.canary++;
      if (isHeavy && isCanary) seen.both++;
    }
    expect(seen.heavy / people).toBeCloseTo(0.75, 1);
    expect(seen.canary / people).toBeCloseTo(0.1, 1);
    expect(seen.both / people).toBeCloseTo(0.075, 1);
  });
});

describe("variantFor", () => {
  it("is the first of one, and drawn of several", () => {
    const [campaign, contact] = [newId(), newId()];
    expect(variantFor([100], campaign, contact)).toBe(0);
    expect(variantFor([3, 1], campaign, contact)).toBe(variantOf([3, 1], draw(campaign, contact, "variant")));
  });
});

describe("variantOf", () => {
  it.each([
    [0, 0],
    [2 ** 30, 0],
    [2 ** 31 - 1, 0],
    [2 ** 31, 1],
    [2 ** 32 - 1, 1],
  ])("the draw %i of two equal ones is %i", (drawn, index) => {
    expect(variantOf([7, 7], drawn)).toBe(index);
  });
});

describe("canaryShare", () => {
  it.each<[string, number[], number, { before: number; more: number }]>([
    ["nobody of nobody", [0, 0], 50, { before: 0, more: 0 }],
    ["at least one", [0, 3, 4], 1, { before: 1, more: 1 }],
    ["a part of a stretch", [10, 10], 15, { before: 0, more: 3 }],
    ["whole stretches, and a part", [10, 10, 80], 15, { before: 1, more: 5 }],
    ["exactly one stretch", [10, 10], 50, { before: 0, more: 10 }],
  ])("is %s", (_, counts, percent, share) => {
    expect(canaryShare(counts, percent)).toEqual(share);
  });
});
