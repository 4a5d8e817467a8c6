import { describe, expect, it } from "vitest";
import { type Bucket, type Level, takeFromAll } from "../../src/core/bucket";

const now = 1_000_000;
const send = { burst: 50, perSecond: 20 };

function bucket(name: string, rate: Bucket["rate"], level?: Level): Bucket {
  return { name, rate, level };
}

describe("one bucket", () => {
  it("is full at first, and gives a token", () => {
    const { isAllowed, levels, tightest } = takeFromAll([bucket("send", send)], now);
    expect(isAllowed).toBe(true);
    expect(levels).toEqual({ send: { tokens: 49, atMs: now } });
    expect(tightest).toEqual({ name: "send", limit: 50, remaining: 49, resetSeconds: 1, retryAfterSeconds: 0 });
  });

  it.each([
    [0, 0, false],
    [0.99, 0, false],
    [1, 0, true],
    [0, 49, false],
    [0, 50, true],
    [0, 1_000, true],
  ])("with %d tokens, %d ms later: a token is there: %s", (tokens, laterMs, isAllowed) => {
    const level = { tokens, atMs: now };
    expect(takeFromAll([bucket("send", send, level)], now + laterMs).isAllowed).toBe(isAllowed);
  });

  it("never holds more than its burst", () => {
    const level = { tokens: 10, atMs: now };
    const { levels } = takeFromAll([bucket("send", send, level)], now + 3_600_000);
    expect(levels.send?.tokens).toBe(49);
  });

  it("gives nothing for a clock that goes back, and takes nothing", () => {
    const level = { tokens: 5, atMs: now };
    expect(takeFromAll([bucket("send", send, level)], now - 10_000).levels.send?.tokens).toBe(4);
  });

  it.each([
    [0, 20, 1],
    [0, 0.5, 2],
    [0.5, 0.1, 5],
    [0, 1000 / 60, 1],
  ])("with %d tokens and %d a second: come again in %d s, never 0", (tokens, perSecond, seconds) => {
    const level = { tokens, atMs: now };
    const { tightest } = takeFromAll([bucket("api", { burst: 10, perSecond }, level)], now);
    expect(tightest.retryAfterSeconds).toBe(seconds);
  });
});

describe("two buckets", () => {
  const api = { burst: 1000, perSecond: 1000 / 60 };

  it("both give a token, and the one with fewer left is told", () => {
    const { levels, tightest } = takeFromAll([bucket("api", api), bucket("send", send)], now);
    expect([levels.api?.tokens, levels.send?.tokens]).toEqual([999, 49]);
    expect(tightest.name).toBe("send");
  });

  it.each(["api", "send"])("neither gives one when %s is empty, and that one is told", (empty) => {
    const level = (name: string) => (name === empty ? { tokens: 0, atMs: now } : undefined);
    const buckets = [bucket("api", api, level("api")), bucket("send", send, level("send"))];
    const { isAllowed, levels, tightest } = takeFromAll(buckets, now);
    expect(isAllowed).toBe(false);
    expect(tightest).toMatchObject({ name: empty, remaining: 0 });
    expect(levels[empty === "api" ? "send" : "api"]?.tokens).toBe(empty === "api" ? 50 : 1000);
  });
});
