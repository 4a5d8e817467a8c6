import { describe, expect, it } from "vitest";
import { type SendingBlock, standingOf, whyPaused } from "../../../src/core/mail/reputation";

/** The newest first, as they are read. */
function blocksOf(...sizes: number[]): { blocks: SendingBlock[]; mails: number } {
  let mails = 0;
  const blocks = sizes.map((size, index) => {
    const block = { firstMail: mails, startedAt: index * 10, bounced: 1, complained: 0 };
    mails += size;
    return block;
  });
  return { blocks: blocks.toReversed(), mails };
}

const hundreds = (count: number) => Array.from({ length: count }, () => 100);

describe("a project's standing", () => {
  it.each([
    ["no mail", [], null],
    ["999 mails", [...hundreds(9), 99], null],
    ["1,000 mails", hundreds(10), { mails: 1_000, bounced: 10, complained: 0 }],
    ["1,000 mails and an empty block", [...hundreds(10), 0], { mails: 1_000, bounced: 11, complained: 0 }],
    ["1,050 mails", [...hundreds(10), 50], { mails: 1_050, bounced: 11, complained: 0 }],
    ["2,000 mails", hundreds(20), { mails: 1_000, bounced: 10, complained: 0 }],
    ["blocks of large calls", [500, 500, 500], { mails: 1_000, bounced: 2, complained: 0 }],
  ])("is that of its last blocks with 1,000 mails: %s", (_, sizes, standing) => {
    const { blocks, mails } = blocksOf(...sizes);
    expect(standingOf(blocks, mails, 0)).toEqual(standing);
  });

  it("has nothing of before the count began anew", () => {
    const { blocks, mails } = blocksOf(...hundreds(14));
    expect(standingOf(blocks, mails, 40)).toEqual({ mails: 1_000, bounced: 10, complained: 0 });
    expect(standingOf(blocks, mails, 41)).toBeNull();
  });

  it("has nothing of before the events of its mail were forgotten", () => {
    const { blocks } = blocksOf(...hundreds(20));
    const fresh = { firstMail: 5, startedAt: 1_000, bounced: 0, complained: 0 };
    expect(standingOf([fresh, ...blocks], 300, 0)).toBeNull();
    expect(standingOf([fresh, ...blocks], 1_005, 0)).toEqual({ mails: 1_000, bounced: 0, complained: 0 });
  });
});

describe("marketing email is paused", () => {
  const limits = { bouncePercent: 8, complaintPercent: 0.3 };

  it.each([
    [{ mails: 1_000, bounced: 80, complained: 3 }, null],
    [{ mails: 1_000, bounced: 81, complained: 0 }, "81 of the last 1000 emails bounced, more than 8 %."],
    [{ mails: 1_000, bounced: 0, complained: 4 }, "4 of the last 1000 emails drew complaints, more than 0.3 %."],
    [{ mails: 1_050, bounced: 84, complained: 0 }, null],
    [{ mails: 1_050, bounced: 85, complained: 0 }, "85 of the last 1050 emails bounced, more than 8 %."],
  ])("above a limit, not at it: %o", (standing, reason) => {
    expect(whyPaused(standing, limits)).toBe(reason);
  });

  it("never by a limit of 0", () => {
    const all = { mails: 1_000, bounced: 1_000, complained: 1_000 };
    expect(whyPaused(all, { bouncePercent: 0, complaintPercent: 0 })).toBeNull();
    expect(whyPaused(all, { ...limits, bouncePercent: 0 })).toContain("complaints");
    expect(whyPaused(all, { ...limits, complaintPercent: 0 })).toContain("bounced");
  });
});
