import { describe, expect, it } from "vitest";
import { newId } from "../../../src/core/ids";
import { newAccount } from "../../../src/core/mail/account";
import { type CampaignSpeed, perSecondOf, unknownSpeed, withRead } from "../../../src/core/mail/campaign-speed";
import { ofCampaigns, type Priority } from "../../../src/core/mail/priority";
import { addWaiting, giveBack, nextTurn, readUpTo, takeShare } from "../../../src/core/mail/turns";

describe("the speed of campaigns", () => {
  it("is not known from nothing, nor from less than a second", () => {
    expect(perSecondOf(unknownSpeed)).toBeNull();
    expect(perSecondOf(withRead(unknownSpeed, { mails: 2_000, ms: 999 }))).toBeNull();
    expect(perSecondOf(withRead(unknownSpeed, { mails: 0, ms: 5_000 }))).toBeNull();
  });

  it("is that of the last minutes", () => {
    const sendFor = (seconds: number, mails: number, before: CampaignSpeed) => {
      let speed = before;
      for (let second = 0; second < seconds; second++) speed = withRead(speed, { mails, ms: 1_000 });
      return speed;
    };
    const slow = sendFor(600, 100, unknownSpeed);
    expect(perSecondOf(slow)).toBeCloseTo(100);
    expect(perSecondOf(sendFor(10, 1_000, slow))).toBeGreaterThan(200);
    expect(perSecondOf(sendFor(300, 1_000, slow))).toBeGreaterThan(950);
  });

  it("leaves out when the provider was away, and a clock that goes back", () => {
    const before = withRead(unknownSpeed, { mails: 1_000, ms: 2_000 });
    expect(withRead(before, { mails: 100, ms: 30_000 })).toEqual(before);
    expect(withRead(before, { mails: 100, ms: -1 })).toEqual(before);
  });
});

describe("an account measures it", () => {
  const place = { dueAt: 0, id: newId() };

  /** Ten turns of a hundred mails, one each 100 ms. The last one finds no more. */
  function tenTurns(priority: Priority, { perSecond }: { perSecond?: number } = {}): number | null {
    const account = newAccount();
    const rule = { pace: null, mailsPerCall: 1 };
    const at = { now: 1_000_000, random: 0 };
    addWaiting(account, [{ project: 1, priority }], rule, at);
    for (let turn = 0; turn <= 10; turn++) {
      const permitId = `p${turn}`;
      nextTurn(account, { permitId, done: null }, rule, at);
      if (perSecond !== undefined) takeShare(account, permitId, { perSecond, mails: 100 }, at);
      readUpTo(account, permitId, { cursor: turn === 10 ? null : place, mails: 100 }, at);
      at.now += 100;
      giveBack(account, [{ permitId, verdict: { kind: "answered" }, calls: 100, hasMore: false }], rule, at);
    }
    return perSecondOf(account.speed);
  }

  it("by campaign mail that waits for the account alone", () => {
    expect(tenTurns(ofCampaigns)).toBeCloseTo(1_000);
  });

  it("and neither by other mail, nor by a project that keeps to a pace of its own", () => {
    expect(tenTurns(1)).toBeNull();
    expect(tenTurns(ofCampaigns, { perSecond: 100_000 })).toBeNull();
  });

  it("and not while none waits", () => {
    const account = newAccount();
    const rule = { pace: null, mailsPerCall: 1 };
    for (let small = 0; small < 30; small++) {
      const at = { now: 1_000_000 + 1_000 * small, random: 0 };
      addWaiting(account, [{ project: 1, priority: ofCampaigns }], rule, at);
      nextTurn(account, { permitId: `p${small}`, done: null }, rule, at);
      readUpTo(account, `p${small}`, { cursor: null, mails: 10 }, at);
    }
    expect(account.speed).toEqual(unknownSpeed);
  });
});
