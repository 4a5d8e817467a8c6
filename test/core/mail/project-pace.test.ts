import { describe, expect, it } from "vitest";
import { newId } from "../../../src/core/ids";
import { newAccount } from "../../../src/core/mail/account";
import type { Verdict } from "../../../src/core/mail/breaker";
import type { PaceRule } from "../../../src/core/mail/pace";
import { ofCampaigns, type Priority } from "../../../src/core/mail/priority";
import { addWaiting, askFor, type Done, giveBack, nextTurn, readUpTo, takeShare } from "../../../src/core/mail/turns";

const unused: Verdict = { kind: "unused" };
const more = { dueAt: 0, id: newId() };

/** An account at a time that a test moves. The mail of its projects never ends, unless a test says so. */
function open(pace: PaceRule | null = null) {
  const [account, rule, at] = [newAccount(), { pace, mailsPerCall: 1 }, { now: 1_000_000, called: 0 }];
  const moment = () => ({ now: at.now, random: 0 });
  let permits = 0;
  const here = {
    at,
    wait: (project: number, priority: Priority = ofCampaigns) =>
      addWaiting(account, [{ project, priority }], rule, moment()),
    ask(project: number, { priority = ofCampaigns, isPaced = false }: { priority?: Priority; isPaced?: boolean } = {}) {
      const wish = { permitId: `p${++permits}`, project, priority, mails: 1, isPaced };
      const { grants, drainAt } = askFor(account, [wish], rule, moment());
      return { mails: grants[0]?.mails, drainAt };
    },
    turn(done: Done | null = null) {
      const permitId = `p${++permits}`;
      return { permitId, ...nextTurn(account, { permitId, done }, rule, moment()) };
    },
    /** A whole turn of a project with a pace: how many mails it may read. `at.called` is when a drainer is to come. */
    paced(perSecond: number, { found = Number.POSITIVE_INFINITY, end = {} as Partial<Done> } = {}) {
      const next = here.turn();
      if (next.kind !== "turn") return next.kind;
      const { permitId, turn } = next;
      const share = takeShare(account, permitId, { perSecond, mails: turn.mails }, moment());
      const mails = Math.min(share, found);
      readUpTo(account, permitId, { cursor: found > share ? more : null, mails }, moment());
      const done = { permitId, verdict: unused, calls: mails, hasMore: false, ...end };
      at.called = giveBack(account, [done], rule, moment()).drainAt ?? at.called;
      return mails;
    },
  };
  return here;
}

describe("a project with a pace of its own", () => {
  it("has a turn, and then waits until the next one is worth while", () => {
    const { at, wait, paced } = open();
    wait(1);
    expect(paced(10)).toBe(12);
    expect(at.called - at.now).toBe(1_000);
    at.now += 999;
    expect(paced(10)).toBe("nothing to do");
    at.now += 1;
    expect(paced(10)).toBe(10);
  });

  it.each([
    [1, 1],
    [10, 12],
    [100, 125],
    [150, 187],
    [1_000, 1_250],
  ])("of %i a second sends at most %i in any second, and its pace for long", (perSecond, most) => {
    const { at, wait, paced } = open();
    wait(1);
    const times: number[] = [];
    const seconds = 20;
    for (let ms = 0; ms < seconds * 1_000; ms += 5) {
      for (let mails = paced(perSecond); typeof mails === "number"; mails = paced(perSecond)) {
        for (let n = 0; n < mails; n++) times.push(ms);
      }
      at.now += 5;
    }
    for (let from = 0; from <= (seconds - 1) * 1_000; from += 50) {
      expect(times.filter((ms) => ms >= from && ms < from + 1_000).length).toBeLessThanOrEqual(most);
    }
    expect(times.length).toBeGreaterThanOrEqual(seconds * perSecond * 0.99);
    expect(times.length).toBeLessThanOrEqual((seconds + 0.25) * perSecond + 1);
  });

  it("is not brought earlier by a sweep, by mail that comes back, or by a new one", () => {
    const { at, wait, paced, ask } = open();
    wait(1);
    expect(paced(10, { end: { hasMore: true } })).toBe(12);
    wait(1);
    expect(ask(1, { isPaced: true }).mails).toBe(0);
    expect(paced(10)).toBe("nothing to do");
    at.now += 1_000;
    expect(paced(10)).toBe(10);
  });

  it("keeps what a turn did not find", () => {
    const { wait, paced } = open();
    wait(1);
    expect(paced(10, { found: 3 })).toBe(3);
    wait(1);
    expect(paced(10)).toBe(9);
  });

  it("saves up a quarter of a second's mails at most", () => {
    const { at, wait, paced } = open();
    wait(1);
    expect(paced(10)).toBe(12);
    at.now += 3_600_000;
    expect(paced(10)).toBe(12);
  });

  it("holds up no other project, nor its own other mail, also where calls are scarce", () => {
    const { wait, paced, ask } = open({ perSecond: 50, transactionalShare: 0 });
    wait(1);
    expect(paced(2)).toBe(2);
    expect(ask(2).mails).toBe(1);
    expect(ask(1, { priority: 0 }).mails).toBe(1);
    wait(3);
    expect(paced(2)).toBe(2);
  });

  it("comes back no more when its mail could not be worked on, until somebody says that it waits", () => {
    const { at, wait, paced } = open();
    wait(1);
    expect(paced(10, { end: { isOver: true } })).toBe(12);
    at.now += 5_000;
    expect(paced(10)).toBe("nothing to do");
    wait(1);
    expect(paced(10)).toBe(12);
  });

  it("comes back though the drainer of its last turn died", () => {
    const { at, wait, turn, paced } = open();
    wait(1);
    expect(paced(10)).toBe(12);
    at.now += 1_000;
    expect(turn().kind).toBe("turn");
    at.now += 10 * 60_000;
    expect(paced(10)).toBe(12);
  });

  it("makes fresh campaign mail wait for a drainer, which keeps to it", () => {
    const { ask, paced } = open();
    const { mails, drainAt } = ask(1, { isPaced: true });
    expect([mails, drainAt]).toEqual([0, 1_000_000]);
    expect(paced(10, { found: 1 })).toBe(1);
  });
});
