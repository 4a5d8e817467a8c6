import { describe, expect, it } from "vitest";
import { newId } from "../../../src/core/ids";
import { newAccount, permitMs } from "../../../src/core/mail/account";
import type { Verdict } from "../../../src/core/mail/breaker";
import type { PaceRule } from "../../../src/core/mail/pace";
import type { Grant } from "../../../src/core/mail/permits";
import type { Priority } from "../../../src/core/mail/priority";
import type { MailCursor } from "../../../src/core/mail/ring";
import {
  addWaiting,
  askFor,
  type Done,
  giveBack,
  mayGoOn,
  nextTurn,
  type PermitRequest,
  readUpTo,
  type Turn,
  takeShare,
} from "../../../src/core/mail/turns";

const answered: Verdict = { kind: "answered" };
const failed: Verdict = { kind: "failed", calls: 3 };

/** An account at a time that stands still until a test moves it. */
function open({ pace = null, mailsPerCall = 1 }: { pace?: PaceRule | null; mailsPerCall?: number } = {}) {
  const account = newAccount();
  const rule = { pace, mailsPerCall };
  let permits = 0;
  const at = { now: 1_000_000 };
  const moment = () => ({ now: at.now, random: 0 });
  return {
    at,
    account,
    ask(project: number, mails: number, priority: Priority = 0) {
      const permitId = `p${++permits}`;
      const { grants, drainAt } = askFor(account, [{ permitId, project, priority, mails }], rule, moment());
      return { permitId, ...grantOf(grants), drainAt };
    },
    turn(done: Done | null = null) {
      const permitId = `p${++permits}`;
      const next = nextTurn(account, { permitId, done }, rule, moment());
      return { permitId, ...next };
    },
    read: (permitId: string, cursor: MailCursor | null, mails = 1) =>
      readUpTo(account, permitId, { cursor, mails }, moment()),
    share: (permitId: string, perSecond: number, mails: number) =>
      takeShare(account, permitId, { perSecond, mails }, moment()),
    goOn: (permitId: string, verdict = answered, calls = 1) => mayGoOn(account, permitId, verdict, calls, moment()),
    end: (permitId: string, more: Partial<Done> = {}) =>
      giveBack(account, [{ permitId, verdict: answered, calls: 1, hasMore: false, ...more }], rule, moment()),
    wait: (...projects: number[]) =>
      addWaiting(
        account,
        projects.map((project) => ({ project, priority: 0 as const })),
        rule,
        moment(),
      ),
  };
}

/** The only grant of an answer. */
function grantOf([grant]: Grant[]): Grant {
  if (!grant) throw new Error("No grant");
  return grant;
}

/** The turn of an answer that has one. */
function turnOf(next: { kind: string; turn?: Turn }): Turn {
  if (!next.turn) throw new Error(`Not a turn: ${next.kind}`);
  return next.turn;
}

const perSecond = (calls: number): PaceRule => ({ perSecond: calls, transactionalShare: 0 });

describe("fresh mail", () => {
  it("goes at once while the provider has room, up to one turn; the rest waits for a drainer", () => {
    const { ask } = open();
    expect(ask(1, 3)).toMatchObject({ calls: 3, callsAtOnce: 3, mails: 3, drainAt: null });
    expect(ask(1, 500)).toMatchObject({ calls: 100, callsAtOnce: 5, mails: 100, drainAt: 1_000_000 });
  });

  it("shares calls where the provider takes several mails in one", () => {
    expect(open({ mailsPerCall: 500 }).ask(1, 500)).toMatchObject({ mails: 500, drainAt: null });
    expect(open({ mailsPerCall: 500, pace: perSecond(5) }).ask(1, 500)).toMatchObject({ calls: 1, mails: 500 });
  });

  it("never passes older mail of its project, and does pass less urgent mail", () => {
    const { ask, wait } = open();
    wait(1);
    expect(ask(1, 1).mails).toBe(0);
    expect(ask(1, 1, 1).mails).toBe(0);
    expect(ask(2, 1).mails).toBe(1);
    const other = open();
    other.ask(3, 500, 1);
    expect(other.ask(3, 1, 0).mails).toBe(1);
  });

  it("waits for its turn when calls are scarce and others wait", () => {
    const { ask } = open({ pace: perSecond(5) });
    ask(1, 1_000);
    expect(ask(2, 1).mails).toBe(0);
  });

  it("of a lane is capped over all consumers, and the lanes apart", () => {
    const { ask } = open();
    let granted = 0;
    for (let project = 1; project <= 50; project++) granted += ask(project, 100).callsAtOnce;
    expect(granted).toBe(100);
    expect(ask(99, 1, 1).mails).toBe(1);
  });

  it("has at most 2,000 mails in flight when calls are large", () => {
    const { ask } = open({ mailsPerCall: 500 });
    let mails = 0;
    for (let project = 1; project <= 50; project++) mails += ask(project, 500).mails;
    expect(mails).toBe(2_000);
  });
});

describe("one question for the fresh mail of many projects", () => {
  const wishes = (projects: number[], mails: number): PermitRequest[] =>
    projects.map((project, index) => ({
      permitId: `w${index}`,
      project,
      priority: 0,
      mails,
      sharers: projects.length,
    }));

  it.each([
    ["without a pace", null, 3],
    ["without a pace, more than a turn each", null, 300],
    ["under a pace", perSecond(5), 3],
  ])("is answered as if each had asked alone: %s", (_, pace, mails) => {
    const [together, alone] = [open({ pace }), open({ pace })];
    const rule = { pace, mailsPerCall: 1 };
    const moment = { now: 1_000_000, random: 0 };
    const all = wishes([1, 2, 3, 2, 4], mails);
    const { grants } = askFor(together.account, all, rule, moment);
    expect(grants).toEqual(all.flatMap((wish) => askFor(alone.account, [wish], rule, moment).grants));
    expect([...together.account.ring.projects]).toEqual([...alone.account.ring.projects]);
    expect([...together.account.permits]).toEqual([...alone.account.permits]);
  });

  it("counts the calls that a consumer makes at once, and not those of each project", () => {
    const { account } = open();
    const projects = Array.from({ length: 25 }, (_, index) => index + 1);
    let granted = 0;
    for (let consumer = 0; consumer < 30; consumer++) {
      const asked = wishes(projects, 1).map((wish) => ({
        ...wish,
        permitId: `${consumer} ${wish.permitId}`,
        project: consumer * 25 + wish.project,
      }));
      const { grants } = askFor(account, asked, { pace: null, mailsPerCall: 1 }, { now: 1_000_000, random: 0 });
      granted += grants.filter(({ mails }) => mails > 0).length;
    }
    // Twenty consumers at five calls each.
    expect(granted).toBeGreaterThan(19 * 25);
    expect(granted).toBeLessThanOrEqual(20 * 25);
  });

  it("gets the permits back together", () => {
    const { account } = open();
    const rule = { pace: null, mailsPerCall: 1 };
    const moment = { now: 1_000_000, random: 0 };
    askFor(account, wishes([1, 2, 3], 2), rule, moment);
    const dones = ["w0", "w1", "w2"].map((permitId) => ({ permitId, verdict: answered, calls: 2, hasMore: false }));
    expect(giveBack(account, dones, rule, moment)).toEqual({ drainAt: null });
    expect(account.permits.size).toBe(0);
  });
});

describe("turns", () => {
  it("go round the projects that wait, and one with little is served within a few", () => {
    const { at, ask, turn, read } = open({ pace: perSecond(5) });
    const first = ask(1, 1_000);
    expect(first.mails).toBe(1);
    ask(2, 1);
    const order: number[] = [];
    let done: Done = { permitId: first.permitId, verdict: answered, calls: 1, hasMore: false };
    for (let call = 0; call < 6; call++) {
      at.now += 200;
      const next = turn(done);
      const { project } = turnOf(next);
      order.push(project);
      read(next.permitId, project === 1 ? { dueAt: 0, id: newId() } : null);
      done = { permitId: next.permitId, verdict: answered, calls: 1, hasMore: false };
    }
    expect(order.slice(0, 2)).toContain(2);
    expect(order.filter((project) => project === 1)).toHaveLength(5);
  });

  it("are a hundred mails, or three full calls, so that no call is too large for a turn of the database", () => {
    const mailsOf = (mailsPerCall: number) => {
      const { wait, turn } = open({ mailsPerCall });
      wait(1);
      const taken = turn();
      return taken.kind === "turn" ? taken.turn.mails : 0;
    };
    expect([1, 50, 120].map(mailsOf)).toEqual([100, 150, 360]);
  });

  it("share calls equally, whoever has more mail or more mails a call", () => {
    const { at, wait, turn, read } = open({ pace: perSecond(10), mailsPerCall: 100 });
    wait(1, 2, 3);
    const served = new Map<number, number>();
    let done: Done | null = null;
    for (let call = 0; call < 300; call++) {
      at.now += 100;
      const next = turn(done);
      const { project, calls } = turnOf(next);
      served.set(project, (served.get(project) ?? 0) + calls);
      read(next.permitId, { dueAt: 0, id: newId() });
      done = { permitId: next.permitId, verdict: answered, calls, hasMore: false };
    }
    const counts = [...served.values()];
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it("take a project's transactional mail first", () => {
    const { account, turn, ask } = open();
    for (const priority of [2, 1, 0] as const) {
      for (let index = 0; index < 30; index++) ask(1, 1_000, priority);
    }
    account.permits.clear();
    expect([turn(), turn(), turn()].map((next) => turnOf(next).priority)).toEqual([0, 1, 2]);
  });

  it("are read by one drainer at a time, each from where the last one stopped", () => {
    const { wait, turn, read } = open();
    wait(1);
    const first = turn();
    expect(turnOf(first).after).toBeNull();
    expect(turn().kind).toBe("nothing to do");
    const place = { dueAt: 7, id: newId() };
    read(first.permitId, place);
    const second = turn();
    expect(turnOf(second).after).toEqual(place);
    read(second.permitId, null);
    expect(turn().kind).toBe("nothing to do");
  });

  it("come again for mail that could not be handed over, from the beginning", () => {
    const { wait, turn, read, end } = open();
    wait(1);
    const { permitId } = turn();
    read(permitId, null);
    end(permitId, { hasMore: true });
    expect(turnOf(turn()).after).toBeNull();
  });

  it("come again for mail that arrived while the last of it was read", () => {
    const { wait, turn, read, ask } = open();
    wait(1);
    const { permitId } = turn();
    ask(1, 1);
    read(permitId, null);
    expect(turnOf(turn()).after).toBeNull();
  });

  it("go on from their place when mail arrives: it is newer than what waits", () => {
    const { wait, turn, read, ask } = open();
    wait(1);
    const place = { dueAt: 7, id: newId() };
    read(turn().permitId, place);
    ask(1, 1);
    const second = turn();
    expect(turnOf(second).after).toEqual(place);
    read(second.permitId, null);
    expect(turnOf(turn()).after).toBeNull();
  });

  it("do not move the place past mail that came back meanwhile", () => {
    const { wait, turn, read, end } = open();
    wait(1);
    const first = turn();
    read(first.permitId, { dueAt: 7, id: newId() });
    const second = turn();
    end(first.permitId, { hasMore: true });
    read(second.permitId, { dueAt: 9, id: newId() });
    expect(turnOf(turn()).after).toBeNull();
  });

  it("begin again when a sweep finds mail of theirs: it may lie before their place", () => {
    const { wait, turn, read } = open();
    wait(1);
    read(turn().permitId, { dueAt: 7, id: newId() });
    wait(1);
    expect(turnOf(turn()).after).toBeNull();
  });

  it("that end leave the reading to whoever reads", () => {
    const { wait, turn, read, end } = open();
    wait(1);
    const first = turn();
    read(first.permitId, { dueAt: 7, id: newId() });
    turn();
    end(first.permitId);
    expect(turn().kind).toBe("nothing to do");
  });

  it("of many drainers at a time do not keep the others' turns from them", () => {
    const { wait, turn, read } = open({ mailsPerCall: 500 });
    wait(1);
    let served = 0;
    let held: Done[] = [];
    for (let round = 0; round < 21; round++) {
      if (round === 1) wait(2);
      const done: Done[] = [];
      // As many as there is room for, then they end, each having used one call for all of its mail.
      for (let drainer = 0; drainer < 4; drainer++) {
        const { permitId, ...next } = turn(held.pop() ?? null);
        if (turnOf(next).project === 2) served++;
        read(permitId, { dueAt: round, id: newId() });
        done.push({ permitId, verdict: answered, calls: 1, hasMore: false });
      }
      held = done;
    }
    expect(served).toBeGreaterThanOrEqual(38);
  });

  it("leave out a project that could not be worked on, until somebody says again that it waits", () => {
    const { wait, turn, end } = open();
    wait(1);
    end(turn().permitId, { hasMore: true, isOver: true });
    expect(turn().kind).toBe("nothing to do");
    wait(1);
    expect(turn().kind).toBe("turn");
  });

  it("of a consumer that died are taken again after its permit, and alone", () => {
    const { at, wait, turn, end } = open();
    wait(1);
    turn();
    expect(turn().kind).toBe("nothing to do");
    at.now += permitMs;
    const next = turn();
    expect(turnOf(next)).toMatchObject({ project: 1, isSuspect: true });
    end(next.permitId, { hasMore: true });
    expect(turnOf(turn()).isSuspect).toBe(false);
  });

  it("of a consumer that died are taken alone, also when another drainer's turn ends before", () => {
    const { at, wait, turn, read, end, goOn } = open();
    wait(1);
    const place = { dueAt: 7, id: newId() };
    read(turn().permitId, place);
    const other = turn();
    read(other.permitId, place);
    at.now += permitMs - 1;
    goOn(other.permitId);
    at.now += 1;
    wait(2);
    end(other.permitId);
    expect(turnOf(turn()).isSuspect).toBe(true);
  });

  it("cost the same however many projects wait for the other lane", () => {
    const { at, account, ask, wait } = open();
    for (let project = 0; project < 10_000; project++) wait(project);
    account.lanes.transactional = { ...account.lanes.transactional, pausedUntil: at.now + 1e9 };
    const start = performance.now();
    for (let mail = 0; mail < 1_000; mail++) ask(20_000, 1, 2);
    // Looking at each project took three seconds.
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe("drainers", () => {
  it("are sent for once, however many ask", () => {
    const { ask } = open({ pace: perSecond(1) });
    const asked = Array.from({ length: 20 }, (_, project) => ask(project, 1_000).drainAt);
    expect(asked.filter((drainAt) => drainAt !== null)).toHaveLength(1);
  });

  it("are sent for again when one does not come", () => {
    const { at, wait } = open();
    expect(wait(1).drainAt).toBe(at.now);
    expect(wait(2).drainAt).toBeNull();
    at.now += 30_000;
    expect(wait(3).drainAt).toBe(at.now);
  });

  it("become more while there is room and work, and no more than fit", () => {
    const { wait, turn } = open();
    wait(...Array.from({ length: 50 }, (_, index) => index + 1));
    let drainers = 0;
    for (let arrived = 0; arrived < 50; arrived++) {
      const next = turn();
      if (next.kind !== "turn") break;
      drainers++;
      if (next.drainAt === null) break;
    }
    expect(drainers).toBe(20);
  });

  it("wait for the pace, and the one that waits is the only one", () => {
    const { at, ask, turn, read } = open({ pace: perSecond(1) });
    expect(ask(1, 100).drainAt).toBe(at.now + 1_000);
    expect(turn().kind).toBe("nothing to do");
    at.now += 1_000;
    const first = turn();
    expect(turnOf(first)).toMatchObject({ project: 1, mails: 1 });
    read(first.permitId, { dueAt: 0, id: newId() });
    const done: Done = { permitId: first.permitId, verdict: answered, calls: 1, hasMore: false };
    expect(turn(done)).toMatchObject({ kind: "wait", until: at.now + 1_000 });
    expect(turn().kind).toBe("nothing to do");
  });

  it("are sent for by fresh mail that ends, when it was what filled the lane", () => {
    const { ask, end } = open();
    const held = Array.from({ length: 20 }, (_, project) => ask(project, 5));
    expect(ask(99, 5)).toMatchObject({ mails: 0, drainAt: null });
    expect(end(held[0]?.permitId ?? "").drainAt).not.toBeNull();
  });

  it("come earlier for a lane that is open while the other pauses", () => {
    const { ask, end } = open();
    const { permitId } = ask(1, 3);
    expect(end(permitId, { verdict: failed, hasMore: true }).drainAt).toBe(1_030_000);
    const campaign = ask(2, 1_000, 2);
    expect(campaign.drainAt).toBe(1_000_000);
  });
});

describe("an outage", () => {
  it("pauses the lane for all, and then one mail is the probe", () => {
    const { at, ask, end, turn } = open();
    const { permitId } = ask(1, 3);
    end(permitId, { verdict: failed, calls: 3, hasMore: true });
    expect(ask(2, 10).mails).toBe(0);
    at.now += 30_000;
    const probe = turn();
    expect(turnOf(probe)).toMatchObject({ calls: 1, mails: 1 });
    expect(turn().kind).not.toBe("turn");
    expect(ask(3, 1).mails).toBe(0);
    end(probe.permitId, { verdict: failed, hasMore: true });
    at.now += 59_999;
    expect(turn().kind).not.toBe("turn");
    at.now += 1;
    const again = turn();
    expect(turnOf(again).mails).toBe(1);
    end(again.permitId, { verdict: answered });
    expect(turnOf(turn()).mails).toBeGreaterThan(1);
  });

  it("stops a delivery between two of its rounds", () => {
    const { ask, goOn } = open();
    const [one, other] = [ask(1, 50), ask(2, 50)];
    expect(goOn(one.permitId)).toBe(true);
    expect(goOn(other.permitId, failed, 3)).toBe(false);
    expect(goOn(one.permitId)).toBe(false);
  });

  it("goes on when the prober died: that was a failed probe", () => {
    const { at, ask, end, turn } = open();
    end(ask(1, 3).permitId, { verdict: failed, calls: 3, hasMore: true });
    at.now += 30_000;
    expect(turnOf(turn()).mails).toBe(1);
    at.now += permitMs;
    expect(turn().kind).not.toBe("turn");
    at.now += 60_000;
    expect(turnOf(turn()).mails).toBe(1);
  });

  it("does not lose the probe to a turn without mail", () => {
    const { at, ask, end, turn, read, wait } = open();
    end(ask(1, 3).permitId, { verdict: failed, calls: 3 });
    wait(1, 2);
    at.now += 30_000;
    const empty = turn();
    read(empty.permitId, null);
    const next = turn({ permitId: empty.permitId, verdict: { kind: "unused" }, calls: 0, hasMore: false });
    expect(turnOf(next)).toMatchObject({ project: 2, mails: 1 });
  });
});

it("keeps to the account's pace, whatever asks, dies and comes back", () => {
  const pace = perSecond(20);
  const { at, ask, turn, read, end, wait } = open({ pace });
  wait(1, 2, 3);
  let calls = 0;
  const seconds = 60;
  for (let step = 0; step < seconds * 100; step++) {
    at.now += 10;
    const random = (step * 7919) % 10;
    if (random < 3) {
      const { permitId, mails } = ask((step % 5) + 1, random + 1);
      calls += mails;
      if (mails > 0) end(permitId, { calls: mails, hasMore: random === 0 });
    } else {
      const next = turn();
      if (next.kind !== "turn") continue;
      calls += next.turn.calls;
      read(next.permitId, random === 9 ? null : { dueAt: step, id: newId() });
      // Some die: their permit is never given back.
      if (random !== 8) end(next.permitId, { calls: next.turn.calls });
      if (random === 9) wait(next.turn.project);
    }
  }
  expect(calls).toBeLessThanOrEqual(seconds * 20 + 20);
  expect(calls).toBeGreaterThan(seconds * 20 * 0.95);
});
